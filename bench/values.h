// Where a CPU tensor's numbers stand, for the bare side of a gate: the same buffers, because a product's speed depends on where they lie.
#pragma once

#include "core/node.h"

namespace tidepool::gates {

inline float* values_of(const Tensor& tensor) {
  const Node& node = *tensor.node();
  return reinterpret_cast<float*>(node.storage->memory->host + node.storage->offset + node.offset);
}

}  // namespace tidepool::gates
