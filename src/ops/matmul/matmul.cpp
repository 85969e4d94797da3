#include "ops/matmul/matmul.h"

#include <tidepool/error.h>
#include <tidepool/ops.h>

#include "platform/cat.h"

#include <algorithm>

namespace tidepool::inline v0 {

namespace {

constexpr Access r = Access::read, w = Access::write, rw = Access::read_write;
constexpr KernelDef matmul_kernel{
    .name = "matmul", .access = accesses({r, r, w}), .bindings = 3, .cpu = matmul_cpu, .constants = {0}, .constant_count = 1};
constexpr KernelDef matmul_more_kernel{.name = "matmul_more",
                                       .access = accesses({r, r, rw}),
                                       .bindings = 3,
                                       .cpu = matmul_more_cpu,
                                       .shader = "matmul",
                                       .constants = {1},
                                       .constant_count = 1};

void matmul_rule(const OpCall& call, Node& out) {
  require_dtype(call, DType::f32);
  const Shape &a = call.in[0]->shape, &b = call.in[1]->shape;
  if (a.rank() != 2 || b.rank() != 2) throw ShapeError("matmul", cat("got ", a, " x ", b, "; wanted two matrices"));
  if (a[1] != b[0]) throw ShapeError("matmul", cat("inner sizes differ: ", a, " x ", b));
  out.become("matmul", {a[0], b[1]}, DType::f32);
}

void matmul_run(const OpCall& call, Stream& stream, Node& out) {
  const Node &a = *call.in[0], &b = *call.in[1];
  MatmulParams p{.shifts = {},
                 .m = static_cast<std::uint32_t>(out.shape[0]),
                 .n = static_cast<std::uint32_t>(out.shape[1]),
                 .k = static_cast<std::uint32_t>(a.shape[1]),
                 .first = 0,
                 .last = 0};
  const Extent extent{p.m * p.n, 1, 1};
  const auto longest = static_cast<std::uint32_t>(std::min<std::size_t>(stream.info().max_loop, p.k));
  p.last = longest;
  stream.launch(matmul_kernel, {read(a), read(b), write(out)}, p, extent);
  while (p.last < p.k) {
    p.first = p.last;
    p.last += std::min(longest, p.k - p.last);
    stream.launch(matmul_more_kernel, {read(a), read(b), update(out)}, p, extent);
  }
}

Tensors matmul_gradient(const Grad& g) {
  return {g.needs(0) ? matmul(g.dout, transpose(g.in(1))) : Tensor(), g.needs(1) ? matmul(transpose(g.in(0)), g.dout) : Tensor()};
}

}  // namespace

namespace ops {
namespace {
constexpr OpDef matmul{.name = "matmul", .rule = matmul_rule, .run = matmul_run, .gradient = matmul_gradient};
}  // namespace
}  // namespace ops

void register_matmul(Operations& all) { all.push_back(&ops::matmul); }

Tensor matmul(const Tensor& a, const Tensor& b) { return apply(ops::matmul, {&a, &b}); }

}  // namespace tidepool::inline v0
