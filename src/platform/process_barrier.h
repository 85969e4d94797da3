// A memory barrier in all threads of this process at once, by the kernel. Who asks for it pays for everybody, so that the others, who come
// by much more often, need none: see platform/mutex.h.
#pragma once

namespace tidepool::inline v0 {

// Whether there is one. Not under ThreadSanitizer, which knows nothing of it.
bool has_process_barrier();
// What other threads wrote before it is seen after it, and the reverse.
void process_barrier();

}  // namespace tidepool::inline v0
