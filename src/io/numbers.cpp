#include "io/numbers.h"

#include "core/half.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

namespace tidepool::inline v0 {

namespace {

static_assert(std::endian::native == std::endian::little, "files are read as if this machine's numbers were little-endian");

template <class T, ByteOrder order>
T load(const std::byte* from) {
  std::array<std::byte, sizeof(T)> bytes{};
  std::copy_n(from, sizeof(T), bytes.begin());
  if constexpr (order == ByteOrder::big) std::reverse(bytes.begin(), bytes.end());
  return std::bit_cast<T>(bytes);
}

template <class T>
bool assign(float& to, T value) {
  to = static_cast<float>(value);
  return std::isfinite(to) || !std::isfinite(static_cast<double>(value));
}
template <class T>
bool assign(std::int32_t& to, T value) {
  if constexpr (std::is_integral_v<T>) {
    to = static_cast<std::int32_t>(value);  // NOLINT(bugprone-signed-char-misuse): a number, not a character
    return std::in_range<std::int32_t>(value);
  } else {
    return false;
  }
}

struct Same {
  template <class T>
  T operator()(T value) const {
    return value;
  }
};
struct IsTrue {
  std::uint8_t operator()(std::uint8_t value) const { return value != 0; }
};
struct Half {
  float operator()(std::uint16_t value) const { return half_to_float(value); }
};
struct Brain {
  float operator()(std::uint16_t value) const { return std::bit_cast<float>(std::uint32_t{value} << 16); }
};

template <class T, ByteOrder order, class Out, class Meaning>
std::optional<std::size_t> convert_all(const std::byte* from, std::span<Out> to, Meaning meaning) {
  for (std::size_t i = 0; i < to.size(); ++i)
    if (!assign(to[i], meaning(load<T, order>(from + i * sizeof(T))))) return i;
  return std::nullopt;
}

template <ByteOrder order, class Out>
std::optional<std::size_t> convert(Number number, const std::byte* from, std::span<Out> to) {
  switch (number) {
    case Number::boolean:
      return convert_all<std::uint8_t, order>(from, to, IsTrue{});
    case Number::u8:
      return convert_all<std::uint8_t, order>(from, to, Same{});
    case Number::i8:
      return convert_all<std::int8_t, order>(from, to, Same{});
    case Number::i16:
      return convert_all<std::int16_t, order>(from, to, Same{});
    case Number::i32:
      return convert_all<std::int32_t, order>(from, to, Same{});
    case Number::i64:
      return convert_all<std::int64_t, order>(from, to, Same{});
    case Number::f16:
      return convert_all<std::uint16_t, order>(from, to, Half{});
    case Number::bf16:
      return convert_all<std::uint16_t, order>(from, to, Brain{});
    case Number::f32:
      return convert_all<float, order>(from, to, Same{});
    case Number::f64:
      return convert_all<double, order>(from, to, Same{});
  }
  return 0;
}

template <class Out>
std::optional<std::size_t> convert(Number number, ByteOrder order, const std::byte* from, std::span<Out> to) {
  return order == ByteOrder::little ? convert<ByteOrder::little>(number, from, to) : convert<ByteOrder::big>(number, from, to);
}

}  // namespace

std::optional<std::size_t> to_floats(Number number, ByteOrder order, const std::byte* from, std::span<float> to) {
  return convert(number, order, from, to);
}
std::optional<std::size_t> to_integers(Number number, ByteOrder order, const std::byte* from, std::span<std::int32_t> to) {
  return convert(number, order, from, to);
}

}  // namespace tidepool::inline v0
