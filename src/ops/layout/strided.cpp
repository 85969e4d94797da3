// Operations that move elements to other places: permute, broadcast_to, and everything that takes tensors apart and puts
// them together.
#include <tidepool/error.h>
#include <tidepool/ops.h>

#include "ops/elementwise/elementwise.h"
#include "ops/layout/layout.h"
#include "platform/cat.h"

#include <algorithm>
#include <numeric>

namespace tidepool::inline v0 {

namespace {

struct AxesAttrs {
  std::array<std::uint8_t, Shape::max_rank> axes;
};
struct PartAttrs {  // [begin, begin + size) of an axis; `whole` is the axis's own size
  std::int64_t axis, begin, size, whole;
};
struct AxisAttrs {
  std::int64_t axis;
};

Shape permuted(const Shape& shape, const AxesAttrs& attrs) {
  std::array<std::int64_t, Shape::max_rank> sizes{};
  for (std::size_t i = 0; i < static_cast<std::size_t>(shape.rank()); ++i) sizes[i] = shape[attrs.axes[i]];
  return Shape(std::span<const std::int64_t>(sizes.data(), static_cast<std::size_t>(shape.rank())));
}

void permute_run(const OpCall& call, Stream& stream, Node& out) {
  const auto attrs = call.attrs.as<AxesAttrs>();
  const Strides own = strides_of(call.in[0]->shape);
  Strides strides{};
  for (std::size_t i = 0; i < static_cast<std::size_t>(out.shape.rank()); ++i) strides[i] = own[static_cast<std::size_t>(attrs.axes[i])];
  launch_strided(stream, *call.in[0], out, {.moved = out.shape, .in_stride = strides, .out_stride = strides_of(out.shape)});
}

void broadcast_to_run(const OpCall& call, Stream& stream, Node& out) {
  const Shape& from = call.in[0]->shape;
  const Strides own = strides_of(from);
  Strides strides{};
  for (std::int64_t i = 1; i <= from.rank(); ++i)
    if (from[-i] != 1) strides[static_cast<std::size_t>(out.shape.rank() - i)] = own[static_cast<std::size_t>(from.rank() - i)];
  launch_strided(stream, *call.in[0], out, {.moved = out.shape, .in_stride = strides, .out_stride = strides_of(out.shape)});
}

void concat_rule(const OpCall& call, Node& out) {
  const std::int64_t axis = call.attrs.as<AxisAttrs>().axis;
  const Node& first = *call.in[0];
  std::int64_t size = 0;
  for (const Node* node : call.in) {
    if (node->dtype != first.dtype)
      throw DTypeError("concat", cat("types differ: ", first.dtype, " and ", node->dtype, "; convert one with to(dtype)"));
    if (node->shape.rank() != first.shape.rank() || !(shape_with(node->shape, axis, 0) == shape_with(first.shape, axis, 0)))
      throw ShapeError("concat", cat("shapes differ in more than axis ", axis, ": ", first.shape, " and ", node->shape));
    size += node->shape[axis];
  }
  out.become("concat", shape_with(first.shape, axis, size), first.dtype);
}

void concat_run(const OpCall& call, Stream& stream, Node& out) {
  const auto axis = static_cast<std::size_t>(call.attrs.as<AxisAttrs>().axis);
  const Strides strides = strides_of(out.shape);
  std::int64_t at = 0;
  for (const Node* node : call.in) {
    launch_strided(stream, *node, out,
                   {.moved = node->shape, .in_stride = strides_of(node->shape), .out_stride = strides, .out_offset = at * strides[axis]});
    at += node->shape[static_cast<std::int64_t>(axis)];
  }
}

void part_run(const OpCall& call, Stream& stream, Node& out) {
  const auto part = call.attrs.as<PartAttrs>();
  const Strides strides = strides_of(call.in[0]->shape);
  launch_strided(stream, *call.in[0], out,
                 {.moved = out.shape,
                  .in_stride = strides,
                  .out_stride = strides_of(out.shape),
                  .in_offset = part.begin * strides[static_cast<std::size_t>(part.axis)]});
}

// The part in its place, zeros around it.
void place_run(const OpCall& call, Stream& stream, Node& out) {
  const auto part = call.attrs.as<PartAttrs>();
  const Strides strides = strides_of(out.shape);
  launch_fill(stream, out, 0.0F);
  launch_strided(stream, *call.in[0], out,
                 {.moved = call.in[0]->shape,
                  .in_stride = strides_of(call.in[0]->shape),
                  .out_stride = strides,
                  .out_offset = part.begin * strides[static_cast<std::size_t>(part.axis)]});
}

}  // namespace

namespace ops {
namespace {

void permute_rule(const OpCall& call, Node& out) {
  out.become(call.op.name, permuted(call.in[0]->shape, call.attrs.as<AxesAttrs>()), call.in[0]->dtype);
}
Tensors permute_gradient(const Grad& g) {
  const auto axes = g.attrs<AxesAttrs>().axes;
  std::array<std::int64_t, Shape::max_rank> back{};
  const auto rank = static_cast<std::size_t>(g.dout.shape().rank());
  for (std::size_t i = 0; i < rank; ++i) back[static_cast<std::size_t>(axes[i])] = static_cast<std::int64_t>(i);
  return {tidepool::permute(g.dout, std::span<const std::int64_t>(back.data(), rank))};
}
constexpr OpDef permute{.name = "permute", .rule = permute_rule, .run = permute_run, .gradient = permute_gradient, .saves = Saves::nothing};
constexpr OpDef transpose{
    .name = "transpose", .rule = permute_rule, .run = permute_run, .gradient = permute_gradient, .saves = Saves::nothing};

constexpr OpDef broadcast_to{
    .name = "broadcast_to",
    .rule =
        [](const OpCall& call, Node& out) {
          const Shape &from = call.in[0]->shape, to = call.attrs.as<Shape>();
          if (from.rank() > to.rank() || !(broadcast_shape("broadcast_to", from, to) == to))
            throw ShapeError("broadcast_to", cat("cannot broadcast ", from, " to ", to));
          out.become("broadcast_to", to, call.in[0]->dtype);
        },
    .run = broadcast_to_run,
    .gradient = [](const Grad& g) -> Tensors { return {sum_to(g.dout, g.shape(0))}; },
    .saves = Saves::nothing,
};

// `part` and `place` are each other's gradient.
Tensors part_gradient(const Grad& g);
Tensors place_gradient(const Grad& g);
constexpr OpDef part{
    .name = "part",
    .rule =
        [](const OpCall& call, Node& out) {
          const auto attrs = call.attrs.as<PartAttrs>();
          out.become("part", shape_with(call.in[0]->shape, attrs.axis, attrs.size), call.in[0]->dtype);
        },
    .run = part_run,
    .gradient = part_gradient,
    .saves = Saves::nothing,
};
constexpr OpDef place{
    .name = "place",
    .rule =
        [](const OpCall& call, Node& out) {
          const auto attrs = call.attrs.as<PartAttrs>();
          out.become("place", shape_with(call.in[0]->shape, attrs.axis, attrs.whole), call.in[0]->dtype);
        },
    .run = place_run,
    .gradient = place_gradient,
    .saves = Saves::nothing,
};
Tensors part_gradient(const Grad& g) { return {apply(place, {&g.dout}, g.attrs<PartAttrs>())}; }
Tensors place_gradient(const Grad& g) { return {apply(part, {&g.dout}, g.attrs<PartAttrs>())}; }

constexpr OpDef concat{
    .name = "concat",
    .rule = concat_rule,
    .run = concat_run,
    .gradient = [](const Grad& g) -> Tensors {
      const std::int64_t axis = g.attrs<AxisAttrs>().axis, whole = g.dout.shape()[axis];
      Tensors gradients;
      std::int64_t at = 0;
      for (std::size_t i = 0; i < g.inputs(); ++i) {
        const std::int64_t size = g.shape(i)[axis];
        gradients.push_back(g.needs(i) ? apply(part, {&g.dout}, PartAttrs{axis, at, size, whole}) : Tensor());
        at += size;
      }
      return gradients;
    },
    .saves = Saves::nothing,
};

}  // namespace
}  // namespace ops

void register_strided(Operations& all) {
  all.insert(all.end(), {&ops::permute, &ops::transpose, &ops::broadcast_to, &ops::concat, &ops::part});
}

Tensor broadcast_to(const Tensor& a, const Shape& shape) { return apply(ops::broadcast_to, {&a}, shape); }

Tensor permute(const Tensor& a, std::span<const std::int64_t> axes) {
  const Shape& shape = usable("permute", a).shape;
  if (axes.size() != static_cast<std::size_t>(shape.rank()))
    throw ShapeError("permute", cat("got ", axes.size(), " axes for ", shape, "; wanted ", shape.rank()));
  AxesAttrs attrs{};
  unsigned seen = 0;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::int64_t axis = normal_axis("permute", axes[i], shape.rank());
    if (seen >> axis & 1U) throw ShapeError("permute", cat("axis ", axes[i], " is named twice"));
    seen |= 1U << axis;
    attrs.axes[i] = static_cast<std::uint8_t>(axis);
  }
  return apply(ops::permute, {&a}, attrs);
}
Tensor permute(const Tensor& a, std::initializer_list<std::int64_t> axes) { return permute(a, std::span(axes.begin(), axes.size())); }

Tensor transpose(const Tensor& a) {
  const Shape& shape = usable("transpose", a).shape;
  if (shape.rank() < 2) throw ShapeError("transpose", cat("got ", shape, "; wanted at least two axes"));
  AxesAttrs attrs{};
  std::iota(attrs.axes.begin(), attrs.axes.end(), std::uint8_t{0});
  const auto last = static_cast<std::size_t>(shape.rank() - 1);
  std::swap(attrs.axes[last], attrs.axes[last - 1]);
  return apply(ops::transpose, {&a}, attrs);
}

namespace {
void require_images(const char* operation, const Tensor& x) {
  const Shape& shape = usable(operation, x).shape;
  if (shape.rank() != 4) throw ShapeError(operation, cat("got ", shape, "; wanted four axes"));
}
}  // namespace
Tensor nchw_to_nhwc(const Tensor& x) {
  require_images("nchw_to_nhwc", x);
  return permute(x, {0, 2, 3, 1});
}
Tensor nhwc_to_nchw(const Tensor& x) {
  require_images("nhwc_to_nchw", x);
  return permute(x, {0, 3, 1, 2});
}

Tensor concat(std::span<const Tensor> tensors, std::int64_t axis) {
  constexpr std::size_t at_once = 64;  // as many as an operation takes
  if (tensors.empty()) throw ArgumentError("concat", "got no tensors; wanted at least one");
  const Shape& shape = usable("concat", tensors[0]).shape;
  if (shape.rank() == 0) throw ShapeError("concat", "got tensors of rank 0; stack() puts numbers together");
  const AxisAttrs attrs{normal_axis("concat", axis, shape.rank())};
  const auto join = [&attrs](std::span<const Tensor> run) {
    std::vector<const Tensor*> in;
    for (const Tensor& tensor : run) in.push_back(&tensor);
    return apply(ops::concat, in, Attrs(attrs));
  };
  // Many are joined run by run, and the results likewise, so that no number is copied more than a few times.
  std::vector<Tensor> runs;
  while (tensors.size() > at_once) {
    std::vector<Tensor> joined;
    for (std::size_t at = 0; at < tensors.size(); at += at_once)
      joined.push_back(join(tensors.subspan(at, std::min(at_once, tensors.size() - at))));
    runs = std::move(joined);
    tensors = runs;
  }
  return join(tensors);
}
Tensor concat(std::initializer_list<Tensor> tensors, std::int64_t axis) { return concat(std::span(tensors.begin(), tensors.size()), axis); }

Tensor stack(std::span<const Tensor> tensors, std::int64_t axis) {
  if (tensors.empty()) throw ArgumentError("stack", "got no tensors; wanted at least one");
  const Shape shape = usable("stack", tensors[0]).shape;
  if (shape.rank() == Shape::max_rank)
    throw ShapeError("stack",
                     cat("got ", shape, "; the result would have ", shape.rank() + 1, " axes; a tensor has at most ", Shape::max_rank));
  const std::int64_t at = normal_axis("stack", axis, shape.rank() + 1);
  std::array<std::int64_t, Shape::max_rank> sizes{};
  std::copy(shape.begin(), shape.begin() + at, sizes.begin());
  sizes[static_cast<std::size_t>(at)] = 1;
  std::copy(shape.begin() + at, shape.end(), sizes.begin() + at + 1);
  const Shape with_axis(std::span<const std::int64_t>(sizes.data(), static_cast<std::size_t>(shape.rank() + 1)));
  std::vector<Tensor> widened;
  for (const Tensor& tensor : tensors) {
    if (!(usable("stack", tensor).shape == shape)) throw ShapeError("stack", cat("shapes differ: ", shape, " and ", tensor.shape()));
    widened.push_back(tensor.reshape(with_axis));
  }
  return concat(widened, at);
}
Tensor stack(std::initializer_list<Tensor> tensors, std::int64_t axis) { return stack(std::span(tensors.begin(), tensors.size()), axis); }

std::vector<Tensor> split(const Tensor& a, std::int64_t parts, std::int64_t axis) {
  const Shape& shape = usable("split", a).shape;
  if (parts < 1) throw ArgumentError("split", cat("got ", parts, " parts; wanted 1 or more"));
  if (shape.rank() == 0) throw ShapeError("split", "the tensor has rank 0 and so no axis to split");
  const std::int64_t at = normal_axis("split", axis, shape.rank()), whole = shape[at];
  std::vector<Tensor> result;
  for (std::int64_t i = 0, begin = 0; i < parts; ++i) {
    const std::int64_t size = whole / parts + (i < whole % parts ? 1 : 0);
    result.push_back(at == 0 ? a.slice(begin, begin + size) : apply(ops::part, {&a}, PartAttrs{at, begin, size, whole}));
    begin += size;
  }
  return result;
}

}  // namespace tidepool::inline v0
