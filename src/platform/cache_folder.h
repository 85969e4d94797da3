// Where files are kept that only save time.
#pragma once

#include <string>

namespace tidepool::inline v0 {

// TIDEPOOL_CACHE, or tidepool/ in the user's folder for caches. Empty: nothing is kept (TIDEPOOL_CACHE=off, or nowhere to keep it).
std::string cache_folder();

}  // namespace tidepool::inline v0
