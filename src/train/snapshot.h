// All that training needs to go on from a step, on the host.
#pragma once

#include <tidepool/train.h>

#include "device/random_state.h"

#include <cstddef>

namespace tidepool::inline v0 {

struct SavedTensor {
  std::string name;
  DType dtype = DType::f32;
  Shape shape;
  std::vector<std::byte> bytes;
};

struct Snapshot {
  std::int64_t epoch = 0, batch = 0;  // the next one, from 0
  std::int64_t step = 0;              // done
  double seconds = 0;                 // of the epoch so far
  double lr = 0;
  RandomPosition random{};
  std::int64_t best_epoch = 0;
  std::size_t epochs_done = 0;
  std::vector<EpochResult> epochs;   // of a checkpoint; otherwise the trainer has them
  std::vector<SavedTensor> tensors;  // parameters, buffers, optimizer, sums
  std::vector<SavedTensor> best;     // likewise, of the best epoch, without optimizer and sums, where they are kept
};

using NamedTensors = nn::NamedTensors;

// What a snapshot holds of network and optimizer, by name; and of the sums, once there are any.
NamedTensors tensors_to_keep(const nn::Module& net, const optim::Optimizer& optimizer, const Tensor& sums);
NamedTensors tensors_of(const nn::Module& net);                                          // parameters and buffers
NamedTensors trained_tensors(const nn::Module& net, const optim::Optimizer& optimizer);  // and parameters that only the optimizer has

void download_all(const NamedTensors& from, std::vector<SavedTensor>& to);
void upload_all(const std::vector<SavedTensor>& from, const NamedTensors& to);

}  // namespace tidepool::inline v0
