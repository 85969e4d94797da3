// A network of two layers, trained by hand on every device of this machine: y = sin(3 x) from 64 samples.
// The same program runs on each device and ends at the same loss, up to rounding.
#include <tidepool/tidepool.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace tp = tidepool;

namespace {

struct Parameter {
  tp::Tensor value, mean, square;  // Adam keeps a mean of the gradient and of its square
};

Parameter parameter(const tp::Shape& shape, float scale, std::uint32_t seed) {
  std::vector<float> values(static_cast<std::size_t>(shape.numel()));
  for (float& v : values) {
    seed = seed * 1664525U + 1013904223U;
    v = scale * (static_cast<float>(seed >> 8) / 8388608.0F - 1.0F);
  }
  Parameter p{tp::from_host(values, shape), tp::zeros(shape), tp::zeros(shape)};
  p.value.requires_grad();
  return p;
}

float train(int steps) {
  std::vector<float> inputs(64), targets(64);
  for (std::size_t i = 0; i < 64; ++i) {
    inputs[i] = static_cast<float>(i) / 32.0F - 1.0F;
    targets[i] = std::sin(3.0F * inputs[i]);
  }
  const tp::Tensor x = tp::from_host(inputs, {64, 1}), y = tp::from_host(targets, {64, 1});

  Parameter w1 = parameter({1, 32}, 1.0F, 1), b1 = parameter({32}, 1.0F, 2);
  Parameter w2 = parameter({32, 1}, 0.3F, 3), b2 = parameter({1}, 0.1F, 4);

  float last = 0;
  for (int step = 1; step <= steps; ++step) {
    tp::tidy([&] {
      const tp::Tensor hidden = tp::tanh(tp::matmul(x, w1.value) + b1.value);
      const tp::Tensor loss = tp::mean(tp::square(tp::matmul(hidden, w2.value) + b2.value - y));
      loss.backward();
      for (Parameter* p : {&w1, &b1, &w2, &b2}) {
        tp::raw::adam_step(p->value, p->value.grad(), p->mean, p->square, {.lr = 0.01, .step = step});
        p->value.zero_grad();
      }
      if (step % 100 == 0 || step == 1) {
        last = loss.item();
        std::printf("  step %4d  loss %.6f\n", step, static_cast<double>(last));
      }
    });
  }
  return last;
}

}  // namespace

int main() {
  for (const tp::DeviceInfo& info : tp::devices()) {
    try {
      tp::set_default_device(tp::device(info.id));
      std::printf("%s: %s\n", info.id.c_str(), info.name.c_str());
      train(500);
      const tp::MemoryStats memory = tp::memory();
      std::printf("  peak %zu KiB, %zu blocks asked of the device, %zu lent again\n", memory.peak_bytes >> 10, memory.allocations,
                  memory.reuses);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s: %s\n", info.id.c_str(), error.what());
      return 1;
    }
  }
}
