#include "ops/layout/layout.h"

#include <tidepool/error.h>
#include <tidepool/grad.h>
#include <tidepool/ops.h>

#include "core/checks.h"
#include "core/tape.h"
#include "device/slot.h"
#include "ops/elementwise/elementwise.h"
#include "platform/cat.h"
#include "platform/environment.h"

#include <algorithm>
#include <limits>

namespace tidepool::inline v0 {

namespace {

struct FillAttrs {
  float value;
};
struct RowsAttrs {
  std::int64_t begin, end;
};

}  // namespace

namespace ops {
namespace {

constexpr OpDef clone{
    .name = "clone",
    .rule = [](const OpCall& call, Node& out) { out.become_like(*call.in[0]); },
    .run = [](const OpCall& call, Stream& stream, Node& out) { launch_copy(stream, *call.in[0], out); },
    .gradient = [](const Grad& g) -> Tensors { return {g.dout}; },
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
      const Tensor whole = zeros(g.shape(0), {.dtype = g.dout.dtype(), .device = g.dout.device()});
      copy_(whole.slice(rows.begin, rows.end), g.dout);
      return {whole};
    },
    .saves = Saves::nothing,
};

}  // namespace
}  // namespace ops

void register_layout(Operations& all) { all.insert(all.end(), {&ops::clone, &ops::reshape, &ops::slice}); }

Tensor Tensor::clone() const { return apply(ops::clone, {this}); }

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
    throw ShapeError("slice", cat("got rows [", begin, ", ", end, ") of ", node.shape, "; wanted 0 <= begin <= end <= ", rows));
  const std::size_t row_bytes = rows == 0 ? 0 : node.bytes() / static_cast<std::size_t>(rows);
  return apply_view(ops::slice, *this, shape_with(node.shape, 0, end - begin), static_cast<std::size_t>(begin) * row_bytes,
                    Attrs(RowsAttrs{begin, end}));
}

namespace {

void fill(const char* operation, const Tensor& tensor, float value) {
  if (const DType type = usable(operation, tensor).dtype; !holds(type, value)) {
    const auto [lowest, highest] = whole_numbers(type);
    throw ArgumentError(operation, cat("value is ", value, "; wanted ", lowest, " to ", highest, ", which ", type, " holds"));
  }
  apply_in_place(
      operation, {&tensor}, 1, nullptr,
      [](std::span<Node* const> nodes, Stream& stream, const Attrs& attrs) { launch_fill(stream, *nodes[0], attrs.as<FillAttrs>().value); },
      Attrs(FillAttrs{value}));
}

Tensor make_filled(const char* operation, const Shape& shape, float value, const TensorOptions& options) {
  Tensor made = allocate_tensor(operation, shape, options.dtype, options.device.slot());
  fill(operation, made, value);
  return made;
}

// For tensors of one shape and type: whether they are views of the very same numbers.
bool same_place(const Node& a, const Node& b) { return a.storage.block() == b.storage.block() && a.offset == b.offset; }

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
        if (nodes[0]->dtype != nodes[1]->dtype)
          throw DTypeError("copy_",
                           cat("types differ: ", nodes[0]->dtype, " from ", nodes[1]->dtype, "; convert the source with to(dtype)"));
        if (!(nodes[0]->shape == nodes[1]->shape))
          throw ShapeError("copy_", cat("shapes differ: ", nodes[0]->shape, " from ", nodes[1]->shape));
        if (!same_place(*nodes[0], *nodes[1]) && overlap(*nodes[0], *nodes[1]))  // kernels copy in any order
          throw ArgumentError("copy_", cat("destination ", nodes[0]->shape, " and source ", nodes[1]->shape,
                                           " overlap; copy from a clone() of the source"));
      },
      [](std::span<Node* const> nodes, Stream& stream, const Attrs&) {
        if (!same_place(*nodes[0], *nodes[1])) launch_copy(stream, *nodes[1], *nodes[0]);
      },
      Attrs{});
}

Tensor full(const Shape& shape, float value, const TensorOptions& options) { return make_filled("full", shape, value, options); }
Tensor zeros(const Shape& shape, const TensorOptions& options) { return make_filled("zeros", shape, 0.0F, options); }
Tensor ones(const Shape& shape, const TensorOptions& options) { return make_filled("ones", shape, 1.0F, options); }
Tensor zeros_like(const Tensor& like) {
  const Node& node = usable("zeros_like", like);
  return make_filled("zeros_like", node.shape, 0.0F, {.dtype = node.dtype, .device = Device(*node.slot)});
}

Tensor empty(const Shape& shape, const TensorOptions& options) {
  Tensor made = allocate_tensor("empty", shape, options.dtype, options.device.slot());
#ifdef NDEBUG
  static const bool poison = switched_on("TIDEPOOL_POISON");
#else
  constexpr bool poison = true;
#endif
  if (poison && (options.dtype == DType::f32 || options.dtype == DType::f16)) fill_(made, std::numeric_limits<float>::quiet_NaN());
  return made;
}

}  // namespace tidepool::inline v0
