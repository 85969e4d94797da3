// Flights on the CPU: sixteen at a time in a thread (with AVX2), so that one vector computes while the other waits for its root.
#include "backend/cpu/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cli/trajectories/fly_cpu.cpp"
#include <hwy/foreach_target.h>

#include "backend/cpu/simd-inl.h"
#include "cli/trajectories/fly.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>

HWY_BEFORE_NAMESPACE();
namespace tidepool::cli {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
namespace simd = tidepool::HWY_NAMESPACE;
using simd::Pack;

// Two vectors as one number.
struct Real {
  Pack first, second;
  Real(Pack a, Pack b) : first(a), second(b) {}
  Real(float value) : first(value), second(value) {}  // NOLINT(google-explicit-constructor): `p.drag * speed`
};
struct Truth {
  simd::Truth first, second;
};

HWY_INLINE Real number(double value) { return static_cast<float>(value); }
HWY_INLINE Real operator+(Real a, Real b) { return {a.first + b.first, a.second + b.second}; }
HWY_INLINE Real operator-(Real a, Real b) { return {a.first - b.first, a.second - b.second}; }
HWY_INLINE Real operator*(Real a, Real b) { return {a.first * b.first, a.second * b.second}; }
HWY_INLINE Real operator/(Real a, Real b) { return {a.first / b.first, a.second / b.second}; }
HWY_INLINE Real operator-(Real a) { return {-a.first, -a.second}; }
HWY_INLINE Truth operator>(Real a, Real b) { return {a.first > b.first, a.second > b.second}; }
HWY_INLINE Truth operator<(Real a, Real b) { return {a.first < b.first, a.second < b.second}; }
HWY_INLINE Truth operator>=(Real a, Real b) { return {a.first >= b.first, a.second >= b.second}; }
HWY_INLINE Truth operator<=(Real a, Real b) { return {a.first <= b.first, a.second <= b.second}; }
HWY_INLINE Truth operator&&(Truth a, Truth b) { return {{hn::And(a.first.m, b.first.m)}, {hn::And(a.second.m, b.second.m)}}; }
HWY_INLINE Truth operator||(Truth a, Truth b) { return {{hn::Or(a.first.m, b.first.m)}, {hn::Or(a.second.m, b.second.m)}}; }
HWY_INLINE Truth operator!(Truth a) { return {{hn::Not(a.first.m)}, {hn::Not(a.second.m)}}; }
HWY_INLINE Real select(Truth t, Real a, Real b) {
  return {simd::select(t.first, a.first, b.first), simd::select(t.second, a.second, b.second)};
}
HWY_INLINE bool some(Truth t) { return !hn::AllFalse(simd::FloatTag(), hn::Or(t.first.m, t.second.m)); }
HWY_INLINE Real abs(Real a) { return {simd::abs(a.first), simd::abs(a.second)}; }
HWY_INLINE Real sqrt(Real a) { return {simd::sqrt(a.first), simd::sqrt(a.second)}; }
HWY_INLINE Real exp(Real a) { return {simd::exp(a.first), simd::exp(a.second)}; }
HWY_INLINE Real log(Real a) { return {simd::log(a.first), simd::log(a.second)}; }

#define FUNCTION HWY_INLINE
#define APART HWY_NOINLINE
#include "cli/trajectories/flight.glsl"
#undef FUNCTION
#undef APART

constexpr std::size_t width = 2 * simd::lanes;  // flights at a time
constexpr std::size_t most_together = 1024;     // and those that are put in order, so that they land about when their neighbours do

HWY_INLINE Real load(const float* from) { return {simd::load(from), simd::load(from + simd::lanes)}; }
HWY_INLINE void store(Real value, float* to) {
  simd::store(value.first, to);
  simd::store(value.second, to + simd::lanes);
}

template <bool adaptive>
void fly_some(const FlightParams& p, const float* launches, float* outcomes, std::size_t begin, std::size_t count) {
  const auto row = static_cast<std::size_t>(p.row);
  std::array<std::uint32_t, most_together> order;
  std::array<float, most_together> climb;
  for (std::size_t i = 0; i < count; ++i)
    climb[i] = launches[launch_speed * row + begin + i] * launches[launch_elevation * row + begin + i];
  std::iota(order.begin(), order.begin() + count, 0U);
  std::sort(order.begin(), order.begin() + count, [&](std::uint32_t a, std::uint32_t b) { return climb[a] < climb[b]; });
  for (std::size_t i = 0; i < count; i += width) {
    HWY_ALIGN float in[launch_rows][width], out[outcome_rows][width];
    const auto place = [&](std::size_t lane) { return begin + order[std::min(i + lane, count - 1)]; };  // the last one fills up
    for (std::size_t r = 0; r < launch_rows; ++r)
      for (std::size_t lane = 0; lane < width; ++lane) in[r][lane] = launches[r * row + place(lane)];
    const Launch launch(load(in[launch_speed]), load(in[launch_elevation]), load(in[launch_azimuth]), load(in[launch_spin]),
                        load(in[launch_tilt]));
    const Outcome outcome = fly(p, launch, adaptive);
    store(outcome.x, out[outcome_x]);
    store(outcome.y, out[outcome_y]);
    store(outcome.time, out[outcome_time]);
    store(outcome.apex, out[outcome_apex]);
    store(outcome.speed, out[outcome_speed]);
    store(outcome.steps, out[outcome_steps]);
    for (std::size_t r = 0; r < outcome_rows; ++r)
      for (std::size_t lane = 0; lane < width && i + lane < count; ++lane) outcomes[r * row + place(lane)] = out[r][lane];
  }
}

template <bool adaptive>
void fly_all(KernelCall& call) {
  const auto& p = call.params<FlightParams>();
  const float* launches = call.buffer<float>(0);
  float* outcomes = call.buffer<float>(1);
  call.parallel(
      [&](std::int64_t begin, std::int64_t end) {
        for (auto at = static_cast<std::size_t>(begin); at < static_cast<std::size_t>(end); at += most_together)
          fly_some<adaptive>(p, launches, outcomes, static_cast<std::size_t>(p.first) + at,
                             std::min(most_together, static_cast<std::size_t>(end) - at));
      },
      most_together);
}

}  // namespace

void run_fixed(KernelCall& call) { fly_all<false>(call); }
void run_adaptive(KernelCall& call) { fly_all<true>(call); }

}  // namespace HWY_NAMESPACE
}  // namespace tidepool::cli
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tidepool::cli {

namespace {

struct Chosen {  // as TIDEPOOL_RUN wants a call
  KernelCall& call;
  int instructions = best_instructions();
  operator KernelCall&() const { return call; }  // NOLINT(google-explicit-constructor)
};

}  // namespace

void fly_fixed(KernelCall& call) {
  const Chosen chosen{call};
  TIDEPOOL_RUN(run_fixed, chosen);
}
void fly_adaptive(KernelCall& call) {
  const Chosen chosen{call};
  TIDEPOOL_RUN(run_adaptive, chosen);
}

}  // namespace tidepool::cli
#endif
