#include "ops/index/index.h"

#include <tidepool/error.h>
#include <tidepool/ops.h>

#include "ops/layout/layout.h"
#include "ops/reduce/reduce.h"
#include "platform/cat.h"

#include <algorithm>
#include <limits>

namespace tidepool::inline v0 {

namespace {

using access::r, access::w, access::rw;
constexpr KernelDef gather_kernel{.name = "gather", .access = accesses({r, r, w, rw}), .bindings = 4, .cpu = index_cpu::gather};
constexpr KernelDef chains_kernel{.name = "index_chains", .access = accesses({r, w}), .bindings = 2, .cpu = index_cpu::chains};
constexpr KernelDef scatter_kernel{.name = "scatter", .access = accesses({r, r, r, rw}), .bindings = 4, .cpu = index_cpu::scatter};
constexpr KernelDef rows_kernel{.name = "embedding", .access = accesses({r, r, w, rw}), .bindings = 4, .cpu = index_cpu::rows};
constexpr KernelDef rows_scatter_kernel{
    .name = "embedding_grad", .access = accesses({r, r, r, rw}), .bindings = 4, .cpu = index_cpu::rows_scatter};
constexpr KernelDef one_hot_kernel{.name = "one_hot", .access = accesses({r, w, rw}), .bindings = 3, .cpu = index_cpu::one_hot};

struct GatherAttrs {
  std::int64_t axis;
};
struct ScatterAttrs {  // of the tensor that was gathered from
  std::int64_t axis;
  std::array<std::uint32_t, Shape::max_rank> sizes;
  std::int64_t rank;
  Shape shape() const {
    std::array<std::int64_t, Shape::max_rank> all{};
    std::copy(sizes.begin(), sizes.end(), all.begin());
    return Shape(std::span<const std::int64_t>(all.data(), static_cast<std::size_t>(rank)));
  }
};

void require_indices(const char* operation, const Node& index) {
  if (index.dtype != DType::i32) throw DTypeError(operation, cat("the index is ", index.dtype, "; wanted i32"));
}
void require_four_bytes(const char* operation, const Node& node) {
  if (size_of(node.dtype) != 4) throw DTypeError(operation, cat("got a tensor of type ", node.dtype, "; wanted f32 or i32"));
}

GatherParams gather_params(const char* operation, const Shape& x, const Shape& index, std::int64_t axis) {
  const Strides strides = strides_of(x);
  GatherParams p{.shifts = {},
                 .count = static_cast<std::uint32_t>(index.numel()),
                 .rank = static_cast<std::uint32_t>(index.rank()),
                 .step = static_cast<std::uint32_t>(strides[static_cast<std::size_t>(axis)]),
                 .limit = static_cast<std::uint32_t>(x[axis]),
                 .code = complaint_code(operation),
                 .size = {},
                 .stride = {},
                 .outer = to_count(product(index, 0, axis)),
                 .middle = to_count(index[axis]),
                 .inner = to_count(product(index, axis + 1, index.rank())),
                 .begin = 0,
                 .end = 0};
  for (std::int64_t i = 0; i < index.rank(); ++i) {
    p.size[i] = static_cast<std::uint32_t>(index[i]);
    p.stride[i] = i == axis ? 0U : static_cast<std::uint32_t>(strides[static_cast<std::size_t>(i)]);
  }
  return p;
}

void gather_rule(const OpCall& call, Node& out) {
  const Node &x = *call.in[0], &index = *call.in[1];
  const std::int64_t axis = call.attrs.as<GatherAttrs>().axis;
  require_indices("gather", index);
  require_four_bytes("gather", x);
  if (index.shape.rank() != x.shape.rank())
    throw ShapeError("gather", cat("the index ", index.shape, " and the tensor ", x.shape, " differ in rank"));
  for (std::int64_t i = 0; i < x.shape.rank(); ++i)
    if (i != axis && index.shape[i] > x.shape[i])
      throw ShapeError("gather", cat("the index ", index.shape, " is larger than the tensor ", x.shape, " in axis ", i));
  out.become("gather", index.shape, x.dtype);
}

RowsParams rows_params(const char* operation, const Shape& index, std::int64_t width, std::int64_t limit) {
  return {.shifts = {},
          .count = static_cast<std::uint32_t>(index.numel()),
          .width = static_cast<std::uint32_t>(width),
          .limit = static_cast<std::uint32_t>(limit),
          .code = complaint_code(operation),
          .outer = 1,
          .middle = static_cast<std::uint32_t>(index.numel()),
          .inner = 1,
          .begin = 0,
          .end = 0};
}

// Adds d to the elements or rows that the index names, stretch by stretch; each element of the index has `width` numbers in d.
template <class P>
void add_named(Stream& stream, const char* operation, const KernelDef& kernel, const Node& d, const Node& index, const Node& out, P p,
               std::uint32_t width) {
  const std::size_t bytes = std::size_t{p.outer} * std::min(p.middle, longest_stretch) * p.inner * sizeof(std::uint32_t);
  const Storage chains = stream.take(bytes, MemoryTag::scratch, operation);
  for (; p.end < p.middle; p.begin = p.end) {
    p.end += std::min(longest_stretch, p.middle - p.end);
    const ChainParams stretch{.shifts = {}, .outer = p.outer, .middle = p.middle, .inner = p.inner, .begin = p.begin, .end = p.end};
    const std::uint32_t elements = p.outer * (p.end - p.begin) * p.inner;
    stream.launch(chains_kernel, {read(index), scratch(chains, bytes, Access::write)}, stretch, {elements, 1, 1});
    stream.launch(kernel, {read(d), read(index), scratch(chains, bytes, Access::read), update(out)}, p, {elements * width, 1, 1});
  }
}

Shape with_last_axis(const char* operation, const Shape& shape, std::int64_t size) {
  if (shape.rank() == Shape::max_rank)
    throw ShapeError(operation,
                     cat("got ", shape, "; the result would have ", shape.rank() + 1, " axes; a tensor has at most ", Shape::max_rank));
  std::array<std::int64_t, Shape::max_rank> sizes{};
  *std::copy(shape.begin(), shape.end(), sizes.begin()) = size;
  return Shape(std::span<const std::int64_t>(sizes.data(), static_cast<std::size_t>(shape.rank() + 1)));
}

void embedding_rule(const OpCall& call, Node& out) {
  const Node &table = *call.in[0], &index = *call.in[1];
  require_indices("embedding", index);
  require_four_bytes("embedding", table);
  if (table.shape.rank() != 2)
    throw ShapeError("embedding", cat("the table is ", table.shape, "; wanted two axes, rows and their numbers"));
  out.become("embedding", with_last_axis("embedding", index.shape, table.shape[1]), table.dtype);
}

struct OneHotAttrs {
  std::int64_t classes;
};

}  // namespace

namespace ops {
namespace {

constexpr OpDef scatter{
    .name = "gather_grad",
    .rule = [](const OpCall& call, Node& out) { out.become("gather", call.attrs.as<ScatterAttrs>().shape(), DType::f32); },
    .run =
        [](const OpCall& call, Stream& stream, Node& out) {
          const Node& index = *call.in[1];
          launch_fill(stream, out, 0.0F);
          if (index.numel == 0) return;
          const GatherParams p = gather_params("gather", out.shape, index.shape, call.attrs.as<ScatterAttrs>().axis);
          add_named(stream, "gather", scatter_kernel, *call.in[0], index, out, p, 1);
        },
};

constexpr OpDef gather_as(const char* name) {  // which complaints give too
  return {.name = name,
          .rule = gather_rule,
          .run =
              [](const OpCall& call, Stream& stream, Node& out) {
                const Node &x = *call.in[0], &index = *call.in[1];
                const GatherParams p = gather_params(call.op.name, x.shape, index.shape, call.attrs.as<GatherAttrs>().axis);
                stream.launch(gather_kernel, {read(x), read(index), write(out), stream.complaints()}, p, {p.count, 1, 1});
              },
          .gradient = [](const Grad& g) -> Tensors {
            if (!g.needs(0)) return {};
            const Shape& x = g.shape(0);
            ScatterAttrs attrs{.axis = g.attrs<GatherAttrs>().axis, .sizes = {}, .rank = x.rank()};
            std::transform(x.begin(), x.end(), attrs.sizes.begin(), [](std::int64_t size) { return static_cast<std::uint32_t>(size); });
            const Tensor index = g.in(1);
            return {apply(ops::scatter, {&g.dout, &index}, attrs)};
          }};
}
constexpr OpDef gather = gather_as("gather"), cross_entropy_gather = gather_as("cross_entropy"), accuracy_gather = gather_as("accuracy");

constexpr OpDef embedding_grad{
    .name = "embedding_grad",
    .rule =
        [](const OpCall& call, Node& out) {
          out.become("embedding", {call.attrs.as<OneHotAttrs>().classes, call.in[0]->shape[-1]}, DType::f32);
        },
    .run =
        [](const OpCall& call, Stream& stream, Node& out) {
          const Node& index = *call.in[1];
          launch_fill(stream, out, 0.0F);
          if (index.numel == 0) return;
          const RowsParams p = rows_params("embedding", index.shape, out.shape[1], out.shape[0]);
          add_named(stream, "embedding", rows_scatter_kernel, *call.in[0], index, out, p, p.width);
        },
};

constexpr OpDef embedding{
    .name = "embedding",
    .rule = embedding_rule,
    .run =
        [](const OpCall& call, Stream& stream, Node& out) {
          const Node &table = *call.in[0], &index = *call.in[1];
          stream.launch(rows_kernel, {read(table), read(index), write(out), stream.complaints()},
                        rows_params("embedding", index.shape, table.shape[1], table.shape[0]),
                        {static_cast<std::uint32_t>(out.numel), 1, 1});
        },
    .gradient = [](const Grad& g) -> Tensors {
      if (!g.needs(0)) return {};
      const Tensor index = g.in(1);
      return {apply(ops::embedding_grad, {&g.dout, &index}, OneHotAttrs{g.shape(0)[0]})};
    },
};

constexpr OpDef one_hot{
    .name = "one_hot",
    .rule =
        [](const OpCall& call, Node& out) {
          require_indices("one_hot", *call.in[0]);
          out.become("one_hot", with_last_axis("one_hot", call.in[0]->shape, call.attrs.as<OneHotAttrs>().classes), DType::f32);
        },
    .run =
        [](const OpCall& call, Stream& stream, Node& out) {
          const std::int64_t classes = call.attrs.as<OneHotAttrs>().classes;
          stream.launch(one_hot_kernel, {read(*call.in[0]), write(out), stream.complaints()},
                        rows_params("one_hot", call.in[0]->shape, classes, classes), {static_cast<std::uint32_t>(out.numel), 1, 1});
        },
};

}  // namespace
}  // namespace ops

void register_index(Operations& all) { all.insert(all.end(), {&ops::gather, &ops::embedding, &ops::one_hot}); }

Tensor gather(const Tensor& a, std::int64_t axis, const Tensor& index) {
  const Shape& shape = usable("gather", a).shape;
  if (shape.rank() == 0) throw ShapeError("gather", "the tensor has rank 0 and so no axis");
  return apply(ops::gather, {&a, &index}, GatherAttrs{normal_axis("gather", axis, shape.rank())});
}

Tensor at_labels(LabelsOf operation, const Tensor& rows, const Tensor& labels) {
  const Tensor index = labels.reshape({labels.numel(), 1});
  return apply(operation == LabelsOf::cross_entropy ? ops::cross_entropy_gather : ops::accuracy_gather, {&rows, &index}, GatherAttrs{1});
}

Tensor embedding(const Tensor& table, const Tensor& index) { return apply(ops::embedding, {&table, &index}); }

Tensor one_hot(const Tensor& labels, std::int64_t classes) {
  if (classes < 1 || classes > std::numeric_limits<std::int32_t>::max())
    throw ArgumentError("one_hot", cat("got ", classes, " classes; wanted 1 or more"));
  return apply(ops::one_hot, {&labels}, OneHotAttrs{classes});
}

}  // namespace tidepool::inline v0
