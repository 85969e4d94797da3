// Whether the tests were compiled with a sanitizer: what is slower then, or takes more memory, is expected to.
#pragma once

#include "platform/sanitizers.h"

namespace tidepool::inline v0 {

#ifdef TIDEPOOL_ADDRESS_SANITIZER
constexpr bool address_sanitizer = true;
#else
constexpr bool address_sanitizer = false;
#endif

#ifdef TIDEPOOL_THREAD_SANITIZER
constexpr bool thread_sanitizer = true;
#else
constexpr bool thread_sanitizer = false;
#endif

}  // namespace tidepool::inline v0
