// The types that a tensor's elements can have.
#pragma once

#include <tidepool/version.h>

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string_view>

namespace tidepool::inline v0 {

enum class DType : std::uint8_t { f32, f16, i32, u8 };

// Bytes of one element.
constexpr std::size_t size_of(DType type) { return type == DType::u8 ? 1 : type == DType::f16 ? 2 : 4; }
TIDEPOOL_API std::string_view name_of(DType type);  // "f32"
TIDEPOOL_API std::ostream& operator<<(std::ostream& out, DType type);

}  // namespace tidepool::inline v0
