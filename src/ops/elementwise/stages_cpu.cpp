// The tables' operations as stages of chains in registers. Long functions are called: once for each vector, that does not show.
#define TIDEPOOL_SIMD_CALLS
#define TIDEPOOL_SIMD_WIDE
#include "backend/cpu/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/elementwise/stages_cpu.cpp"
#include <hwy/foreach_target.h>

#include "backend/cpu/stages-inl.h"
#include "ops/elementwise/elementwise.h"
#include "ops/elementwise/params.h"
#include "ops/reduce/fold-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tidepool::inline v0 {
namespace HWY_NAMESPACE {
namespace {

struct Numbers {  // what the tables call p
  Pack a, b;
};
HWY_INLINE Numbers numbers_of(const std::byte* params) {
  const auto& p = *reinterpret_cast<const ElementwiseParams*>(params);
  return {p.a, p.b};
}

// What a sum gives after the stage, without leaving the loop.
template <class F>
HWY_INLINE float sum_of(const F& f, const float* from, std::size_t count) {
  Pack a = 0.0F, b = 0.0F, c = 0.0F, d = 0.0F;
  for (std::size_t i = 0; i < count; i += 4 * lanes) {
    a = a + f(load(from + i));
    b = b + f(load(from + i + lanes));
    c = c + f(load(from + i + 2 * lanes));
    d = d + f(load(from + i + 3 * lanes));
  }
  return join_lanes<Adding<float>>(((a + b) + (c + d)).v);
}

// Of two inputs, one is in registers and the other in memory.
template <class F>
HWY_INLINE void with_first(const F& f, TIDEPOOL_STAGE) {
  const float* y = places[stage->operands[0]];
  return each_vector([&](Pack x, std::size_t at) HWY_ATTR -> Pack { return f(x, load(y + at)); }, TIDEPOOL_STAGED);
}
template <class F>
HWY_INLINE void with_second(const F& f, TIDEPOOL_STAGE) {
  const float* x = places[stage->operands[0]];
  return each_vector([&](Pack y, std::size_t at) HWY_ATTR -> Pack { return f(load(x + at), y); }, TIDEPOOL_STAGED);
}
// Gradients have d in registers.
template <class F>
HWY_INLINE void with_d(const F& f, TIDEPOOL_STAGE) {
  const float *x = places[stage->operands[0]], *y = places[stage->operands[1]];
  return each_vector([&](Pack d, std::size_t at) HWY_ATTR -> Pack { return f(d, load(x + at), load(y + at)); }, TIDEPOOL_STAGED);
}

#define UNARY(name, f, df)                                                                                                  \
  void name##_stage(TIDEPOOL_STAGE) {                                                                                       \
    [[maybe_unused]] const Numbers p = numbers_of(stage->params);                                                           \
    each_vector([=](Pack x, std::size_t) HWY_ATTR -> Pack { return f; }, TIDEPOOL_STAGED);                                  \
  }                                                                                                                         \
  float name##_sum(const std::byte* params, const float* from, std::size_t count) {                                         \
    [[maybe_unused]] const Numbers p = numbers_of(params);                                                                  \
    return sum_of([=](Pack x) HWY_ATTR -> Pack { return f; }, from, count);                                                 \
  }                                                                                                                         \
  void name##_grad_stage(TIDEPOOL_STAGE) {                                                                                  \
    [[maybe_unused]] const Numbers p = numbers_of(stage->params);                                                           \
    with_d([=](Pack d, [[maybe_unused]] Pack x, [[maybe_unused]] Pack y) HWY_ATTR -> Pack { return df; }, TIDEPOOL_STAGED); \
  }
#include "ops/elementwise/unary.def"

#define BINARY(name, f, dfx, dfy)                                                                                           \
  void name##_stage(TIDEPOOL_STAGE) {                                                                                       \
    with_first([](Pack x, Pack y) HWY_ATTR -> Pack { return f; }, TIDEPOOL_STAGED);                                         \
  }                                                                                                                         \
  void name##_second_stage(TIDEPOOL_STAGE) {                                                                                \
    with_second([](Pack x, Pack y) HWY_ATTR -> Pack { return f; }, TIDEPOOL_STAGED);                                        \
  }                                                                                                                         \
  void name##_grad_x_stage(TIDEPOOL_STAGE) {                                                                                \
    with_d([](Pack d, [[maybe_unused]] Pack x, [[maybe_unused]] Pack y) HWY_ATTR -> Pack { return dfx; }, TIDEPOOL_STAGED); \
  }                                                                                                                         \
  void name##_grad_y_stage(TIDEPOOL_STAGE) {                                                                                \
    with_d([](Pack d, [[maybe_unused]] Pack x, [[maybe_unused]] Pack y) HWY_ATTR -> Pack { return dfy; }, TIDEPOOL_STAGED); \
  }
#include "ops/elementwise/binary.def"

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tidepool::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tidepool::inline v0 {
namespace elementwise_cpu {

#define STAGES(name, ...) \
  Stages name##_stages([[maybe_unused]] int instructions) { return {.with = {__VA_ARGS__}}; }
#define STAGE(name) TIDEPOOL_VARIANT(StageCode, name##_stage, instructions)

#define UNARY(name, f, df)                                                                                    \
  Stages name##_stages(int instructions) {                                                                    \
    return {.with = {STAGE(name)}, .sum = TIDEPOOL_VARIANT(decltype(Stages::sum), name##_sum, instructions)}; \
  }                                                                                                           \
  STAGES(name##_grad, STAGE(name##_grad))
#include "ops/elementwise/unary.def"

#define BINARY(name, f, dfx, dfy)                 \
  STAGES(name, STAGE(name), STAGE(name##_second)) \
  STAGES(name##_grad_x, STAGE(name##_grad_x))     \
  STAGES(name##_grad_y, STAGE(name##_grad_y))
#include "ops/elementwise/binary.def"

}  // namespace elementwise_cpu
}  // namespace tidepool::inline v0
#endif
