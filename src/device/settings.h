// The settings of the process, from `configure` and the environment.
#pragma once

#include <tidepool/memory.h>

namespace tidepool::inline v0 {

Settings current_settings();  // every field has its value

}  // namespace tidepool::inline v0
