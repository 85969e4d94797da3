// How stages of chains in registers are written (chain.h), for each instruction set. Include it after simd-inl.h.
//
//     void square_stage(TIDEPOOL_STAGE) {
//       each_vector([](Pack x, std::size_t) HWY_ATTR -> Pack { return x * x; }, TIDEPOOL_STAGED);
//     }
#if defined(TIDEPOOL_STAGES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TIDEPOOL_STAGES_INL_H
#undef TIDEPOOL_STAGES_INL_H
#else
#define TIDEPOOL_STAGES_INL_H
#endif

#include "backend/cpu/chain.h"
#include "backend/cpu/simd-inl.h"

// The parameters of a stage and their names: itself, the places in memory for this group, and the group's vectors.
#undef TIDEPOOL_STAGE
#undef TIDEPOOL_STAGED
#define TIDEPOOL_STAGE                                                                                                                    \
  [[maybe_unused]] const Stage *stage, [[maybe_unused]] float *const *places, [[maybe_unused]] FloatVector v0,                            \
      [[maybe_unused]] FloatVector v1, [[maybe_unused]] FloatVector v2, [[maybe_unused]] FloatVector v3, [[maybe_unused]] FloatVector v4, \
      [[maybe_unused]] FloatVector v5, [[maybe_unused]] FloatVector v6, [[maybe_unused]] FloatVector v7
#define TIDEPOOL_STAGED stage, places, v0, v1, v2, v3, v4, v5, v6, v7

HWY_BEFORE_NAMESPACE();
namespace tidepool::inline v0 {
namespace HWY_NAMESPACE {

using StageFunction = void (*)(const Stage*, float* const*, FloatVector, FloatVector, FloatVector, FloatVector, FloatVector, FloatVector,
                               FloatVector, FloatVector);
static_assert(group_elements(HWY_TARGET == HWY_AVX3 ? avx512 : baseline) % (group_vectors * lanes) == 0);

HWY_INLINE void go_on(TIDEPOOL_STAGE) {
  ++stage;
  return reinterpret_cast<StageFunction>(stage->code)(TIDEPOOL_STAGED);
}

// Goes on with f(vector, where in the group it stands) of each.
template <class F>
HWY_INLINE void each_vector(const F& f, TIDEPOOL_STAGE) {
  return go_on(stage, places, f(v0, 0).v, f(v1, lanes).v, f(v2, 2 * lanes).v, f(v3, 3 * lanes).v, f(v4, 4 * lanes).v, f(v5, 5 * lanes).v,
               f(v6, 6 * lanes).v, f(v7, 7 * lanes).v);
}

}  // namespace HWY_NAMESPACE
}  // namespace tidepool::inline v0
HWY_AFTER_NAMESPACE();

#endif
