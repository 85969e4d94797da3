// Largest and smallest, sums of whole numbers; var and norm. Sums of floats are in sum_cpu.cpp.
#include "backend/cpu/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/reduce/reduce_cpu.cpp"
#include <hwy/foreach_target.h>

#include "ops/reduce/fold-inl.h"
#include "ops/reduce/middle-inl.h"

#include <cmath>

HWY_BEFORE_NAMESPACE();
namespace tidepool::inline v0 {
namespace HWY_NAMESPACE {
namespace {

template <class Source>
void run_moment(const CpuCall& call, const Source& source, float* out) {
  const auto& p = call.params<FoldParams>();
  fold<Adding<float>>(call, p.cut(), source, out, [&](float value) { return p.root ? std::sqrt(value) : value / p.divisor; });
}

void run_fold_sum(const CpuCall& call) { run_moment(call, Plain<float>{call.buffer<const float>(0)}, call.buffer<float>(1)); }
void run_fold_squares(const CpuCall& call) { run_moment(call, Squares{call.buffer<const float>(0)}, call.buffer<float>(1)); }
void run_fold_deviations(const CpuCall& call) {
  run_moment(call, Deviations{call.buffer<const float>(0), call.buffer<const float>(1)}, call.buffer<float>(2));
}

void run_var_grad(const CpuCall& call) {
  const Pack scale = call.params<MiddleParams>().scale;
  each_with_lines(call, [&](Pack x, Pack mean, Pack d) HWY_ATTR -> Pack { return scale * d * (x - mean); });
}
void run_norm_grad(const CpuCall& call) {
  each_with_lines(call, [](Pack x, Pack y, Pack d) HWY_ATTR -> Pack { return select(y == 0.0F, 0.0F, x * (d / y)); });
}
void run_all_ties(const CpuCall& call) {
  each_with_lines(call, [](Pack x, Pack y, Pack d) HWY_ATTR -> Pack { return select(same(x, y), d, 0.0F); });
}

void run_sum_i32(const CpuCall& call) { run_fold<Adding<std::int32_t>>(call); }
void run_max(const CpuCall& call) { run_fold<Extremum<float, true>>(call); }
void run_max_i32(const CpuCall& call) { run_fold<Extremum<std::int32_t, true>>(call); }
void run_min(const CpuCall& call) { run_fold<Extremum<float, false>>(call); }
void run_min_i32(const CpuCall& call) { run_fold<Extremum<std::int32_t, false>>(call); }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tidepool::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tidepool::inline v0::reduce_cpu {
void sum_i32(const CpuCall& call) { TIDEPOOL_RUN(run_sum_i32, call); }
void max(const CpuCall& call) { TIDEPOOL_RUN(run_max, call); }
void max_i32(const CpuCall& call) { TIDEPOOL_RUN(run_max_i32, call); }
void min(const CpuCall& call) { TIDEPOOL_RUN(run_min, call); }
void min_i32(const CpuCall& call) { TIDEPOOL_RUN(run_min_i32, call); }
void fold_sum(const CpuCall& call) { TIDEPOOL_RUN(run_fold_sum, call); }
void fold_squares(const CpuCall& call) { TIDEPOOL_RUN(run_fold_squares, call); }
void fold_deviations(const CpuCall& call) { TIDEPOOL_RUN(run_fold_deviations, call); }
void var_grad(const CpuCall& call) { TIDEPOOL_RUN(run_var_grad, call); }
void norm_grad(const CpuCall& call) { TIDEPOOL_RUN(run_norm_grad, call); }
void all_ties(const CpuCall& call) { TIDEPOOL_RUN(run_all_ties, call); }
}  // namespace tidepool::inline v0::reduce_cpu
#endif
