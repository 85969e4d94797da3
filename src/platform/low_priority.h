// For threads whose work can wait until the processor has nothing better to do.
#pragma once

namespace tidepool::inline v0 {

void lower_priority();  // of the calling thread, for good; where it cannot be done, nothing happens

}  // namespace tidepool::inline v0
