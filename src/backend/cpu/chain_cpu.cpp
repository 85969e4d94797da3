// What every chain in registers has besides its kernels' stages: coming from memory, going there, the end, and the loop over groups.
#define TIDEPOOL_SIMD_WIDE
#include "backend/cpu/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/chain_cpu.cpp"
#include <hwy/foreach_target.h>

#include "backend/cpu/chain_stages.h"
#include "backend/cpu/stages-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tidepool::inline v0 {
namespace HWY_NAMESPACE {
namespace {

void load_stage(TIDEPOOL_STAGE) {
  const float* from = places[stage->operands[0]];
  each_vector([from](Pack, std::size_t at) HWY_ATTR -> Pack { return load(from + at); }, TIDEPOOL_STAGED);
}

void store_stage(TIDEPOOL_STAGE) {
  float* to = places[stage->operands[0]];
  each_vector(
      [to](Pack x, std::size_t at) HWY_ATTR -> Pack {
        store(x, to + at);
        return x;
      },
      TIDEPOOL_STAGED);
}

void end_stage(TIDEPOOL_STAGE) {}

void run_groups(const GroupLoop& loop) {
  constexpr std::size_t group = group_vectors * lanes;
  const FloatVector zero = hn::Zero(FloatTag());
  for (std::size_t i = 0; i < loop.elements; i += group) {
    reinterpret_cast<StageFunction>(loop.stages->code)(loop.stages, loop.places, zero, zero, zero, zero, zero, zero, zero, zero);
    for (std::size_t k = 0; k < loop.moving; ++k) loop.places[k] += group;
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tidepool::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tidepool::inline v0 {
StageCode load_stage(int instructions) { return TIDEPOOL_VARIANT(StageCode, load_stage, instructions); }
StageCode store_stage(int instructions) { return TIDEPOOL_VARIANT(StageCode, store_stage, instructions); }
StageCode end_stage(int instructions) { return TIDEPOOL_VARIANT(StageCode, end_stage, instructions); }
void run_groups(const GroupLoop& loop) { TIDEPOOL_RUN(run_groups, loop); }
}  // namespace tidepool::inline v0
#endif
