// Sums of floats, by themselves and at the end of chains in registers.
#define TIDEPOOL_SIMD_WIDE
#include "backend/cpu/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/reduce/sum_cpu.cpp"
#include <hwy/foreach_target.h>

#include "backend/cpu/stages-inl.h"
#include "ops/reduce/fold-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tidepool::inline v0 {
namespace HWY_NAMESPACE {
namespace {

void run_sum(const CpuCall& call) { run_fold<Adding<float>>(call); }

// The sum of stretches as the end of a chain in registers, in fold_stretch's order: four sums side by side.
void sum_stage(TIDEPOOL_STAGE) {
  float* sums = places[stage->operands[0]];
  store(load(sums) + v0 + v4, sums);
  store(load(sums + lanes) + v1 + v5, sums + lanes);
  store(load(sums + 2 * lanes) + v2 + v6, sums + 2 * lanes);
  store(load(sums + 3 * lanes) + v3 + v7, sums + 3 * lanes);
  go_on(TIDEPOOL_STAGED);
}
float close_sums(float* sums) {
  const Pack all = (load(sums) + load(sums + lanes)) + (load(sums + 2 * lanes) + load(sums + 3 * lanes));
  for (std::size_t i = 0; i < 4; ++i) store(0.0F, sums + i * lanes);
  return join_lanes<Adding<float>>(all.v);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tidepool::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tidepool::inline v0::reduce_cpu {
void sum(const CpuCall& call) { TIDEPOOL_RUN(run_sum, call); }
Stages sum_stages(int instructions) {
  return {.with = {TIDEPOOL_VARIANT(StageCode, sum_stage, instructions)},
          .close = TIDEPOOL_VARIANT(float (*)(float*), close_sums, instructions)};
}
}  // namespace tidepool::inline v0::reduce_cpu
#endif
