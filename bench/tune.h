// Measures which shaders for products and convolutions suit a device, and in how many parts. `tidepool bench --tune F` writes what it
// finds to a file; nothing else looks at a clock to choose a kernel.
#pragma once

#include "device/slot.h"

#include <functional>
#include <string>

namespace tidepool::bench {

// Says each row of the table when it is known.
Tuning measure_tuning(const Device& device, const std::function<void(const std::string&)>& say);

}  // namespace tidepool::bench
