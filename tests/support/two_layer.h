// A network of two layers, trained by hand with Adam: y = sin(3 x) from 64 samples.
//
//     TwoLayers net(32);
//     for (int i = 1; i <= 100; ++i) net.step({.lr = 0.02, .step = i});
//     net.loss.item();
#pragma once

#include <tidepool/tidepool.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace tidepool::inline v0 {

// Made on the default device; the same numbers every time.
class TwoLayers {
 public:
  explicit TwoLayers(std::int64_t width) {
    std::vector<float> inputs(64), targets(64);
    for (std::size_t i = 0; i < 64; ++i) {
      inputs[i] = static_cast<float>(i) / 32.0F - 1.0F;
      targets[i] = std::sin(3.0F * inputs[i]);
    }
    x = from_host(inputs, {64, 1});
    y = from_host(targets, {64, 1});
    parameters = {parameter({1, width}, 1.0F, 1), parameter({width}, 1.0F, 2), parameter({width, 1}, 0.3F, 3), parameter({1}, 0.1F, 4)};
    loss = zeros({1});
  }

  void step(const AdamOptions& options) {
    tidy([&] {
      const Tensor hidden = relu(matmul(x, parameters[0].value) + parameters[1].value);
      const Tensor error = mean(square(matmul(hidden, parameters[2].value) + parameters[3].value - y));
      error.backward();
      for (const Parameter& p : parameters) {
        raw::adam_step(p.value, p.value.grad(), p.mean, p.square, options);
        p.value.zero_grad();
      }
      copy_(loss, error.detach().reshape({1}));
    });
  }

  // Everything that training changes.
  std::vector<float> state() const {
    std::vector<float> all;
    for (const Parameter& p : parameters)
      for (const Tensor& t : {p.value, p.mean, p.square}) {
        const std::vector<float> values = t.to_host<float>();
        all.insert(all.end(), values.begin(), values.end());
      }
    return all;
  }

  struct Parameter {
    Tensor value, mean, square;
  };
  Tensor x, y, loss;
  std::array<Parameter, 4> parameters;

 private:
  static Parameter parameter(const Shape& shape, float scale, std::uint32_t seed) {
    std::vector<float> values(static_cast<std::size_t>(shape.numel()));
    for (float& v : values) {
      seed = seed * 1664525U + 1013904223U;
      v = scale * (static_cast<float>(seed >> 8) / 8388608.0F - 1.0F);
    }
    Parameter p{from_host(values, shape), zeros(shape), zeros(shape)};
    p.value.requires_grad();
    return p;
  }
};

}  // namespace tidepool::inline v0
