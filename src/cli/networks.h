// The networks of the tasks, in one place for tests and benchmarks too.
//
//     nn::Sequential net = cli::fashion_network();
#pragma once

#include <tidepool/nn.h>

namespace tidepool::cli {

inline nn::Sequential xor_network() { return nn::Sequential{nn::Linear(2, 8), nn::Tanh(), nn::Linear(8, 1), nn::Sigmoid()}; }

inline nn::Sequential sine_network() { return nn::Sequential{nn::Linear(1, 256), nn::Tanh(), nn::Linear(256, 1)}; }

inline nn::Sequential fashion_network() {
  return nn::Sequential{nn::Conv2d(1, 32, {.kernel = 3, .padding = 1}),
                        nn::ReLU(),
                        nn::MaxPool2d(2),
                        nn::Conv2d(32, 64, {.kernel = 3, .padding = 1}),
                        nn::ReLU(),
                        nn::MaxPool2d(2),
                        nn::Flatten(),
                        nn::Linear(3136, 128),
                        nn::ReLU(),
                        nn::Linear(128, 10)};
}

}  // namespace tidepool::cli
