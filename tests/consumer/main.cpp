#include <tidepool/tidepool.h>

#include <cstdio>
#include <vector>

namespace tp = tidepool;

struct Parameter {
  tp::Tensor value;
  tp::Tensor m = tp::zeros_like(value);  // Adam's two moments
  tp::Tensor v = tp::zeros_like(value);
};

int main() {
  tp::select({.prefer_gpu = true});  // falls back to the CPU and says so

  std::vector<float> inputs, targets;  // 64 points of y = 3x - 1
  for (int i = 0; i < 64; ++i) {
    inputs.push_back(static_cast<float>(i) / 32 - 1);
    targets.push_back(3 * inputs.back() - 1);
  }
  const tp::Tensor x = tp::from_host(inputs, {64, 1});
  const tp::Tensor y = tp::from_host(targets, {64, 1});

  Parameter slope{tp::zeros({1, 1}).requires_grad()};
  Parameter offset{tp::zeros({1}).requires_grad()};
  for (int step = 1; step <= 500; ++step) {
    tp::tidy([&] {  // frees what a step makes
      const tp::Tensor loss = tp::mean(tp::square(tp::matmul(x, slope.value) + offset.value - y));
      loss.backward();
      tp::NoGrad guard;
      for (Parameter* p : {&slope, &offset}) {
        tp::raw::adam_step(p->value, p->value.grad(), p->m, p->v, {.lr = 0.05, .step = step});
        p->value.zero_grad();
      }
    });
  }
  std::printf("y = %.3f x + %.3f on %s\n", slope.value.item(), offset.value.item(), tp::default_device().id().c_str());
}
