// Random programs. The same seed gives the same program.
#pragma once

#include "stress/program.h"

#include <cstdint>

namespace tidepool::stress {

struct GenerateOptions {
  bool two_devices = false;  // whether tensors move between them
};
Program random_program(std::uint64_t seed, const GenerateOptions& options = {});

}  // namespace tidepool::stress
