// A kernel of one's own: heat that spreads on a plate, step by step, on every device of this machine. The shader and the CPU's function say
// the same thing twice; a plan runs a thousand steps without going back to the host.
#include <tidepool/tidepool.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <vector>

namespace tp = tidepool;

namespace {

struct Params {
  std::uint32_t width, height;
  float rate;
};

const char* const shader = R"(
layout(push_constant) uniform Params { uint width, height; float rate; } p;
layout(binding = 0) readonly buffer Now { float now[]; };
layout(binding = 1) writeonly buffer Next { float next[]; };

float at(uint x, uint y) { return now[y * p.width + x]; }

void main() {
  const uint i = item();
  if (i >= p.width * p.height) return;
  const uint x = i % p.width, y = i / p.width;
  const uint left = x > 0 ? x - 1 : x, right = x + 1 < p.width ? x + 1 : x;
  const uint above = y > 0 ? y - 1 : y, below = y + 1 < p.height ? y + 1 : y;
  const float around = at(left, y) + at(right, y) + at(x, above) + at(x, below);
  next[i] = now[i] + p.rate * (around - 4.0 * now[i]);
}
)";

void on_the_cpu(tp::KernelCall& call) {
  const auto [width, height, rate] = call.params<Params>();
  const float* now = call.buffer<float>(0);
  float* next = call.buffer<float>(1);
  const auto w = static_cast<std::int64_t>(width), h = static_cast<std::int64_t>(height);
  call.parallel([&, rate = rate](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t x = i % w, y = i / w;
      const float around = now[x > 0 ? i - 1 : i] + now[x + 1 < w ? i + 1 : i] + now[y > 0 ? i - w : i] + now[y + 1 < h ? i + w : i];
      next[i] = now[i] + rate * (around - 4.0F * now[i]);
    }
  });
}

// What is left after `steps` of a hot spot in the middle.
std::vector<float> spread(const tp::Kernel& heat, std::int64_t size, int steps) {
  const Params params{static_cast<std::uint32_t>(size), static_cast<std::uint32_t>(size), 0.2F};
  std::vector<float> start(static_cast<std::size_t>(size * size));
  start[static_cast<std::size_t>(size / 2 * size + size / 2)] = 1000.0F;
  const tp::Tensor now = tp::from_host(start, {size, size}), next = tp::zeros({size, size});
  const tp::Plan two_steps = tp::capture([&] {
    heat(size * size, params, {now, next});
    heat(size * size, params, {next, now});
  });
  for (int i = 0; i < steps / 2; ++i) two_steps.run();
  return now.to_host<float>();
}

}  // namespace

int main() try {
  const tp::Kernel heat({.name = "heat", .glsl = shader, .cpu = on_the_cpu, .bindings = 2, .writes = {1}});
  constexpr std::int64_t size = 65;
  std::vector<float> first;
  bool good = true;
  for (const tp::DeviceInfo& device : tp::devices()) {
    tp::set_default_device(tp::device(device.id));
    const std::vector<float> plate = spread(heat, size, 1000);
    double all = 0, difference = 0;
    for (std::size_t i = 0; i < plate.size(); ++i) {
      all += static_cast<double>(plate[i]);
      if (!first.empty()) difference = std::max(difference, static_cast<double>(std::abs(plate[i] - first[i])));
    }
    if (first.empty()) first = plate;
    std::printf("%s (%s): %.2f of 1000 degrees are on the plate, %.3f in the middle; the first device is %.1e away\n", device.id.c_str(),
                device.name.c_str(), all, static_cast<double>(plate[plate.size() / 2]), difference);
    good &= std::abs(all - 1000) < 0.1 && difference < 1e-3;
  }
  return good ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
