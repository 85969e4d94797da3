// The four training steps that are timed, each as the Trainer runs it: from a plan, with its sums.
#pragma once

#include <tidepool/tidepool.h>

#include "cli/networks.h"
#include "train/steps.h"

namespace tidepool::bench {

class TrainStep {
 public:
  TrainStep(nn::Sequential net, const Trainer::Loss& loss, const data::Dataset& batch)
      : net_(std::move(net)), opt_(net_.parameters(), {.lr = 1e-3}), steps_(net_, opt_, loss, 0), rows_(batch.size()) {
    steps_.use(Steps::Kind::train, batch, rows_);
    data::Batches batches("bench", batch, {.batch = rows_});
    batches.seek(0, 0);
    steps_.upload(batches.next());
    steps_.train(rows_);
  }
  void run() { steps_.train(rows_); }
  void finish() const { steps_.read_sums(); }
  std::int64_t rows() const { return rows_; }

 private:
  nn::Sequential net_;
  optim::Adam opt_;
  Steps steps_;
  std::int64_t rows_;
};

inline data::Dataset labelled(const Shape& images, std::int64_t classes) {
  std::vector<std::int32_t> labels;
  for (std::int64_t i = 0; i < images[0]; ++i) labels.push_back(static_cast<std::int32_t>(i % classes));
  return data::from_tensors(rand(images), from_host(labels, {images[0]}));
}

inline data::Dataset xor_samples() { return data::from_tensors(tensor({0, 0, 0, 1, 1, 0, 1, 1}, {4, 2}), tensor({0, 1, 1, 0}, {4, 1})); }
inline TrainStep xor_step() { return TrainStep(cli::xor_network(), mse_loss, xor_samples()); }
inline TrainStep sine_step() {
  const Tensor x = rand({128, 1}) * 12.0F - 6.0F;
  return TrainStep(cli::sine_network(), mse_loss, data::from_tensors(x, sin(x)));
}
// Fashion-MNIST as rows of 784 numbers; no task, but timed.
inline TrainStep mlp_step() {
  return TrainStep(nn::Sequential{nn::Linear(784, 256), nn::ReLU(), nn::Linear(256, 128), nn::ReLU(), nn::Linear(128, 10)}, cross_entropy,
                   labelled({128, 784}, 10));
}
inline TrainStep cnn_step() { return TrainStep(cli::fashion_network(), cross_entropy, labelled({64, 1, 28, 28}, 10)); }

}  // namespace tidepool::bench
