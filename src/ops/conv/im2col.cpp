// im2col and col2im, each of which is the other's gradient.
#include <tidepool/error.h>
#include <tidepool/grad.h>
#include <tidepool/ops.h>
#include <tidepool/raw.h>

#include "ops/conv/conv_ops.h"
#include "ops/conv/image.h"
#include "platform/cat.h"

namespace tidepool::inline v0 {

namespace {

using access::r, access::w;
constexpr KernelDef im2col_kernel{.name = "im2col", .access = accesses({r, w}), .bindings = 2, .cpu = im2col_cpu};
constexpr KernelDef col2im_kernel{.name = "col2im", .access = accesses({r, w}), .bindings = 2, .cpu = col2im_cpu};

// Of an image of this shape; checks both.
ConvParams columns_of(const char* operation, const Shape& x, const Im2colOptions& options) {
  const Window window{.kernel = options.kernel, .stride = options.stride, .padding = options.padding, .dilation = options.dilation};
  require_window(operation, window);
  require_sizes(operation, x);
  require_plane(operation, x[2], x[3]);
  return {.shifts = {},
          .n = to_count(x[0]),
          .c = to_count(x[1]),
          .h = to_count(x[2]),
          .w = to_count(x[3]),
          .o = 0,
          .oh = to_count(windows_along(operation, "height", x[2], window)),
          .ow = to_count(windows_along(operation, "width", x[3], window)),
          .kh = to_count(window.kernel),
          .kw = to_count(window.kernel),
          .stride = to_count(window.stride),
          .padding = to_count(window.padding),
          .dilation = to_count(window.dilation),
          .groups = 1,
          .activation = 0};
}

Shape column_shape(const char* operation, const ConvParams& p) {
  const Shape windows{p.oh, p.ow}, rows{p.c, p.kh, p.kw};
  return {std::int64_t{p.n}, checked_numel(operation, rows), checked_numel(operation, windows)};
}

struct FoldAttrs {
  Im2colOptions options;
  std::int64_t n, c, h, w;
  Shape image() const { return {n, c, h, w}; }
};

// Columns that fit an image of this shape.
ConvParams fold_params(const char* operation, const Node& columns, const Shape& image, const Im2colOptions& options) {
  require_type(operation, "columns", columns, DType::f32);
  const ConvParams p = columns_of(operation, image, options);
  if (!(columns.shape == column_shape(operation, p)))
    throw ShapeError(operation, cat("got columns ", columns.shape, "; an image ", image, " has ", column_shape(operation, p)));
  return p;
}

}  // namespace

namespace ops {
namespace {

constexpr OpDef im2col{
    .name = "im2col",
    .rule =
        [](const OpCall& call, Node& out) {
          const Node& x = *call.in[0];
          require_image("im2col", x);
          out.become("im2col", column_shape("im2col", columns_of("im2col", x.shape, call.attrs.as<Im2colOptions>())), DType::f32);
        },
    .run =
        [](const OpCall& call, Stream& stream, Node& out) {
          const Node& x = *call.in[0];
          stream.launch(im2col_kernel, {read(x), write(out)}, columns_of("im2col", x.shape, call.attrs.as<Im2colOptions>()),
                        per_element(out));
        },
    .gradient = [](const Grad& g) -> Tensors { return {tidepool::col2im(g.dout, g.shape(0), g.attrs<Im2colOptions>())}; },
    .saves = Saves::nothing,
};

constexpr OpDef col2im{
    .name = "col2im",
    .rule =
        [](const OpCall& call, Node& out) {
          const auto attrs = call.attrs.as<FoldAttrs>();
          fold_params("col2im", *call.in[0], attrs.image(), attrs.options);
          out.become("col2im", attrs.image(), DType::f32);
        },
    .run =
        [](const OpCall& call, Stream& stream, Node& out) {
          const auto attrs = call.attrs.as<FoldAttrs>();
          stream.launch(col2im_kernel, {read(*call.in[0]), write(out)}, columns_of("col2im", out.shape, attrs.options), per_element(out));
        },
    .gradient = [](const Grad& g) -> Tensors { return {tidepool::im2col(g.dout, g.attrs<FoldAttrs>().options)}; },
    .saves = Saves::nothing,
};

}  // namespace
}  // namespace ops

void register_columns(Operations& all) { all.insert(all.end(), {&ops::im2col, &ops::col2im}); }

Tensor im2col(const Tensor& x, const Im2colOptions& options) { return apply(ops::im2col, {&x}, options); }

Tensor col2im(const Tensor& columns, const Shape& image_shape, const Im2colOptions& options) {
  if (image_shape.rank() != 4) throw ShapeError("col2im", cat("the image has shape ", image_shape, "; wanted [n, c, h, w]"));
  checked_numel("col2im", image_shape);
  return apply(ops::col2im, {&columns}, FoldAttrs{options, image_shape[0], image_shape[1], image_shape[2], image_shape[3]});
}

namespace raw {

void im2col(const Tensor& x, const Im2colOptions& options, const Tensor& columns) {
  const Node &from = usable("im2col", x), &to = usable("im2col", columns);
  require_image("im2col", from);
  const ConvParams p = fold_params("im2col", to, from.shape, options);
  require_apart("im2col", "columns", to, {&from});
  const NoGrad guard;
  apply_in_place(
      "im2col", {&columns, &x}, 1, nullptr,
      [](std::span<Node* const> nodes, Stream& stream, const Attrs& attrs) {
        stream.launch(im2col_kernel, {read(*nodes[1]), write(*nodes[0])}, attrs.as<ConvParams>(), per_element(*nodes[0]));
      },
      Attrs(p));
}

void col2im(const Tensor& columns, const Im2colOptions& options, const Tensor& x) {
  const Node &from = usable("col2im", columns), &to = usable("col2im", x);
  require_image("col2im", to);
  const ConvParams p = fold_params("col2im", from, to.shape, options);
  require_apart("col2im", "x", to, {&from});
  const NoGrad guard;
  apply_in_place(
      "col2im", {&x, &columns}, 1, nullptr,
      [](std::span<Node* const> nodes, Stream& stream, const Attrs& attrs) {
        stream.launch(col2im_kernel, {read(*nodes[1]), write(*nodes[0])}, attrs.as<ConvParams>(), per_element(*nodes[0]));
      },
      Attrs(p));
}

}  // namespace raw
}  // namespace tidepool::inline v0
