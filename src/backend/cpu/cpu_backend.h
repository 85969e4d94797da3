// The CPU: a launch is done when it is recorded, and a recording is a flat array walked in order.
#pragma once

#include "backend/backend.h"

#include <memory>

namespace tidepool::inline v0 {

BackendInfo cpu_info();
int cpu_threads();  // that it opens with
std::unique_ptr<Backend> open_cpu();
// For tests: a number of threads, and one of the compiled instruction sets (see instructions.h) with our own kernels only;
// -1: the best, and oneDNN.
std::unique_ptr<Backend> open_cpu(int threads, int instructions);

}  // namespace tidepool::inline v0
