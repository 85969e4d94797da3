#include "cli/tasks.h"

#include <cmath>
#include <numbers>

#include "cli/networks.h"

namespace tidepool::cli {

namespace {

data::Dataset xor_samples() { return data::from_tensors(tensor({0, 0, 0, 1, 1, 0, 1, 1}, {4, 2}), tensor({0, 1, 1, 0}, {4, 1})); }

data::Dataset sine_samples() {
  constexpr std::int64_t count = 10'000;
  std::vector<float> x, y;
  for (std::int64_t i = 0; i < count; ++i) {
    const double at = 2 * std::numbers::pi * (2 * static_cast<double>(i) / (count - 1) - 1);
    x.push_back(static_cast<float>(at));
    y.push_back(static_cast<float>(std::sin(at)));
  }
  return data::from_tensors(from_host(x, {count, 1}), from_host(y, {count, 1}));
}

}  // namespace

const std::vector<Task>& tasks() {
  static const std::vector<Task> all{
      {.name = "xor",
       .about = "exclusive or, 2-8-1",
       .network = xor_network,
       .train = xor_samples,
       .test = nullptr,
       .loss = mse_loss,
       .lr = 0.05,
       .epochs = 500,
       .batch = 4,
       .shuffle = false,
       .classes = {}},
      {.name = "sine",
       .about = "a sine over two periods, 1-256-1",
       .network = sine_network,
       .train = sine_samples,
       .test = nullptr,
       .loss = mse_loss,
       .lr = 1e-3,
       .epochs = 100,
       .batch = 128,
       .shuffle = true,
       .classes = {},
       .drawn = true},
      {.name = "fashion-mnist",
       .about = "pictures of clothes, two convolutions and two layers",
       .network = fashion_network,
       .train = [] { return data::fashion_mnist_train(); },
       .test = [] { return data::fashion_mnist_test(); },
       .loss = cross_entropy,
       .lr = 1e-3,
       .epochs = 3,
       .batch = 64,
       .shuffle = true,
       .classes = {"T-shirt", "trousers", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "ankle boot"},
       .mean = 0.286,
       .deviation = 0.353},
  };
  return all;
}

const Task* find_task(const std::string& name) {
  for (const Task& task : tasks())
    if (task.name == name) return &task;
  return nullptr;
}

}  // namespace tidepool::cli
