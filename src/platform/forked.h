// Whether this process is a child of fork(). Such a child has only the thread that called it: libraries whose threads are gone, OpenMP's
// above all, wait for them for ever.
#pragma once

namespace tidepool::inline v0 {

void watch_forks();  // from now on; called when there are threads that a child would not have
bool is_forked();    // since then

}  // namespace tidepool::inline v0
