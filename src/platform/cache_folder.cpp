#include "platform/cache_folder.h"

#include "platform/environment.h"

namespace tidepool::inline v0 {

std::string cache_folder() {
  if (const auto own = environment("TIDEPOOL_CACHE")) return *own == "off" ? "" : *own;
  if (const auto users = environment("XDG_CACHE_HOME")) return *users + "/tidepool";
  if (const auto home = environment("HOME")) return *home + "/.cache/tidepool";
  return "";
}

}  // namespace tidepool::inline v0
