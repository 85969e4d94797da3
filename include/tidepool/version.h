// The version of these headers. CMake reads it from here; it stands nowhere else.
#pragma once

#define TIDEPOOL_VERSION_MAJOR 0
#define TIDEPOOL_VERSION_MINOR 1
#define TIDEPOOL_VERSION_PATCH 0
#define TIDEPOOL_VERSION "0.1.0"

#define TIDEPOOL_API __attribute__((visibility("default")))

namespace tidepool::inline v0 {

// The version of the library that is linked, which may be newer than the headers.
TIDEPOOL_API const char* version();

}  // namespace tidepool::inline v0
