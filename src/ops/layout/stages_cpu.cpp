// Copying and filling as stages of chains in registers.
#define TIDEPOOL_SIMD_WIDE
#include "backend/cpu/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/layout/stages_cpu.cpp"
#include <hwy/foreach_target.h>

#include "backend/cpu/stages-inl.h"
#include "ops/layout/layout.h"

#include <bit>

HWY_BEFORE_NAMESPACE();
namespace tidepool::inline v0 {
namespace HWY_NAMESPACE {
namespace {

void copy_stage(TIDEPOOL_STAGE) { go_on(TIDEPOOL_STAGED); }  // the chain loads and stores

void fill_stage(TIDEPOOL_STAGE) {
  const Pack value = std::bit_cast<float>(reinterpret_cast<const FillParams*>(stage->params)->bits);
  each_vector([value](Pack, std::size_t) HWY_ATTR -> Pack { return value; }, TIDEPOOL_STAGED);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tidepool::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tidepool::inline v0::layout_cpu {
Stages copy_stages(int instructions) { return {.with = {TIDEPOOL_VARIANT(StageCode, copy_stage, instructions)}}; }
Stages fill_stages(int instructions) { return {.with = {TIDEPOOL_VARIANT(StageCode, fill_stage, instructions)}}; }
}  // namespace tidepool::inline v0::layout_cpu
#endif
