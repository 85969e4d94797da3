// The numbers of file formats, as they lie in a file, made into ours: float and int32_t.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace tidepool::inline v0 {

enum class Number : std::uint8_t { boolean, u8, u16, u32, u64, i8, i16, i32, i64, f16, bf16, f32, f64 };  // whole ones first
enum class ByteOrder : std::uint8_t { little, big };

constexpr std::size_t size_of(Number number) {
  switch (number) {
    case Number::boolean:
    case Number::u8:
    case Number::i8:
      return 1;
    case Number::u16:
    case Number::i16:
    case Number::f16:
    case Number::bf16:
      return 2;
    case Number::u32:
    case Number::i32:
    case Number::f32:
      return 4;
    default:
      return 8;
  }
}
constexpr bool is_whole(Number number) { return number <= Number::i64; }

// Both have as many numbers as `to`. The result is the first one that does not fit (none: all do): beyond float's largest, beyond int32_t.
std::optional<std::size_t> to_floats(Number number, ByteOrder order, const std::byte* from, std::span<float> to);
std::optional<std::size_t> to_integers(Number number, ByteOrder order, const std::byte* from,
                                       std::span<std::int32_t> to);  // whole ones only

}  // namespace tidepool::inline v0
