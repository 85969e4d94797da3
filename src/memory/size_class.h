// Size classes: 22 powers of two from 64 B to 128 MiB, each divided into at most 16 steps, none smaller than the
// device's alignment. A step is a bin: its blocks all have one size, at most 1/16 above what was asked for (a whole
// step for the few smallest). Above 128 MiB blocks have the size asked for, rounded to the alignment.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace tidepool::inline v0 {

struct SizeClass {
  static constexpr std::size_t smallest = 64;
  static constexpr std::size_t largest = std::size_t{128} << 20;
  static constexpr std::size_t classes = 22;
  static constexpr std::size_t steps = 16;
  static constexpr std::size_t bins = classes * steps + 1;  // the last one: exact sizes
  static constexpr std::uint32_t exact = classes * steps;

  std::size_t bytes;
  std::uint32_t bin;

  std::size_t index() const { return class_of(bin); }
  static constexpr std::size_t class_of(std::uint32_t bin) { return bin / steps; }  // `classes` for exact sizes
};

// `alignment` is a power of two from 64 to 256. `bytes` may be 0, which counts as 1.
constexpr SizeClass size_class(std::size_t bytes, std::size_t alignment) {
  const std::size_t floor = alignment > SizeClass::smallest ? alignment : SizeClass::smallest;
  if (bytes < floor) bytes = floor;
  if (bytes > SizeClass::largest) return {(bytes + alignment - 1) & ~(alignment - 1), SizeClass::exact};
  const std::size_t power = std::bit_floor(bytes);
  const std::size_t step = power / SizeClass::steps > alignment ? power / SizeClass::steps : alignment;
  const std::size_t rounded = (bytes + step - 1) & ~(step - 1);
  const std::size_t base = std::bit_floor(rounded);  // rounding up may reach the next class
  const auto index = static_cast<std::size_t>(std::countr_zero(base) - std::countr_zero(SizeClass::smallest));
  // Within the class, where the block lies on a scale of 16 whatever the real steps are: bins stay unique.
  const std::size_t place = ((rounded - base) * SizeClass::steps) >> std::countr_zero(base);
  return {rounded, static_cast<std::uint32_t>(index * SizeClass::steps + place)};
}

}  // namespace tidepool::inline v0
