// What operations on images [n, c, h, w] share: how many windows fit, and the checks of their arguments.
//
//     const Window window{.kernel = 3, .stride = 1, .padding = 1, .dilation = 1};
//     const std::int64_t rows = windows_along("im2col", "height", 28, window);      // 28; throws where none fits
#pragma once

#include <tidepool/shape.h>

#include "core/node.h"

#include <cstdint>
#include <initializer_list>

namespace tidepool::inline v0 {

struct Window {  // along one axis
  std::int64_t kernel = 1, stride = 1, padding = 0, dilation = 1;
};

// Throws ArgumentError unless low <= value; what is not a 32-bit number is also refused.
void require_option(const char* operation, const char* name, std::int64_t value, std::int64_t low);
void require_window(const char* operation, const Window& window);
// For a window that is right; ShapeError when the padded size is smaller than the window.
std::int64_t windows_along(const char* operation, const char* axis, std::int64_t size, const Window& window);
// Kernels count along an axis, and within a plane, with 32 bits and a sign.
void require_padded(const char* operation, const char* axis, std::int64_t padded);
void require_sizes(const char* operation, const Shape& shape);
void require_plane(const char* operation, std::int64_t h, std::int64_t w);

// Checks of tensors. A function with the output's name as `name` says "y has shape ...".
void require_image(const char* operation, const Node& x);
void require_type(const char* operation, const Node& node, DType wanted);
void require_shape(const char* operation, const char* name, const Node& node, const Shape& wanted);
// An output that is written into shares no memory with what is read.
void require_apart(const char* operation, const Node& output, std::initializer_list<const Node*> others);

inline std::uint32_t to_count(std::int64_t value) { return static_cast<std::uint32_t>(value); }
inline Extent per_element(const Node& node) { return {to_count(node.numel), 1, 1}; }

}  // namespace tidepool::inline v0
