// Trajectories: a hundred thousand balls with spin, with gravity, drag and lift, on every device of this machine. One work item is one
// flight. The formulas are written once, in the C++ that is GLSL too: the CPU's function calls them, and the shader has their text.
// `tidepool trajectories` does more: docs/trajectories.md.
#include <tidepool/tidepool.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace tp = tidepool;

namespace {

using std::sqrt;

#define IN_BOTH_LANGUAGES(...) \
  __VA_ARGS__                  \
  const std::string formulas = #__VA_ARGS__;

// clang-format off
IN_BOTH_LANGUAGES(
  struct Ball { float x, z, vx, vz; };

  Ball moved(Ball b, float h, Ball rate) {
    return Ball(b.x + h * rate.x, b.z + h * rate.z, b.vx + h * rate.vx, b.vz + h * rate.vz);
  }
  Ball rates(Ball b, float lift) {
    const float drag = 0.0053f * sqrt(b.vx * b.vx + b.vz * b.vz);
    return Ball(b.vx, b.vz, -drag * b.vx - lift * b.vz, -drag * b.vz + lift * b.vx - 9.81f);
  }
  Ball step(Ball b, float h, float lift) {
    const Ball k1 = rates(b, lift);
    const Ball k2 = rates(moved(b, 0.5f * h, k1), lift);
    const Ball k3 = rates(moved(b, 0.5f * h, k2), lift);
    const Ball k4 = rates(moved(b, h, k3), lift);
    return moved(moved(moved(moved(b, h / 6.0f, k1), h / 3.0f, k2), h / 3.0f, k3), h / 6.0f, k4);
  }
  float range(float vx, float vz, float lift) {
    const float h = 0.01f;
    Ball b = Ball(0.0f, 0.0f, vx, vz);
    for (int i = 0; i < 5000; ++i) {
      const Ball next = step(b, h, lift);
      if (next.z < 0.0f) return b.x + (next.x - b.x) * b.z / (b.z - next.z);
      b = next;
    }
    return -1.0f;
  }
)
// clang-format on

const std::string shader = formulas + R"(
layout(push_constant) uniform Params { uint n; } p;
layout(binding = 0) readonly buffer Launches { float launches[]; };
layout(binding = 1) writeonly buffer Ranges { float ranges[]; };
void main() {
  const uint i = item();
  if (i < p.n) ranges[i] = range(launches[i], launches[p.n + i], launches[2 * p.n + i]);
}
)";

void on_the_cpu(tp::KernelCall& call) {
  const auto n = static_cast<std::int64_t>(call.params<std::uint32_t>());
  const float* launches = call.buffer<float>(0);
  float* ranges = call.buffer<float>(1);
  call.parallel(
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) ranges[i] = range(launches[i], launches[n + i], launches[2 * n + i]);
      },
      64);
}

}  // namespace

int main() try {
  const tp::Kernel fly({.name = "fly", .glsl = shader, .cpu = on_the_cpu, .bindings = 2, .writes = {1}});
  constexpr std::int64_t n = 100'000;
  std::vector<float> first;
  bool good = true;
  for (const tp::DeviceInfo& device : tp::devices()) {
    tp::set_default_device(tp::device(device.id));
    tp::manual_seed(1);  // the same launches on every device: 20 to 30 m/s ahead, 10 to 20 up, and some spin
    const tp::Tensor launches = tp::rand({3, n}) * tp::tensor({10, 10, 0.2F}, {3, 1}) + tp::tensor({20, 10, 0}, {3, 1});
    const tp::Tensor ranges = tp::empty({n});
    const auto start = std::chrono::steady_clock::now();
    fly(n, static_cast<std::uint32_t>(n), {launches, ranges});
    const std::vector<float> flown = ranges.to_host<float>();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    double sum = 0, difference = 0;
    for (std::size_t i = 0; i < flown.size(); ++i) {
      sum += static_cast<double>(flown[i]);
      if (!first.empty()) difference = std::max(difference, static_cast<double>(std::abs(flown[i] - first[i])));
    }
    if (first.empty()) first = flown;
    const auto [least, most] = std::ranges::minmax(flown);
    std::printf("%s (%s): %lld flights in %.2f s, %.1f to %.1f m, %.2f on average; the first device is %.1e m away\n", device.id.c_str(),
                device.name.c_str(), static_cast<long long>(n), seconds, static_cast<double>(least), static_cast<double>(most),
                sum / static_cast<double>(n), difference);
    good &= least > 20 && most < 200 && difference < 0.01;
  }
  return good ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
