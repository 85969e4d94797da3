// What plans make of elementwise work, against the same fused by hand: one loop over memory, with as many threads.
#include <tidepool/tidepool.h>

#include "backend/cpu/team.h"
#include "bench/gate.h"
#include "bench/values.h"
#include "platform/system.h"

namespace tidepool::gates {

namespace {

constexpr std::int64_t mega = 1 << 20;

// x · 2 + 1, squared, · 0.5, - 3, negated, · 0.25, clamped at zero, + 0.125, · 1.5: ten operations that take little time each.
Tensor chain(const Tensor& x) { return abs(relu(-(square(x * 2.0F + 1.0F) * 0.5F - 3.0F) * 0.25F) + 0.125F) * 1.5F; }

void chain_by_hand(CpuTeam& team, const float* x, float* y, std::size_t count) {
  team.run(count, 4096, [=](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const float a = x[i] * 2.0F + 1.0F;
      const float b = -(a * a * 0.5F - 3.0F) * 0.25F;
      const float c = (b > 0.0F ? b : 0.0F) + 0.125F;
      y[i] = (c < 0.0F ? -c : c) * 1.5F;
    }
  });
}

float squares_by_hand(CpuTeam& team, const float* x, std::size_t count) {
  constexpr std::size_t stretch = 16384, side_by_side = 64;
  std::vector<float> sums(count / stretch);
  team.run(sums.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t s = begin; s < end; ++s) {
      float parts[side_by_side] = {};
      const float* from = x + s * stretch;
      for (std::size_t i = 0; i < stretch; i += side_by_side)
        for (std::size_t k = 0; k < side_by_side; ++k) parts[k] += from[i + k] * from[i + k];
      for (const float part : parts) sums[s] += part;
    }
  });
  float sum = 0;
  for (const float part : sums) sum += part;
  return sum / static_cast<float>(count);
}

}  // namespace

Measured measure_chain() {
  CpuTeam team(usable_cores());
  const TensorOptions there{.dtype = DType::f32, .device = device("cpu")};
  const Tensor x = rand({mega}, there), y = zeros({mega}, there), z = zeros({mega}, there);
  const Plan plan = capture([&] { tidy([&] { copy_(y, chain(x)); }); });
  return compare(
      4, [&] { plan.run(); },
      [&] {
        chain_by_hand(team, values_of(x), values_of(z), mega);
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
  float sum = 0;
  return compare(
      4, [&] { plan.run(); },
      [&] {
        for (const Tensor& x : in) sum += squares_by_hand(team, values_of(x), count);
        use(&sum);
      });
}

}  // namespace tidepool::gates
