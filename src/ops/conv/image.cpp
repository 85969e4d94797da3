#include "ops/conv/image.h"

#include <tidepool/error.h>

#include "platform/cat.h"

#include <limits>

namespace tidepool::inline v0 {

namespace {
constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
}  // namespace

void require_option(const char* operation, const char* name, std::int64_t value, std::int64_t low) {
  if (value < low) throw ArgumentError(operation, cat(name, " is ", value, "; wanted ", low, " or more"));
  if (value > most) throw ArgumentError(operation, cat(name, " is ", value, "; wanted at most ", most));
}

void require_window(const char* operation, const Window& window) {
  require_option(operation, "kernel", window.kernel, 1);
  require_option(operation, "stride", window.stride, 1);
  require_option(operation, "padding", window.padding, 0);
  require_option(operation, "dilation", window.dilation, 1);
}

void require_padded(const char* operation, const char* axis, std::int64_t padded) {
  if (padded > most) throw ShapeError(operation, cat("the ", axis, " with its padding is ", padded, "; wanted at most ", most));
}

void require_sizes(const char* operation, const Shape& shape) {
  for (const std::int64_t size : shape)
    if (size > most) throw ShapeError(operation, cat("got ", shape, "; wanted sizes of at most ", most));
}

void require_plane(const char* operation, std::int64_t h, std::int64_t w) {
  if (h > 0 && w > most / h) throw ShapeError(operation, cat("got planes of ", h, " x ", w, "; wanted at most ", most, " elements"));
}

std::int64_t windows_along(const char* operation, const char* axis, std::int64_t size, const Window& window) {
  const std::int64_t covered = window.dilation * (window.kernel - 1) + 1, padded = size + 2 * window.padding;
  if (padded < covered)
    throw ShapeError(operation, cat("a window covers ", covered, " elements of the ", axis, ", which has ", size, " and a padding of ",
                                    window.padding, " on each side"));
  require_padded(operation, axis, padded);
  return (padded - covered) / window.stride + 1;
}

void require_image(const char* operation, const Node& x) {
  require_type(operation, "the image", x, DType::f32);
  if (x.shape.rank() != 4) throw ShapeError(operation, cat("got ", x.shape, "; wanted an image [n, c, h, w]"));
  require_sizes(operation, x.shape);
  require_plane(operation, x.shape[2], x.shape[3]);
}

}  // namespace tidepool::inline v0
