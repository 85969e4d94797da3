#include "device/settings.h"

#include <tidepool/error.h>

#include "device/slot.h"
#include "platform/bytes.h"
#include "platform/cat.h"
#include "platform/environment.h"
#include "platform/log.h"

#include <mutex>

namespace tidepool::inline v0 {

namespace {

struct State {
  std::mutex mutex;
  Settings now{.max_commands = 100,
               .max_cached_per_class = 50,
               .memory_limit = 0,
               .cache_limit = std::size_t{512} << 20,
               .wait_limit = 30,
               .max_load = 1};
  State() {
    log_level();  // a level that is none is told of before anything else
    if (const auto limit = environment("TIDEPOOL_MEMORY_LIMIT")) {
      if (const auto bytes = parse_bytes(*limit))
        now.memory_limit = *bytes;
      else
        warn_environment("TIDEPOOL_MEMORY_LIMIT", *limit, "a size such as 512MiB or 2GiB");
    }
  }
};

State& state() {
  static auto& only = *new State;
  return only;
}

}  // namespace

Settings current_settings() {
  const std::scoped_lock lock(state().mutex);
  return state().now;
}

Settings settings() { return current_settings(); }

void configure(const Settings& wanted) {
  if (wanted.max_commands != Settings::unchanged && wanted.max_commands < 1)
    throw ArgumentError("configure", cat("max_commands is ", wanted.max_commands, "; wanted 1 or more"));
  if (wanted.max_cached_per_class != Settings::unchanged && wanted.max_cached_per_class < 0)
    throw ArgumentError("configure", cat("max_cached_per_class is ", wanted.max_cached_per_class, "; wanted 0 or more"));
  if (wanted.wait_limit != Settings::unchanged_real && !(wanted.wait_limit > 0 && wanted.wait_limit <= 1e6))
    throw ArgumentError("configure", cat("wait_limit is ", wanted.wait_limit, " s; wanted more than 0 and at most a million"));
  if (wanted.max_load != Settings::unchanged_real && !(wanted.max_load >= 0.01 && wanted.max_load <= 1))
    throw ArgumentError("configure", cat("max_load is ", wanted.max_load, "; wanted a share from 0.01 to 1"));
  {
    const std::scoped_lock lock(state().mutex);
    Settings& now = state().now;
    if (wanted.max_commands != Settings::unchanged) now.max_commands = wanted.max_commands;
    if (wanted.max_cached_per_class != Settings::unchanged) now.max_cached_per_class = wanted.max_cached_per_class;
    if (wanted.memory_limit != Settings::unchanged_bytes) now.memory_limit = wanted.memory_limit;
    if (wanted.cache_limit != Settings::unchanged_bytes) now.cache_limit = wanted.cache_limit;
    if (wanted.wait_limit != Settings::unchanged_real) now.wait_limit = wanted.wait_limit;
    if (wanted.max_load != Settings::unchanged_real) now.max_load = wanted.max_load;
  }
  for_each_slot([](DeviceSlot& slot) {
    const auto stream = slot.stream_if_open();
    if (!stream) return;
    const StreamLock lock(*stream);
    if (stream->alive()) stream->apply_settings();
  });
}

}  // namespace tidepool::inline v0
