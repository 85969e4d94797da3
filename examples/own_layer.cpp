// A layer of one's own: a gate that learns how much of its input to let through.
#include <tidepool/tidepool.h>

#include <cstdio>

namespace tp = tidepool;

struct Gate : tp::nn::Module {
  explicit Gate(std::int64_t size) : inner(module("inner", tp::nn::Linear(size, size))), scale(parameter("scale", tp::ones({size}))) {}
  tp::Tensor forward(const tp::Tensor& x) override { return x * tp::sigmoid(inner(x)) * scale; }
  std::string kind() const override { return "Gate"; }

  tp::nn::Linear inner;
  tp::nn::Parameter scale;
};

int main() {
  tp::manual_seed(3);
  tp::nn::Sequential net{tp::nn::Linear(2, 16), tp::nn::Tanh(), Gate(16), tp::nn::Linear(16, 1)};
  std::printf("%s\n", net.summary({1, 2}).c_str());

  // The product of two numbers, from 1,000 samples.
  const tp::Tensor x = tp::rand({1000, 2}) * 2.0F - 1.0F;
  const tp::Tensor y = tp::transpose(x).slice(0, 1).reshape({1000, 1}) * tp::transpose(x).slice(1, 2).reshape({1000, 1});
  tp::optim::Adam opt(net.parameters(), {.lr = 0.01});
  tp::Trainer trainer(net, opt, tp::mse_loss, {.epochs = 60, .batch = 50});
  const tp::TrainResult result = trainer.fit(tp::data::from_tensors(x, y));
  std::printf("loss %.2g\n", result.epochs.back().loss);
  return result.epochs.back().loss < 1e-3 ? 0 : 1;
}
