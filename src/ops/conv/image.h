// What operations on images [n, c, h, w] share: how many windows fit, and the checks of their arguments.
//
//     const Window window{.kernel = 3, .stride = 1, .padding = 1, .dilation = 1};
//     const std::int64_t rows = windows_along("im2col", "height", 28, window);      // 28; throws where none fits
#pragma once

#include <tidepool/shape.h>

#include "core/checks.h"
#include "core/op.h"

#include <cstdint>

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

void require_image(const char* operation, const Node& x);

}  // namespace tidepool::inline v0
