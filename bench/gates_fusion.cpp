// What plans make of elementwise work, against the same fused by hand: one loop over memory, with as many threads.
#include "backend/cpu/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/gates_fusion.cpp"
#include <hwy/foreach_target.h>

#include <tidepool/tidepool.h>

#include "backend/cpu/simd-inl.h"
#include "backend/cpu/team.h"
#include "bench/gate.h"
#include "bench/values.h"
#include "platform/system.h"

#include <vector>

#ifndef TIDEPOOL_BENCH_FUSION
#define TIDEPOOL_BENCH_FUSION
namespace tidepool::gates {

constexpr std::size_t stretch = 16384;  // elements for a thread at a time

struct ByHand {
  CpuTeam* team;
  const float* x;
  float* y;  // or sums of stretches
  std::size_t count;
  int instructions = best_instructions();
};

}  // namespace tidepool::gates
#endif

HWY_BEFORE_NAMESPACE();
namespace tidepool::inline v0 {
namespace HWY_NAMESPACE {
namespace {

using gates::ByHand;
using gates::stretch;

void chain(const ByHand& work) {
  work.team->run(work.count / stretch, 1, [&](std::size_t begin, std::size_t end) HWY_ATTR {
    for (std::size_t i = begin * stretch; i < end * stretch; i += lanes) {
      const Pack a = load(work.x + i) * 2.0F + 1.0F;
      const Pack b = -(a * a * 0.5F - 3.0F) * 0.25F;
      store(abs(select(b <= 0.0F, 0.0F, b) + 0.125F) * 1.5F, work.y + i);
    }
  });
}

void squares(const ByHand& work) {
  work.team->run(work.count / stretch, 1, [&](std::size_t begin, std::size_t end) HWY_ATTR {
    for (std::size_t s = begin; s < end; ++s) {
      FloatVector sums[4] = {hn::Zero(FloatTag()), hn::Zero(FloatTag()), hn::Zero(FloatTag()), hn::Zero(FloatTag())};
      const float* from = work.x + s * stretch;
      for (std::size_t i = 0; i < stretch; i += 4 * lanes)
        for (std::size_t k = 0; k < 4; ++k) {
          const FloatVector x = hn::LoadU(FloatTag(), from + i + k * lanes);
          sums[k] = hn::Add(sums[k], hn::Mul(x, x));
        }
      work.y[s] = add_lanes(hn::Add(hn::Add(sums[0], sums[1]), hn::Add(sums[2], sums[3])));
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
void chain_by_hand(const gates::ByHand& work) { TIDEPOOL_RUN(chain, work); }
void squares_by_hand(const gates::ByHand& work) { TIDEPOOL_RUN(squares, work); }
}  // namespace
}  // namespace tidepool::inline v0
namespace tidepool::gates {

namespace {
constexpr std::int64_t mega = 1 << 20;

// x · 2 + 1, squared, · 0.5, - 3, negated, · 0.25, clamped at zero, + 0.125, · 1.5: ten operations that take little time each.
Tensor ten_operations(const Tensor& x) { return abs(relu(-(square(x * 2.0F + 1.0F) * 0.5F - 3.0F) * 0.25F) + 0.125F) * 1.5F; }
}  // namespace

Measured measure_chain() {
  CpuTeam team(usable_cores());
  const TensorOptions there{.dtype = DType::f32, .device = device("cpu")};
  const Tensor x = rand({mega}, there), y = zeros({mega}, there), z = zeros({mega}, there);
  const Plan plan = capture([&] { tidy([&] { copy_(y, ten_operations(x)); }); });
  return compare(
      4, [&] { plan.run(); },
      [&] {
        chain_by_hand({&team, values_of(x), values_of(z), mega});
        use(values_of(z));
      });
}

Measured measure_mean_of_squares() {
  CpuTeam team(usable_cores());
  constexpr std::int64_t count = mega / 4;  // 1 MB each
  const TensorOptions there{.dtype = DType::f32, .device = device("cpu")};
  std::vector<Tensor> in, out;
  for (int i = 0; i < 10; ++i) {
    in.push_back(rand({count}, there));
    out.push_back(zeros({}, there));
  }
  const Plan plan = capture([&] {
    tidy([&] {
      for (std::size_t i = 0; i < in.size(); ++i) copy_(out[i], mean(square(in[i])));
    });
  });
  std::vector<float> sums(count / stretch);
  return compare(
      4, [&] { plan.run(); },
      [&] {
        for (const Tensor& x : in) {
          squares_by_hand({&team, values_of(x), sums.data(), count});
          float sum = 0;
          for (const float part : sums) sum += part;
          use(&sum);
        }
      });
}

}  // namespace tidepool::gates
#endif
