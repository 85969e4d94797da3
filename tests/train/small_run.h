// A small network with everything that has state of its own: dropout, batch statistics, moments.
#pragma once

#include <tidepool/tidepool.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "support/devices.h"
#include "support/files.h"

namespace tidepool::inline v0 {

// Images of two classes that differ in where they are bright. 70 of them in batches of 16: the last one is partial.
inline data::Dataset two_classes(std::int64_t count = 70) {
  std::vector<std::uint8_t> pixels;
  std::vector<std::int32_t> labels;
  std::uint32_t seed = 5;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int32_t label = static_cast<std::int32_t>(i % 2);
    for (int p = 0; p < 64; ++p) {
      seed = seed * 1664525U + 1013904223U;
      pixels.push_back(static_cast<std::uint8_t>((seed >> 25) + ((p < 32) == (label == 0) ? 100 : 0)));
    }
    labels.push_back(label);
  }
  return data::from_tensors(from_host(pixels, {count, 1, 8, 8}), from_host(labels, {count})).normalized(0.4, 0.3);
}

struct SmallRun {
  explicit SmallRun(TrainOptions options = {}, std::uint64_t seed = 7)
      : net(seeded(seed)), opt(net.parameters(), {.lr = 0.01, .weight_decay = 1e-4}), trainer(net, opt, cross_entropy, options) {}

  static nn::Sequential seeded(std::uint64_t seed) {
    manual_seed(seed);
    return nn::Sequential{nn::Conv2d(1, 4, {.kernel = 3, .padding = 1}),
                          nn::BatchNorm2d(4),
                          nn::ReLU(),
                          nn::MaxPool2d(2),
                          nn::Flatten(),
                          nn::Dropout(0.25),
                          nn::Linear(64, 2)};
  }
  // All parameters, buffers and moments, bit by bit.
  std::vector<std::vector<float>> bits() const {
    std::vector<std::vector<float>> all;
    for (const auto& [name, tensor] : net.named_parameters()) all.push_back(tensor.to_host<float>());
    for (const auto& [name, tensor] : net.named_buffers()) all.push_back(tensor.to_host<float>());
    for (const auto& [name, tensor] : opt.state())
      if (tensor.dtype() == DType::f32) all.push_back(tensor.to_host<float>());
    return all;
  }

  nn::Sequential net;
  optim::Adam opt;
  Trainer trainer;
};

// A layer with a buffer of every type.
struct EveryType : nn::Module {
  explicit EveryType(float value = 0) {
    buffer("count", full({2}, value, {.dtype = DType::i32}));
    buffer("flags", full({3}, value, {.dtype = DType::u8}));
    buffer("small", full({2}, value / 8).to(DType::f16));
  }
  Tensor forward(const Tensor& x) override { return inner(x); }
  nn::Linear inner = module("inner", nn::Linear(64, 2));
};

// A network without batch statistics: then parts add up to the whole.
struct PlainRun {
  explicit PlainRun(const TrainOptions& options)
      : net(seeded()), opt(net.parameters(), {.lr = 0.1}), trainer(net, opt, cross_entropy, options) {}
  static nn::Sequential seeded() {
    manual_seed(11);
    return nn::Sequential{nn::Flatten(), nn::Linear(64, 24), nn::Tanh(), nn::Dropout(0.3), nn::Linear(24, 2)};
  }
  std::vector<std::vector<float>> bits() const {
    std::vector<std::vector<float>> all;
    for (const Tensor& parameter : net.parameters()) all.push_back(parameter.to_host<float>());
    return all;
  }
  nn::Sequential net;
  optim::SGD opt;
  Trainer trainer;
};

class TrainTest : public LibraryTest {
 protected:
  void TearDown() override {
    manual_seed(0);
    LibraryTest::TearDown();
  }
  std::string path(const std::string& name) const { return folder_.path(name); }

 private:
  TemporaryFolder folder_;
};

}  // namespace tidepool::inline v0
