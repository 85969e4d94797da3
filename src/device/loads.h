// How busy each device is. A load is the work between two readings, so it gets known as devices are listed again and again;
// who needs it at once waits a moment.
#pragma once

#include "device/list.h"
#include "platform/load/load.h"

namespace tidepool::inline v0 {

Load load_of(const ListedDevice& device);  // reads anew unless that was just done; never waits
void settle_loads();                       // takes a fifth of a second, after which every load is known that can be

}  // namespace tidepool::inline v0
