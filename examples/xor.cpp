// Exclusive or: the smallest network that cannot be one layer.
#include <tidepool/tidepool.h>

#include <cstdio>

namespace tp = tidepool;

int main() {
  tp::manual_seed(1);
  tp::nn::Sequential net{tp::nn::Linear(2, 8), tp::nn::Tanh(), tp::nn::Linear(8, 1), tp::nn::Sigmoid()};
  tp::optim::Adam opt(net.parameters(), {.lr = 0.05});

  const tp::Tensor x = tp::tensor({0, 0, 0, 1, 1, 0, 1, 1}, {4, 2}), y = tp::tensor({0, 1, 1, 0}, {4, 1});
  tp::Trainer trainer(net, opt, tp::mse_loss, {.epochs = 500, .batch = 4, .shuffle = false});
  const tp::TrainResult result = trainer.fit(tp::data::from_tensors(x, y));

  std::printf("loss %.2g after %zu steps\n", result.epochs.back().loss, result.epochs.size());
  const std::vector<float> said = net(x).to_host<float>();
  for (std::size_t i = 0; i < 4; ++i) std::printf("%zu xor %zu = %.3f\n", i / 2, i % 2, static_cast<double>(said[i]));
  return result.epochs.back().loss < 1e-3 ? 0 : 1;
}
