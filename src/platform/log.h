// Messages to the logger. The text is only made when somebody will see it.
#pragma once

#include <tidepool/log.h>

#include "platform/cat.h"

namespace tidepool::inline v0 {

bool logs(LogLevel level);
void log(LogLevel level, std::string_view message) noexcept;

template <class... Parts>
void log_debug(const Parts&... parts) {
  if (logs(LogLevel::debug)) log(LogLevel::debug, cat(parts...));
}
template <class... Parts>
void log_info(const Parts&... parts) {
  if (logs(LogLevel::info)) log(LogLevel::info, cat(parts...));
}
inline void warn(std::string_view message) { log(LogLevel::warn, message); }

}  // namespace tidepool::inline v0
