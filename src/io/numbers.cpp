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

template <class T>
T load(const std::byte* from, ByteOrder order) {
  std::array<std::byte, sizeof(T)> bytes{};
  std::copy_n(from, sizeof(T), bytes.begin());
  if (order == ByteOrder::big) std::reverse(bytes.begin(), bytes.end());
  return std::bit_cast<T>(bytes);
}

template <class T>
bool assign(float& to, T value) {
  to = static_cast<float>(value);
  return std::isfinite(to) || !std::isfinite(static_cast<double>(value));
}
template <class T>
bool assign(std::int32_t& to, T value) {
  to = static_cast<std::int32_t>(value);  // NOLINT(bugprone-signed-char-misuse): a number, not a character
  return std::in_range<std::int32_t>(value);
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

template <class T, class Meaning = Same, class Out>
std::optional<std::size_t> convert(ByteOrder order, const std::byte* from, std::span<Out> to) {
  for (std::size_t i = 0; i < to.size(); ++i)
    if (!assign(to[i], Meaning()(load<T>(from + i * sizeof(T), order)))) return i;
  return std::nullopt;
}

template <class Out>
std::optional<std::size_t> convert_whole(Number number, ByteOrder order, const std::byte* from, std::span<Out> to) {
  switch (number) {
    case Number::boolean:
      return convert<std::uint8_t, IsTrue>(order, from, to);
    case Number::u8:
      return convert<std::uint8_t>(order, from, to);
    case Number::u16:
      return convert<std::uint16_t>(order, from, to);
    case Number::u32:
      return convert<std::uint32_t>(order, from, to);
    case Number::u64:
      return convert<std::uint64_t>(order, from, to);
    case Number::i8:
      return convert<std::int8_t>(order, from, to);
    case Number::i16:
      return convert<std::int16_t>(order, from, to);
    case Number::i32:
      return convert<std::int32_t>(order, from, to);
    default:
      return convert<std::int64_t>(order, from, to);
  }
}

}  // namespace

std::optional<std::size_t> to_floats(Number number, ByteOrder order, const std::byte* from, std::span<float> to) {
  switch (number) {
    case Number::f16:
      return convert<std::uint16_t, Half>(order, from, to);
    case Number::bf16:
      return convert<std::uint16_t, Brain>(order, from, to);
    case Number::f32:
      return convert<float>(order, from, to);
    case Number::f64:
      return convert<double>(order, from, to);
    default:
      return convert_whole(number, order, from, to);
  }
}
std::optional<std::size_t> to_integers(Number number, ByteOrder order, const std::byte* from, std::span<std::int32_t> to) {
  return convert_whole(number, order, from, to);
}

}  // namespace tidepool::inline v0
