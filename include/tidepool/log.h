// What the library has to say: warnings on standard error, unless a logger takes them.
//
//     tp::set_logger([](tp::LogLevel level, std::string_view message) { my_log(message); });
//     tp::set_log_level(tp::LogLevel::debug);        // or TIDEPOOL_LOG=debug
#pragma once

#include <tidepool/version.h>

#include <functional>
#include <string_view>

namespace tidepool::inline v0 {

enum class LogLevel { debug, info, warn, error, off };

// Called from any thread that logs, one call at a time. It may log and throw, but not use devices or tensors: some messages come while a
// device is locked. An empty function brings back the default.
using Logger = std::function<void(LogLevel level, std::string_view message)>;
TIDEPOOL_API void set_logger(Logger logger);
TIDEPOOL_API void set_log_level(LogLevel least);  // at first TIDEPOOL_LOG, or warn
TIDEPOOL_API LogLevel log_level();

}  // namespace tidepool::inline v0
