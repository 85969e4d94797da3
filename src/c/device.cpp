// Devices and their memory.
#include <tidepool/device.h>

#include <tidepool/c.h>
#include <tidepool/memory.h>

#include "c/call.h"
#include "c/text.h"

#include <algorithm>

namespace tp = tidepool;
using tp::c::Call;
using tp::c::frees;
using tp::c::gives_device;
using tp::c::guarded;
using tp::c::put;

namespace {

void describe(const tp::DeviceInfo& from, tp_device_info& to) {
  to = {};
  put(from.id, to.id);
  put(from.name, to.name);
  put(from.kind, to.kind);
  put(from.driver, to.driver);
  to.memory_total = from.memory_total;
  to.memory_free = from.memory_free;
  to.load = from.load.value_or(-1.0);
  put(from.load_source, to.load_source);
}

}  // namespace

tp_status tp_devices(tp_device_info* infos, int64_t room, int64_t* count) {
  return guarded(__func__, [&](const Call& call) {
    const std::span<tp_device_info> to = call.values("infos", infos, "room", room);
    int64_t& found = call.pointer("count", count);
    const std::vector<tp::DeviceInfo> all = tp::devices();
    for (std::size_t i = 0; i < std::min(all.size(), to.size()); ++i) describe(all[i], to[i]);
    found = static_cast<int64_t>(all.size());
  });
}
tp_status tp_device_open(const char* id, tp_device** device) {
  return gives_device(__func__, device, [&](const Call& call) { return tp::device(&call.pointer("id", id)); });
}
tp_status tp_select(const tp_select_options* options, tp_device** device) {
  return gives_device(__func__, device, [&](const Call&) {
    if (!options) return tp::select();
    return tp::select({.prefer_gpu = options->prefer_gpu != 0,
                       .min_memory = options->min_memory,
                       .max_load = options->max_load,
                       .name = options->name ? options->name : "",
                       .required = options->required != 0,
                       .allow_software = options->allow_software != 0});
  });
}
tp_status tp_default_device(tp_device** device) {
  return gives_device(__func__, device, [](const Call&) { return tp::default_device(); });
}
tp_status tp_set_default_device(const tp_device* device) {
  return guarded(__func__, [&](const Call& call) { tp::set_default_device(call.device(device)); });
}
tp_status tp_device_id(const tp_device* device, const char** id) {
  return guarded(__func__, [&](const Call& call) { call.pointer("id", id) = call.device(device).id().c_str(); });
}
tp_status tp_reset(const tp_device* device) {
  return guarded(__func__, [&](const Call& call) { tp::reset(call.device(device)); });
}
tp_status tp_device_free(tp_device* device) { return frees(__func__, device, tp::c::device_handles()); }

tp_status tp_configure(const tp_settings* settings) {
  static_assert(TP_UNCHANGED == tp::Settings::unchanged && TP_UNCHANGED_BYTES == tp::Settings::unchanged_bytes);
  return guarded(__func__, [&](const Call& call) {
    const tp_settings& wanted = call.pointer("settings", settings);
    tp::configure({.max_commands = wanted.max_commands,
                   .max_cached_per_class = wanted.max_cached_per_class,
                   .memory_limit = wanted.memory_limit,
                   .cache_limit = wanted.cache_limit,
                   .wait_limit = wanted.wait_limit,
                   .max_load = wanted.max_load});
  });
}
tp_status tp_get_settings(tp_settings* settings) {
  return guarded(__func__, [&](const Call& call) {
    const tp::Settings now = tp::settings();
    call.pointer("settings", settings) = {.max_commands = now.max_commands,
                                          .max_cached_per_class = now.max_cached_per_class,
                                          .memory_limit = now.memory_limit,
                                          .cache_limit = now.cache_limit,
                                          .wait_limit = now.wait_limit,
                                          .max_load = now.max_load};
  });
}
tp_status tp_memory(const tp_device* device, tp_memory_stats* stats) {
  return guarded(__func__, [&](const Call& call) {
    const tp::MemoryStats now = tp::memory(call.device(device));
    call.pointer("stats", stats) = {.tensors = now.tensors,
                                    .live_bytes = now.live_bytes,
                                    .reserved_bytes = now.reserved_bytes,
                                    .cached_bytes = now.cached_bytes,
                                    .peak_bytes = now.peak_bytes,
                                    .allocations = now.allocations,
                                    .reuses = now.reuses,
                                    .evictions = now.evictions,
                                    .limit = now.limit,
                                    .reliable = now.reliable ? 1 : 0};
  });
}
tp_status tp_reset_peak(void) {
  return guarded(__func__, [](const Call&) { tp::reset_peak(); });
}
