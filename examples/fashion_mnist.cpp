// Pictures of clothes: two convolutions and two layers, three epochs. The pictures are those of Debian's package
// dataset-fashion-mnist, or of the folder that TIDEPOOL_DATA names.
#include <tidepool/tidepool.h>

#include <cstdio>
#include <exception>

namespace tp = tidepool;

int main() try {
  tp::manual_seed(1);
  tp::nn::Sequential net{tp::nn::Conv2d(1, 32, {.kernel = 3, .padding = 1}),
                         tp::nn::ReLU(),
                         tp::nn::MaxPool2d(2),
                         tp::nn::Conv2d(32, 64, {.kernel = 3, .padding = 1}),
                         tp::nn::ReLU(),
                         tp::nn::MaxPool2d(2),
                         tp::nn::Flatten(),
                         tp::nn::Linear(3136, 128),
                         tp::nn::ReLU(),
                         tp::nn::Linear(128, 10)};
  std::printf("%s\n", net.summary({64, 1, 28, 28}).c_str());

  tp::optim::Adam opt(net.parameters(), {.lr = 1e-3});
  tp::Trainer trainer(net, opt, tp::cross_entropy, {.epochs = 3, .batch = 64, .progress = true});
  const auto normalized = [](const tp::data::Dataset& pictures) { return pictures.normalized(0.286, 0.353); };  // as their pixels are
  const tp::TrainResult result = trainer.fit(normalized(tp::data::fashion_mnist_train()), normalized(tp::data::fashion_mnist_test()));
  for (const tp::EpochResult& epoch : result.epochs)
    std::printf("epoch %lld: loss %.4f, test accuracy %.4f, %.1f s\n", static_cast<long long>(epoch.epoch), epoch.loss, epoch.test_accuracy,
                epoch.seconds);
  tp::save(net, "fashion_mnist.safetensors");
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
