// The processor's time that the calling thread has had.
#pragma once

#include <cstdint>

namespace tidepool::inline v0 {

std::int64_t thread_nanoseconds();

}  // namespace tidepool::inline v0
