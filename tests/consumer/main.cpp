#include <tidepool/tidepool.h>

#include <cstdio>

namespace tp = tidepool;

int main() {
  // Exclusive or: four samples of two inputs and one output.
  const tp::Tensor x = tp::tensor({0, 0, 0, 1, 1, 0, 1, 1}, {4, 2});
  const tp::Tensor y = tp::tensor({0, 1, 1, 0}, {4, 1});

  tp::manual_seed(1);
  tp::nn::Sequential net{tp::nn::Linear(2, 8), tp::nn::Tanh(), tp::nn::Linear(8, 1), tp::nn::Sigmoid()};
  tp::optim::Adam opt(net.parameters(), {.lr = 0.05});
  tp::Trainer trainer(net, opt, tp::mse_loss, {.epochs = 500, .batch = 4, .shuffle = false});
  const tp::TrainResult result = trainer.fit(tp::data::from_tensors(x, y));

  const tp::Tensor said = net(tp::tensor({1, 0}, {1, 2}));
  std::printf("loss %.1e; 1 xor 0 is %.2f\n", result.epochs.back().loss, said.item());
  tp::save(net, "xor.safetensors");  // PyTorch reads it
}
