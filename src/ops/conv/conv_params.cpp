#include <tidepool/error.h>

#include "ops/conv/conv_ops.h"
#include "ops/conv/image.h"
#include "platform/cat.h"

namespace tidepool::inline v0 {

ConvParams conv_params(const char* operation, const Shape& x, const Shape& w, const Conv2dOptions& options) {
  require_option(operation, "stride", options.stride, 1);
  require_option(operation, "padding", options.padding, 0);
  require_option(operation, "dilation", options.dilation, 1);
  require_option(operation, "groups", options.groups, 1);
  if (x.rank() != 4 || w.rank() != 4)
    throw ShapeError(operation, cat("got images ", x, " and weights ", w, "; wanted [n, c, h, w] and [out, c / groups, kh, kw]"));
  require_sizes(operation, x);
  require_sizes(operation, w);
  if (x[1] % options.groups != 0 || w[0] % options.groups != 0 || w[1] != x[1] / options.groups)
    throw ShapeError(operation,
                     cat("images ", x, " do not fit weights ", w, " in ", options.groups, " groups; wanted [out, c / groups, kh, kw]"));
  if (w[2] < 1 || w[3] < 1) throw ShapeError(operation, cat("weights ", w, " have an empty window"));
  require_plane(operation, x[2], x[3]);
  const auto window = [&](std::int64_t kernel) {
    return Window{.kernel = kernel, .stride = options.stride, .padding = options.padding, .dilation = options.dilation};
  };
  return {.shifts = {},
          .n = to_count(x[0]),
          .c = to_count(x[1]),
          .h = to_count(x[2]),
          .w = to_count(x[3]),
          .o = to_count(w[0]),
          .oh = to_count(windows_along(operation, "height", x[2], window(w[2]))),
          .ow = to_count(windows_along(operation, "width", x[3], window(w[3]))),
          .kh = to_count(w[2]),
          .kw = to_count(w[3]),
          .stride = to_count(options.stride),
          .padding = to_count(options.padding),
          .dilation = to_count(options.dilation),
          .groups = to_count(options.groups),
          .activation = static_cast<std::uint32_t>(options.activation)};
}

}  // namespace tidepool::inline v0
