// A few figures that tell a fast device from a slow one; `tidepool bench` has the rest.
#include <tidepool/tidepool.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>

#include "cli/doctor/trial.h"

namespace tidepool::cli {

namespace {

constexpr int rounds = 5;

// Seconds of the fastest round; the first, in which kernels are made ready, does not count.
double seconds_of(const std::function<void()>& work) {
  using Clock = std::chrono::steady_clock;
  double best = std::numeric_limits<double>::max();
  for (int i = 0; i <= rounds; ++i) {
    const Clock::time_point start = Clock::now();
    work();
    sync();
    const double took = std::chrono::duration<double>(Clock::now() - start).count();
    if (i > 0) best = std::min(best, std::max(took, 1e-9));
  }
  return best;
}

}  // namespace

std::vector<Speed> measure_speeds() {
  const NoGrad no_grad;
  constexpr std::int64_t count = std::int64_t{8} << 20, size = 512;
  constexpr double gigabytes = static_cast<double>(count) * sizeof(float) / 1e9, gigaflops = 2.0 * size * size * size / 1e9;
  constexpr int launches = 1000;
  std::vector<float> host(static_cast<std::size_t>(count), 1.0F);
  const Tensor there = zeros({count}), other = zeros({count}), small = ones({16});
  const Tensor a = rand({size, size}), b = rand({size, size});
  return {{"copy to it", gigabytes / seconds_of([&] { there.copy_from(host); }), "GB/s"},
          {"copy from it", gigabytes / seconds_of([&] { there.copy_to(host); }), "GB/s"},
          {"copy on it", 2 * gigabytes / seconds_of([&] { copy_(other, there); }), "GB/s"},
          {"matmul 512", gigaflops / seconds_of([&] { matmul(a, b); }), "GFLOP/s"},
          {"launch",
           seconds_of([&] {
             for (int i = 0; i < launches; ++i) fill_(small, 1.0F);
           }) / launches *
               1e6,
           "µs"}};
}

}  // namespace tidepool::cli
