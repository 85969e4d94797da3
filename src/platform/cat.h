// cat("got ", 3, " of ", shape): everything that a stream can print, as one string.
#pragma once

#include <sstream>
#include <string>

namespace tidepool::inline v0 {

template <class... T>
std::string cat(const T&... parts) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  (out << ... << parts);
  return out.str();
}

}  // namespace tidepool::inline v0
