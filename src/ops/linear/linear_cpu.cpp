#define TIDEPOOL_SIMD_WIDE
#include "backend/cpu/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/linear/linear_cpu.cpp"
#include <hwy/foreach_target.h>

#include "backend/cpu/simd-inl.h"
#include "backend/cpu/stages-inl.h"
#include "backend/cpu/team.h"
#include "ops/linear/activation-inl.h"
#include "ops/linear/linear.h"
#include "ops/matmul/product.h"

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace tidepool::inline v0 {
namespace HWY_NAMESPACE {
namespace {

constexpr std::size_t grain = 40960;  // elements that are worth a thread: with little to do for each, but other threads may have made some

void run_activation_bwd(const CpuCall& call) {
  const auto& p = call.params<ActivationParams>();
  const auto* y = call.buffer<const float>(0);
  const auto* dy = call.buffer<const float>(1);
  auto* dx = call.buffer<float>(2);
  call.team->run(p.count, grain, [&](std::size_t begin, std::size_t end) HWY_ATTR {
    with_activation(p.activation, [&](auto act) HWY_ATTR {
      std::size_t i = begin;
      for (; i + lanes <= end; i += lanes) store(activation_gradient(act, load(y + i), load(dy + i)), dx + i);
      const std::size_t rest = end - i;
      if (rest > 0) store_part(activation_gradient(act, load_part(y + i, rest), load_part(dy + i, rest)), dx + i, rest);
    });
  });
}

// With dy in registers.
void activation_bwd_stage(TIDEPOOL_STAGE) {
  const float* y = places[stage->operands[0]];
  with_activation(reinterpret_cast<const ActivationParams*>(stage->params)->activation, [&](auto act) HWY_ATTR {
    each_vector([&](Pack dy, std::size_t at) HWY_ATTR -> Pack { return activation_gradient(act, load(y + at), dy); }, TIDEPOOL_STAGED);
  });
}

constexpr std::size_t wide = 8;  // vectors side by side

// The rows are added up in blocks, and the blocks' sums again: a long batch loses less.
template <std::size_t vectors>
HWY_INLINE void sum_columns(const float* from, std::size_t rows, std::size_t columns, float* to, std::size_t part) {
  constexpr std::size_t block = 256;
  const auto load_some = [&](const float* at, std::size_t v) HWY_ATTR -> Pack {
    return v + 1 < vectors || part == lanes ? load(at + v * lanes) : load_part(at + v * lanes, part);
  };
  FloatVector totals[vectors];
  for (std::size_t v = 0; v < vectors; ++v) totals[v] = hn::Zero(FloatTag());
  for (std::size_t first = 0; first < rows; first += block) {
    FloatVector sums[vectors];
    for (std::size_t v = 0; v < vectors; ++v) sums[v] = hn::Zero(FloatTag());
    for (std::size_t row = first; row < std::min(rows, first + block); ++row)
      for (std::size_t v = 0; v < vectors; ++v) sums[v] = hn::Add(sums[v], load_some(from + row * columns, v).v);
    for (std::size_t v = 0; v < vectors; ++v) totals[v] = hn::Add(totals[v], sums[v]);
  }
  for (std::size_t v = 0; v < vectors; ++v)
    if (v + 1 < vectors || part == lanes)
      store(totals[v], to + v * lanes);
    else
      store_part(totals[v], to + v * lanes, part);
}

void run_column_sum(const CpuCall& call) {
  const auto& p = call.params<ColumnParams>();
  const auto* from = call.buffer<const float>(0);
  auto* to = call.buffer<float>(1);
  const std::size_t rows = p.rows, columns = p.columns;
  constexpr std::size_t unit = wide * lanes;
  call.team->run((columns + unit - 1) / unit, grain / (rows * unit + 1) + 1, [&](std::size_t begin, std::size_t end) HWY_ATTR {
    std::size_t j = begin * unit;
    const std::size_t last = std::min(columns, end * unit);
    for (; j + unit <= last; j += unit) sum_columns<wide>(from + j, rows, columns, to + j, lanes);
    for (; j < last; j += lanes) sum_columns<1>(from + j, rows, columns, to + j, std::min(lanes, last - j));
  });
}

void run_add_bias(const CpuCall& call) {
  const auto& p = call.params<ColumnParams>();
  const auto* x = call.buffer<const float>(0);
  const auto* b = call.buffer<const float>(1);
  auto* y = call.buffer<float>(2);
  const std::size_t columns = p.columns;
  call.team->run(p.rows, grain / (columns + 1) + 1, [&](std::size_t begin, std::size_t end) HWY_ATTR {
    for (std::size_t row = begin; row < end; ++row) {
      const std::size_t at = row * columns;
      std::size_t j = 0;
      for (; j + lanes <= columns; j += lanes) store(load(x + at + j) + load(b + j), y + at + j);
      const std::size_t rest = columns - j;
      if (rest > 0) store_part(load_part(x + at + j, rest) + load_part(b + j, rest), y + at + j, rest);
    }
  });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tidepool::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tidepool::inline v0 {

namespace {
void run_linear(const CpuCall& call, const float* bias, float* y) {
  const auto& p = call.params<LinearParams>();
  multiply(call, {.gemm = {.a = call.buffer<const float>(0),
                           .b = call.buffer<const float>(1),
                           .c = y,
                           .m = p.rows,
                           .n = p.outputs,
                           .k = p.inputs,
                           .transposed_b = true},
                  .bias = bias,
                  .activation = p.activation});
}
}  // namespace

void linear_cpu(const CpuCall& call) { run_linear(call, nullptr, call.buffer<float>(2)); }
void linear_bias_cpu(const CpuCall& call) { run_linear(call, call.buffer<const float>(2), call.buffer<float>(3)); }
void activation_bwd_cpu(const CpuCall& call) { TIDEPOOL_RUN(run_activation_bwd, call); }
Stages activation_bwd_stages(int instructions) {
  return {.with = {nullptr, TIDEPOOL_VARIANT(StageCode, activation_bwd_stage, instructions)}};
}
void column_sum_cpu(const CpuCall& call) { TIDEPOOL_RUN(run_column_sum, call); }
void add_bias_cpu(const CpuCall& call) { TIDEPOOL_RUN(run_add_bias, call); }

}  // namespace tidepool::inline v0
#endif
