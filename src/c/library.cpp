// The library itself: versions, what it says, faults on demand.
#include <tidepool/version.h>

#include <tidepool/c.h>
#include <tidepool/faults.h>
#include <tidepool/log.h>

#include "c/call.h"
#include "platform/cat.h"

#include <string>

namespace tp = tidepool;
using tp::c::Call;
using tp::c::guarded;

tp_status tp_check_interface(int major, int minor) {
  return guarded(__func__, [&](const Call& call) {
    if (major == TP_INTERFACE_MAJOR && minor >= 0 && minor <= TP_INTERFACE_MINOR) return;
    throw tp::c::CodedError(
        TP_VERSION_ERROR, call.function(),
        tp::cat("compiled against interface ", major, ".", minor, ", and Tidepool ", tp::version(), " has ", TP_INTERFACE_MAJOR, ".",
                TP_INTERFACE_MINOR, "; compile with this library's tidepool/c.h, or run with a library that has the other"));
  });
}
tp_status tp_interface(int* major, int* minor) {
  return guarded(__func__, [&](const Call& call) {
    int &first = call.pointer("major", major), &second = call.pointer("minor", minor);
    first = TP_INTERFACE_MAJOR;
    second = TP_INTERFACE_MINOR;
  });
}
const char* tp_version(void) { return tp::version(); }

tp_status tp_set_log_level(int least) {
  static_assert(static_cast<int>(tp::LogLevel::debug) == TP_LOG_DEBUG && static_cast<int>(tp::LogLevel::off) == TP_LOG_OFF);
  return guarded(__func__, [&](const Call& call) {
    tp::set_log_level(static_cast<tp::LogLevel>(call.one_of(
        "the level", least, TP_LOG_OFF, "TP_LOG_DEBUG (0), TP_LOG_INFO (1), TP_LOG_WARN (2), TP_LOG_ERROR (3) or TP_LOG_OFF (4)")));
  });
}
tp_status tp_log_level(int* least) {
  return guarded(__func__, [&](const Call& call) { call.pointer("least", least) = static_cast<int>(tp::log_level()); });
}
tp_status tp_set_logger(tp_logger logger, void* user) {
  return guarded(__func__, [&](const Call&) {
    if (!logger) return tp::set_logger({});
    tp::set_logger([logger, user](tp::LogLevel level, std::string_view message) {
      logger(static_cast<int>(level), std::string(message).c_str(), user);
    });
  });
}
tp_status tp_set_faults(const char* text) {
  return guarded(__func__, [&](const Call& call) { tp::faults::set(&call.pointer("text", text)); });
}
