// A snapshot in a file: safetensors with the rest as metadata, and a checksum over all of it.
#pragma once

#include "io/safetensors.h"
#include "train/snapshot.h"

namespace tidepool::inline v0 {

struct CheckpointInfo {
  std::string optimizer;
  std::string conditions;  // of "same bits"
  std::int64_t batch = 0, micro_batch = 0, seed = 0, samples = 0;
  bool shuffle = true;
};

// What was there stays as the one before.
void write_checkpoint(const std::string& path, const Snapshot& snapshot, const CheckpointInfo& info, bool keep_previous = true);

struct Checkpoint {
  Snapshot snapshot;
  CheckpointInfo info;
  bool is_previous = false;
};
// Of a damaged file the one before it, with a warning.
Checkpoint read_checkpoint(const std::string& path);

// Over everything but itself; tensors by their names.
std::string checkpoint_checksum(const SafetensorsMetadata& metadata, std::vector<SafetensorsTensor> tensors);

// Puts saved tensors in the order of these, or throws IoError that names the first that is missing or has another shape.
std::vector<SavedTensor> matched(const std::string& path, std::vector<SavedTensor> saved, const NamedTensors& wanted);

}  // namespace tidepool::inline v0
