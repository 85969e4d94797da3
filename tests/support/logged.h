// What the log says while this lives, a line for each message.
#pragma once

#include <tidepool/log.h>

#include <string>
#include <string_view>

namespace tidepool::inline v0 {

class Logged {
 public:
  Logged() {
    set_log_level(LogLevel::info);
    set_logger([this](LogLevel, std::string_view message) { text += std::string(message) + "\n"; });
  }
  ~Logged() {
    set_logger({});
    set_log_level(LogLevel::warn);
  }
  Logged(const Logged&) = delete;
  Logged& operator=(const Logged&) = delete;
  std::string text;
};

}  // namespace tidepool::inline v0
