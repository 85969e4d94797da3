#include "ops/layout/layout.h"

#include <tidepool/error.h>
#include <tidepool/grad.h>
#include <tidepool/ops.h>

#include "core/tape.h"
#include "device/slot.h"
#include "ops/elementwise/elementwise.h"
#include "platform/cat.h"
#include "platform/environment.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace tidepool::inline v0 {

namespace {

constexpr Access r = Access::read, w = Access::write;
constexpr KernelDef fill_kernel{.name = "fill", .access = accesses({w}), .bindings = 1, .cpu = fill_cpu};
constexpr KernelDef copy_kernel{.name = "copy", .access = accesses({r, w}), .bindings = 2, .cpu = copy_cpu};
constexpr KernelDef strided_copy_kernel{.name = "strided_copy", .access = accesses({r, w}), .bindings = 2, .cpu = strided_copy_cpu};

Extent per_element(const Node& node) { return {static_cast<std::uint32_t>(node.numel), 1, 1}; }

void require_four_bytes(const char* operation, DType type) {
  if (size_of(type) != 4) throw DTypeError(operation, cat("got a tensor of type ", type, "; wanted f32 or i32"));
}

std::uint32_t bits_of(float value, DType type) {
  return type == DType::f32 ? std::bit_cast<std::uint32_t>(value) : std::bit_cast<std::uint32_t>(static_cast<std::int32_t>(value));
}

void launch_fill(Stream& stream, const Node& node, float value) {
  FillParams p{.shifts = {}, .count = static_cast<std::uint32_t>(node.numel), .bits = bits_of(value, node.dtype)};
  stream.launch(fill_kernel, {write(node)}, p, per_element(node));
}

void launch_copy(Stream& stream, const Node& from, const Node& to) {
  FillParams p{.shifts = {}, .count = static_cast<std::uint32_t>(to.numel), .bits = 0};
  stream.launch(copy_kernel, {read(from), write(to)}, p, per_element(to));
}

void launch_strided(Stream& stream, const Node& from, const Node& to, const std::array<std::int64_t, Shape::max_rank>& strides) {
  GatherParams p{.shifts = {}, .count = static_cast<std::uint32_t>(to.numel), .rank = 0, .size = {}, .stride = {}};
  for (std::int64_t axis = 0; axis < to.shape.rank(); ++axis) {
    if (to.shape[axis] == 1) continue;
    const auto size = static_cast<std::uint32_t>(to.shape[axis]),
               stride = static_cast<std::uint32_t>(strides[static_cast<std::size_t>(axis)]);
    if (p.rank > 0 && p.stride[p.rank - 1] == size * stride) {  // runs on from the axis before: one axis
      p.size[p.rank - 1] *= size;
      p.stride[p.rank - 1] = stride;
    } else {
      p.size[p.rank] = size;
      p.stride[p.rank++] = stride;
    }
  }
  if (p.rank == 0) {
    p.size[0] = 1;
    p.rank = 1;
  }
  stream.launch(strided_copy_kernel, {read(from), write(to)}, p, per_element(to));
}

// Elements from one index of an axis to the next.
std::array<std::int64_t, Shape::max_rank> strides_of(const Shape& shape) {
  std::array<std::int64_t, Shape::max_rank> strides{};
  std::int64_t step = 1;
  for (std::int64_t axis = shape.rank(); axis-- > 0; step *= shape[axis]) strides[static_cast<std::size_t>(axis)] = step;
  return strides;
}

struct FillAttrs {
  float value;
};
struct RowsAttrs {
  std::int64_t begin, end;
};

Shape shape_with(const Shape& shape, std::int64_t axis, std::int64_t size) {
  std::array<std::int64_t, Shape::max_rank> sizes{};
  std::copy(shape.begin(), shape.end(), sizes.begin());
  sizes[static_cast<std::size_t>(axis)] = size;
  return Shape(std::span<const std::int64_t>(sizes.data(), static_cast<std::size_t>(shape.rank())));
}

}  // namespace

namespace ops {
namespace {

constexpr OpDef clone{
    .name = "clone",
    .rule =
        [](const OpCall& call, Node& out) {
          require_four_bytes("clone", call.in[0]->dtype);
          out.become_like(*call.in[0]);
        },
    .run = [](const OpCall& call, Stream& stream, Node& out) { launch_copy(stream, *call.in[0], out); },
    .gradient = [](const Grad& g) -> Tensors { return {g.dout}; },
    .saves = Saves::nothing,
};

constexpr OpDef transpose{
    .name = "transpose",
    .rule =
        [](const OpCall& call, Node& out) {
          const Shape& shape = call.in[0]->shape;
          require_four_bytes("transpose", call.in[0]->dtype);
          if (shape.rank() < 2) throw ShapeError("transpose", cat("got ", shape, "; wanted at least two axes"));
          out.become("transpose", shape_with(shape_with(shape, shape.rank() - 1, shape[-2]), shape.rank() - 2, shape[-1]),
                     call.in[0]->dtype);
        },
    .run =
        [](const OpCall& call, Stream& stream, Node& out) {
          auto strides = strides_of(call.in[0]->shape);
          const auto last = static_cast<std::size_t>(out.shape.rank() - 1);
          std::swap(strides[last], strides[last - 1]);
          launch_strided(stream, *call.in[0], out, strides);
        },
    .gradient = [](const Grad& g) -> Tensors { return {tidepool::transpose(g.dout)}; },
    .saves = Saves::nothing,
};

constexpr OpDef broadcast_to{
    .name = "broadcast_to",
    .rule =
        [](const OpCall& call, Node& out) {
          const Shape &from = call.in[0]->shape, to = call.attrs.as<Shape>();
          require_four_bytes("broadcast_to", call.in[0]->dtype);
          if (from.rank() > to.rank() || !(broadcast_shape("broadcast_to", from, to) == to))
            throw ShapeError("broadcast_to", cat("cannot broadcast ", from, " to ", to));
          out.become("broadcast_to", to, call.in[0]->dtype);
        },
    .run =
        [](const OpCall& call, Stream& stream, Node& out) {
          const Shape& from = call.in[0]->shape;
          const auto own = strides_of(from);
          std::array<std::int64_t, Shape::max_rank> strides{};
          for (std::int64_t i = 1; i <= from.rank(); ++i)
            if (from[-i] != 1) strides[static_cast<std::size_t>(out.shape.rank() - i)] = own[static_cast<std::size_t>(from.rank() - i)];
          launch_strided(stream, *call.in[0], out, strides);
        },
    .gradient = [](const Grad& g) -> Tensors { return {sum_to(g.dout, g.shape(0))}; },
    .saves = Saves::nothing,
};

// Views launch nothing.
constexpr OpDef reshape{
    .name = "reshape",
    .gradient = [](const Grad& g) -> Tensors { return {g.dout.reshape(g.shape(0))}; },
    .saves = Saves::nothing,
};

constexpr OpDef slice{
    .name = "slice",
    .gradient = [](const Grad& g) -> Tensors {
      const auto rows = g.attrs<RowsAttrs>();
      const Tensor whole = zeros(g.shape(0), {.dtype = DType::f32, .device = g.dout.device()});
      copy_(whole.slice(rows.begin, rows.end), g.dout);
      return {whole};
    },
    .saves = Saves::nothing,
};

}  // namespace
}  // namespace ops

void register_layout(Operations& all) {
  all.insert(all.end(), {&ops::clone, &ops::transpose, &ops::broadcast_to, &ops::reshape, &ops::slice});
}

Tensor Tensor::clone() const { return apply(ops::clone, {this}); }
Tensor transpose(const Tensor& a) { return apply(ops::transpose, {&a}); }
Tensor broadcast_to(const Tensor& a, const Shape& shape) { return apply(ops::broadcast_to, {&a}, shape); }

Tensor Tensor::reshape(const Shape& wanted) const {
  const Node& node = usable("reshape", *this);
  std::int64_t unknown = -1;
  for (std::int64_t axis = 0; axis < wanted.rank(); ++axis)
    if (wanted[axis] == -1 && unknown < 0)
      unknown = axis;
    else if (wanted[axis] < 0)
      throw ShapeError("reshape", cat("got ", wanted, "; one size may be -1, the others must be 0 or more"));
  const std::int64_t known = checked_numel("reshape", unknown < 0 ? wanted : shape_with(wanted, unknown, 1));
  if (unknown < 0 ? known != node.numel : known == 0 || node.numel % known != 0)
    throw ShapeError("reshape", cat("cannot make ", wanted, " of ", node.shape, ", which has ", node.numel, " elements"));
  const Shape shape = unknown < 0 ? wanted : shape_with(wanted, unknown, node.numel / known);
  return apply_view(ops::reshape, *this, shape, 0, Attrs{});
}

Tensor Tensor::flatten(std::int64_t from_axis) const {
  const Shape& own = usable("flatten", *this).shape;
  if (own.rank() == 0) return reshape({1});
  const std::int64_t first = normal_axis("flatten", from_axis, own.rank());
  const std::int64_t rest = Shape(std::span(own.begin() + first, own.end())).numel();
  std::array<std::int64_t, Shape::max_rank> sizes{};
  std::copy_n(own.begin(), first, sizes.begin());
  sizes[static_cast<std::size_t>(first)] = rest;
  return reshape(Shape(std::span<const std::int64_t>(sizes.data(), static_cast<std::size_t>(first + 1))));
}

Tensor Tensor::slice(std::int64_t begin, std::int64_t end) const {
  const Node& node = usable("slice", *this);
  if (node.shape.rank() == 0) throw ShapeError("slice", "the tensor has rank 0 and so no rows");
  const std::int64_t rows = node.shape[0];
  if (begin < 0 || end < begin || end > rows)
    throw ShapeError("slice", cat("rows [", begin, ", ", end, ") of ", node.shape, ", which has ", rows));
  const std::size_t row_bytes = rows == 0 ? 0 : node.bytes() / static_cast<std::size_t>(rows);
  return apply_view(ops::slice, *this, shape_with(node.shape, 0, end - begin), static_cast<std::size_t>(begin) * row_bytes,
                    Attrs(RowsAttrs{begin, end}));
}

namespace {

void fill(const char* operation, const Tensor& tensor, float value) {
  require_four_bytes(operation, usable(operation, tensor).dtype);
  apply_in_place(
      operation, {&tensor}, 1, [](std::span<Node* const>) {},
      [](std::span<Node* const> nodes, Stream& stream, const Attrs& attrs) { launch_fill(stream, *nodes[0], attrs.as<FillAttrs>().value); },
      Attrs(FillAttrs{value}));
}

Tensor make_filled(const char* operation, const Shape& shape, float value, const TensorOptions& options) {
  require_four_bytes(operation, options.dtype);
  Tensor made = allocate_tensor(operation, shape, options.dtype, options.device.slot());
  fill(operation, made, value);
  return made;
}

}  // namespace

void fill_(const Tensor& tensor, float value) { fill("fill_", tensor, value); }

void zero_(const Tensor& tensor) {
  const NoGrad guard;  // a gradient or a parameter may always be cleared
  fill("zero_", tensor, 0.0F);
}

void copy_(const Tensor& destination, const Tensor& source) {
  apply_in_place(
      "copy_", {&destination, &source}, 1,
      [](std::span<Node* const> nodes) {
        require_four_bytes("copy_", nodes[0]->dtype);
        if (nodes[0]->dtype != nodes[1]->dtype)
          throw DTypeError("copy_", cat("types differ: ", nodes[0]->dtype, " from ", nodes[1]->dtype));
        if (!(nodes[0]->shape == nodes[1]->shape))
          throw ShapeError("copy_", cat("shapes differ: ", nodes[0]->shape, " from ", nodes[1]->shape));
      },
      [](std::span<Node* const> nodes, Stream& stream, const Attrs&) {
        if (nodes[0]->storage.block() == nodes[1]->storage.block() && nodes[0]->offset == nodes[1]->offset) return;
        launch_copy(stream, *nodes[1], *nodes[0]);
      },
      Attrs{});
}

Tensor full(const Shape& shape, float value, const TensorOptions& options) { return make_filled("full", shape, value, options); }
Tensor zeros(const Shape& shape, const TensorOptions& options) { return make_filled("zeros", shape, 0.0F, options); }
Tensor ones(const Shape& shape, const TensorOptions& options) { return make_filled("ones", shape, 1.0F, options); }
Tensor zeros_like(const Tensor& like) {
  const Node& node = usable("zeros_like", like);
  return make_filled("zeros_like", node.shape, 0.0F, {.dtype = node.dtype, .device = Device(node.slot)});
}

Tensor empty(const Shape& shape, const TensorOptions& options) {
  Tensor made = allocate_tensor("empty", shape, options.dtype, options.device.slot());
#ifdef NDEBUG
  static const bool poison = environment("TIDEPOOL_POISON") == "1";
#else
  constexpr bool poison = true;
#endif
  if (poison && options.dtype == DType::f32) fill_(made, std::numeric_limits<float>::quiet_NaN());
  return made;
}

}  // namespace tidepool::inline v0
