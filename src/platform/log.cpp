#include "platform/log.h"

#include "platform/environment.h"

#include <atomic>
#include <cstdio>
#include <memory>
#include <mutex>
#include <optional>

namespace tidepool::inline v0 {

namespace {

constexpr const char* names[] = {"debug", "info", "warning", "error"};
constexpr int unknown = -1;

struct State {
  std::recursive_mutex mutex;  // a logger may log
  std::shared_ptr<const Logger> logger;
};
// Never destroyed: tensors, and what is said of them, may outlive main.
State& state() {
  static auto* only = new State;
  return *only;
}
constinit std::atomic<int> least{unknown};

std::optional<LogLevel> level_of(std::string_view text) {
  if (text == "debug") return LogLevel::debug;
  if (text == "info") return LogLevel::info;
  if (text == "warn") return LogLevel::warn;
  if (text == "error") return LogLevel::error;
  if (text == "off") return LogLevel::off;
  return std::nullopt;
}

int start() {
  const auto text = environment("TIDEPOOL_LOG");
  const auto wanted = text ? level_of(*text) : LogLevel::warn;
  int expected = unknown;
  least.compare_exchange_strong(expected, static_cast<int>(wanted.value_or(LogLevel::warn)));
  if (!wanted) warn_environment("TIDEPOOL_LOG", *text, "debug, info, warn, error or off");
  return least.load();
}

}  // namespace

void set_logger(Logger logger) {
  const std::lock_guard lock(state().mutex);
  state().logger = logger ? std::make_shared<const Logger>(std::move(logger)) : nullptr;
}

void set_log_level(LogLevel level) { least.store(static_cast<int>(level)); }

LogLevel log_level() {
  const int level = least.load(std::memory_order_relaxed);
  return static_cast<LogLevel>(level == unknown ? start() : level);
}

bool logs(LogLevel level) { return level >= log_level(); }

void log(LogLevel level, std::string_view message) noexcept {
  if (level == LogLevel::off || !logs(level)) return;
  try {
    const std::lock_guard lock(state().mutex);
    if (const std::shared_ptr<const Logger> logger = state().logger)
      (*logger)(level, message);
    else
      std::fputs(cat("tidepool: ", names[static_cast<int>(level)], ": ", message, "\n").c_str(), stderr);
  } catch (...) {  // what a logger throws must not end what it was told of
  }
}

}  // namespace tidepool::inline v0
