// The reduce family. A reduction is over the middle of [outer, middle, inner]; long ones are done in parts, so that the
// order of additions is fixed whatever runs them.
#pragma once

#include "core/op.h"

#include <algorithm>

namespace tidepool::inline v0 {

struct ReduceParams {
  Shifts shifts;
  std::uint32_t outer, middle, inner;
  std::uint32_t parts;     // the middle is cut into so many,
  std::uint32_t per_part;  // each so long but the last
};
static_assert(Params<ReduceParams>);

// A sum and what is done to it at the end.
struct FoldParams {
  Shifts shifts;
  std::uint32_t outer, middle, inner, parts, per_part;
  float divisor;       // 1 where the sum stays as it is
  std::uint32_t root;  // 1: the square root of it

  FoldParams(const ReduceParams& p, float divisor, bool root)
      : shifts(p.shifts),
        outer(p.outer),
        middle(p.middle),
        inner(p.inner),
        parts(p.parts),
        per_part(p.per_part),
        divisor(divisor),
        root(root ? 1 : 0) {}
  ReduceParams cut() const {
    return {.shifts = shifts, .outer = outer, .middle = middle, .inner = inner, .parts = parts, .per_part = per_part};
  }
};
static_assert(Params<FoldParams>);

// Work on every element of [outer, middle, inner], with values that stay along the middle.
struct MiddleParams {
  Shifts shifts;
  std::uint32_t outer, middle, inner;
  float scale;
};
static_assert(Params<MiddleParams>);

constexpr std::uint32_t longest_part = 1024;

// Shaders go over short lines with a work item for each, and over long ones with a workgroup for each (together.glsl).
struct LineKernels {
  KernelDef alone, together;
  const KernelDef& of(std::uint32_t length) const { return length > longest_part ? together : alone; }
};
constexpr LineKernels line_kernels(const char* name, std::initializer_list<Access> access, void (*cpu)(const CpuCall&)) {
  const auto kernel = [&](std::uint32_t together) -> KernelDef {
    return {.name = name,
            .access = accesses(access),
            .bindings = static_cast<std::uint8_t>(access.size()),
            .cpu = cpu,
            .covers = together,
            .constants = {together},
            .constant_count = 1};
  };
  return {kernel(0), kernel(1)};
}

// Lines that the lanes of a workgroup can go over three times where a driver cuts loops short; longer ones are done in parts there
// (docs/decisions/2026-11-16-loops-that-a-driver-cuts.md).
constexpr std::uint32_t longest_line = 1U << 20;
inline bool is_too_long(const Stream& stream, std::int64_t line) {
  return line > longest_line && stream.info().max_loop < static_cast<std::size_t>(line);
}
inline bool is_too_long(const Node& node, std::int64_t line) {
  return line > longest_line && node.numel >= line && is_too_long(*node.storage->owner->stream, line);
}

std::int64_t product(const Shape& shape, std::int64_t first, std::int64_t last);
// A shape seen as [outer, middle, inner], where axes [first, last) are the middle.
ReduceParams cut_at(const Shape& shape, std::int64_t first, std::int64_t last);
MiddleParams middle_of(const Shape& shape, std::int64_t first, std::int64_t last, float scale = 1);

// Cuts the middle into parts until one is left: launch(from, to, p, is_first) for each stage. What lies between stands in
// scratch memory of floats or of whole numbers.
template <class LaunchStage>
void in_parts(Stream& stream, const char* operation, const Operand& in, const Operand& out, ReduceParams p, LaunchStage&& launch) {
  Operand from = in;
  Storage held;
  bool is_first = true;
  for (; p.middle > p.per_part; is_first = false) {
    p.parts = p.middle / p.per_part + (p.middle % p.per_part != 0 ? 1 : 0);
    const std::size_t bytes = std::size_t{p.outer} * p.parts * p.inner * sizeof(float);
    Storage partial = stream.take(bytes, MemoryTag::scratch, operation);
    launch(from, scratch(partial, bytes, Access::write), p, is_first);
    from = scratch(partial, bytes, Access::read);
    held = std::move(partial);
    p.middle = p.parts;
  }
  p.parts = 1;
  launch(from, out, p, is_first);
}

// The sum over a set of axes, which stay with size 1.
Tensor sum_keeping(const Tensor& a, unsigned axis_bits);
// The sum of floats over the middle, for the scratch memory of other operations too.
void launch_sum(Stream& stream, const char* operation, const Operand& in, const Operand& out, const ReduceParams& p);

inline Extent per_result(const ReduceParams& p) { return {p.outer * p.parts * p.inner, 1, 1}; }

// A sum of floats in parts, of which the last is divided or its root taken. first(from, to, params) launches the first stage.
void launch_fold_sum(Stream& stream, const Operand& from, const Operand& to, const FoldParams& params);
template <class First>
void fold_in_parts(Stream& stream, const char* operation, const Operand& in, const Operand& out, const ReduceParams& p, float divisor,
                   bool root, First&& first) {
  in_parts(stream, operation, in, out, p, [&](const Operand& from, const Operand& to, const ReduceParams& stage, bool is_first) {
    const bool is_last = stage.parts == 1;
    const FoldParams params(stage, is_last ? divisor : 1.0F, is_last && root);
    if (is_first)
      first(from, to, params);
    else
      launch_fold_sum(stream, from, to, params);
  });
}

namespace reduce_cpu {
// out[o, part, i] = fold over the part of in[o, m, i]
void sum(const CpuCall& call);
Stages sum_stages(int instructions);
void sum_i32(const CpuCall& call);
void max(const CpuCall& call);
void max_i32(const CpuCall& call);
void min(const CpuCall& call);
void min_i32(const CpuCall& call);
void argmax(const CpuCall& call);
void argmax_i32(const CpuCall& call);
// x, y, d, out: out = d where x is y, else 0; y and d stay along the middle. NaN is NaN here.
void all_ties(const CpuCall& call);
void first_tie(const CpuCall& call);  // only at the first of them
// With FoldParams.
void fold_sum(const CpuCall& call);
void fold_squares(const CpuCall& call);
void fold_deviations(const CpuCall& call);  // x, mean, out
void var_grad(const CpuCall& call);         // x, mean, d, out
void norm_grad(const CpuCall& call);        // x, y, d, out
}  // namespace reduce_cpu

void register_reduce(Operations& all);
void register_extrema(Operations& all);
void register_moments(Operations& all);

}  // namespace tidepool::inline v0
