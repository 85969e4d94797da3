#include "ops/pool/pool.h"

#include <tidepool/error.h>
#include <tidepool/grad.h>
#include <tidepool/ops.h>
#include <tidepool/raw.h>

#include "ops/conv/image.h"
#include "platform/cat.h"

#include <algorithm>

namespace tidepool::inline v0 {

namespace {

using access::r, access::rw;
constexpr KernelDef max_unpool_kernel{.name = "max_unpool2d", .access = accesses({r, r, rw, rw}), .bindings = 4, .cpu = max_unpool2d_cpu};

Window window_of(const char* operation, const PoolOptions& options) {
  require_option(operation, "stride", options.stride, 0);
  const Window window{
      .kernel = options.kernel, .stride = options.stride == 0 ? options.kernel : options.stride, .padding = options.padding, .dilation = 1};
  require_window(operation, window);
  if (window.padding > window.kernel / 2)
    throw ArgumentError(operation, cat("padding is ", window.padding, "; wanted at most half of the kernel, which is ", window.kernel));
  return window;
}

Shape pooled_shape(const char* operation, const Node& x, const PoolOptions& options) {
  require_image(operation, x);
  if (x.shape[2] < 1 || x.shape[3] < 1) throw ShapeError(operation, cat("got ", x.shape, "; wanted images that have elements"));
  const Window window = window_of(operation, options);
  return {x.shape[0], x.shape[1], windows_along(operation, "height", x.shape[2], window),
          windows_along(operation, "width", x.shape[3], window)};
}

struct MaxAttrs {
  PoolOptions options;
  bool relu;
};

PoolParams params_of(const Shape& x, const Shape& y, const PoolOptions& options, bool relu = false) {
  return {.shifts = {},
          .planes = to_count(x[0] * x[1]),
          .h = to_count(x[2]),
          .w = to_count(x[3]),
          .oh = to_count(y[2]),
          .ow = to_count(y[3]),
          .kernel = to_count(options.kernel),
          .stride = to_count(options.stride == 0 ? options.kernel : options.stride),
          .padding = to_count(options.padding),
          .relu = relu ? 1U : 0U,
          .channels = to_count(x[1])};
}

void pool_rule(const OpCall& call, Node& out) {  // both kinds of attributes begin with the options
  const Node& x = *call.in[0];
  out.become(call.op.name, pooled_shape(call.op.name, x, call.attrs.as<PoolOptions>()), DType::f32);
}

void max_run(const OpCall& call, Stream& stream, Node& out) {
  const Node& x = *call.in[0];
  const auto [options, relu] = call.attrs.as<MaxAttrs>();
  launch_max_pool(stream, x, out, params_of(x.shape, out.shape, options, relu));
}

void avg_run(const OpCall& call, Stream& stream, Node& out) {
  const Node& x = *call.in[0];
  launch_avg_pool(stream, x, out, params_of(x.shape, out.shape, call.attrs.as<PoolOptions>()));
}

// The operations that gradients are made of; the image's shape is known, the rest was checked by the forward.
struct GradAttrs {
  PoolOptions options;
  std::int64_t h, w;
};
Shape image_of(const Node& dy, const GradAttrs& attrs) { return {dy.shape[0], dy.shape[1], attrs.h, attrs.w}; }

constexpr OpDef max_pool2d_grad{
    .name = "max_pool2d_grad",
    .rule = [](const OpCall& call, Node& out) { out.become_like(*call.in[0]); },
    .run =
        [](const OpCall& call, Stream& stream, Node& out) {
          const Node &x = *call.in[0], &dy = *call.in[1];
          const auto [options, relu] = call.attrs.as<MaxAttrs>();
          launch_max_grad(stream, x, dy, out, params_of(x.shape, dy.shape, options, relu));
        },
};

constexpr OpDef avg_pool2d_grad{
    .name = "avg_pool2d_grad",
    .rule = [](const OpCall& call,
               Node& out) { out.become("avg_pool2d_grad", image_of(*call.in[0], call.attrs.as<GradAttrs>()), DType::f32); },
    .run =
        [](const OpCall& call, Stream& stream, Node& out) {
          const Node& dy = *call.in[0];
          launch_avg_grad(stream, dy, out, params_of(out.shape, dy.shape, call.attrs.as<GradAttrs>().options));
        },
};

}  // namespace

namespace ops {
namespace {

constexpr OpDef max_pool2d{
    .name = "max_pool2d",
    .rule = pool_rule,
    .run = max_run,
    // Looking for the largest again costs less than indices that every forward would write.
    .gradient = [](const Grad& g) -> Tensors {
      const Tensor x = g.in(0);
      return {apply(max_pool2d_grad, {&x, &g.dout}, g.attrs<MaxAttrs>())};
    },
    .saves = Saves::inputs,
};

constexpr OpDef avg_pool2d{
    .name = "avg_pool2d",
    .rule = pool_rule,
    .run = avg_run,
    .gradient = [](const Grad& g) -> Tensors {
      return {apply(avg_pool2d_grad, {&g.dout}, GradAttrs{g.attrs<PoolOptions>(), g.shape(0)[2], g.shape(0)[3]})};
    },
    .saves = Saves::nothing,
};

}  // namespace
}  // namespace ops

void register_pool(Operations& all) { all.insert(all.end(), {&ops::max_pool2d, &ops::avg_pool2d}); }

Tensor max_pool2d(const Tensor& x, const PoolOptions& options) { return apply(ops::max_pool2d, {&x}, MaxAttrs{options, false}); }
Tensor max_pool2d_relu(const Tensor& x, const PoolOptions& options) { return apply(ops::max_pool2d, {&x}, MaxAttrs{options, true}); }
Tensor avg_pool2d(const Tensor& x, const PoolOptions& options) { return apply(ops::avg_pool2d, {&x}, options); }

Tensor global_avg_pool2d(const Tensor& x) {
  const Node& node = usable("global_avg_pool2d", x);
  require_image("global_avg_pool2d", node);
  checked_numel("global_avg_pool2d", {node.shape[0], node.shape[1]});
  return mean(x, {2, 3}, true);
}

namespace raw {

void maxpool2d_fwd(const Tensor& x, const PoolOptions& options, const Tensor& y, const Tensor& indices) {
  constexpr const char* name = "maxpool2d_fwd";
  const Node &from = usable(name, x), &to = usable(name, y), &places = usable(name, indices);
  const Shape wanted = pooled_shape(name, from, options);
  require_type(name, "y", to, DType::f32);
  require_type(name, "indices", places, DType::i32);
  require_shape(name, "y", to, wanted);
  require_shape(name, "indices", places, wanted);
  require_apart(name, "y", to, {&from, &places});
  require_apart(name, "indices", places, {&from});
  const NoGrad guard;
  apply_in_place(
      name, {&y, &indices, &x}, 2, nullptr,
      [](std::span<Node* const> nodes, Stream& stream, const Attrs& attrs) {
        const PoolParams p = params_of(nodes[2]->shape, nodes[0]->shape, attrs.as<PoolOptions>());
        launch_max_indices(stream, "maxpool2d_fwd", read(*nodes[2]), write(*nodes[0]), write(*nodes[1]), p);
      },
      Attrs(options));
}

void maxpool2d_bwd(const Tensor& dy, const Tensor& indices, const Tensor& dx) {
  constexpr const char* name = "maxpool2d_bwd";
  const Node &from = usable(name, dy), &places = usable(name, indices), &to = usable(name, dx);
  require_image(name, from);
  require_image(name, to);
  require_type(name, "indices", places, DType::i32);
  require_shape(name, "indices", places, from.shape);
  if (from.shape[0] != to.shape[0] || from.shape[1] != to.shape[1])
    throw ShapeError(name, cat("dy has shape ", from.shape, " and dx ", to.shape, "; wanted the same images and channels"));
  require_apart(name, "dx", to, {&from, &places});
  const NoGrad guard;
  apply_in_place(
      name, {&dx, &dy, &indices}, 1, nullptr,
      [](std::span<Node* const> nodes, Stream& stream, const Attrs&) {
        const Shape &image = nodes[0]->shape, &pooled = nodes[1]->shape;
        UnpoolParams p{.shifts = {},
                       .planes = to_count(image[0] * image[1]),
                       .inputs = to_count(image[2] * image[3]),
                       .outputs = to_count(pooled[2] * pooled[3]),
                       .begin = 0,
                       .end = 0,
                       .complaint = complaint_code("maxpool2d_bwd")};
        const auto longest = static_cast<std::uint32_t>(std::min<std::size_t>(stream.info().max_loop, p.outputs));
        do {  // at least once: dx is overwritten in any case
          p.end = p.begin + std::min(longest, p.outputs - p.begin);
          stream.launch(max_unpool_kernel, {read(*nodes[1]), read(*nodes[2]), update(*nodes[0]), stream.complaints()}, p,
                        per_element(*nodes[0]));
          p.begin = p.end;
        } while (p.begin < p.outputs);
      },
      Attrs{});
}

}  // namespace raw
}  // namespace tidepool::inline v0
