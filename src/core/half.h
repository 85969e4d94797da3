// Numbers of 16 bits, IEEE's binary16, to and from float: to the nearest, ties to even.
#pragma once

#include <bit>
#include <cstdint>

namespace tidepool::inline v0 {

constexpr float half_to_float(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000U) << 16, exponent = half >> 10 & 31U, fraction = half & 0x3ffU;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000U | fraction << 13);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
  const float small = static_cast<float>(fraction) * 0x1p-24F;  // exact
  return sign ? -small : small;
}

constexpr std::uint16_t float_to_half(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000U, size = bits & 0x7fffffffU;
  if (size > 0x7f800000U) return static_cast<std::uint16_t>(sign | 0x7e00U | (size >> 13 & 0x3ffU));  // NaN stays one
  if (size >= 0x477ff000U) return static_cast<std::uint16_t>(sign | 0x7c00U);                         // rounds beyond 65504
  if (size < 0x38800000U) {  // below the smallest normal one: adding 1/2 rounds at the right bit
    const float shifted = std::bit_cast<float>(size) + 0.5F;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3f000000U));
  }
  const std::uint32_t odd = size >> 13 & 1U;
  return static_cast<std::uint16_t>(sign | (size - 0x38000000U + 0xfffU + odd) >> 13);
}

}  // namespace tidepool::inline v0
