// A function on a thread of its own with room for deep recursion: for libraries that recurse as deep as their input is nested, and would
// otherwise end the process where a caller's stack ends. Pages that it does not touch cost nothing.
#pragma once

#include <cstddef>
#include <functional>

namespace tidepool::inline v0 {

// Returns when the function has, and throws what it throws. Where no such thread can be had, it is called as it is.
void with_room(std::size_t stack_bytes, const std::function<void()>& function);

}  // namespace tidepool::inline v0
