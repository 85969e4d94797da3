#include <tidepool/device.h>
#include <tidepool/error.h>

#include "device/slot.h"
#include "platform/bytes.h"
#include "platform/cat.h"
#include "platform/log.h"

#include <algorithm>

namespace tidepool::inline v0 {

namespace {

// Why a device is passed over; empty when it fits.
std::string objection(const DeviceInfo& info, const SelectOptions& options) {
  const bool named = !options.name.empty();
  if (named && info.id != options.name && info.name.find(options.name) == std::string::npos)
    return cat("is not called '", options.name, "'");
  if (!named && info.kind == "software" && !options.allow_software) return "is a software rasteriser (set allow_software, or name it)";
  if (!named && options.prefer_gpu && info.kind == "cpu") return "is the CPU";
  if (!named && !options.prefer_gpu && info.kind != "cpu") return "is a GPU and prefer_gpu is off";
  if (info.memory_free < options.min_memory)
    return cat("has ", readable_bytes(info.memory_free), " free of the ", readable_bytes(options.min_memory), " wanted");
  if (info.load && *info.load > options.max_load) return cat("is ", *info.load, " busy, more than ", options.max_load);
  return "";
}

int rank(const DeviceInfo& info) {
  if (info.kind == "discrete") return 0;
  if (info.kind == "integrated") return 1;
  if (info.kind == "virtual") return 2;
  return info.kind == "software" ? 3 : 4;
}

}  // namespace

Device select(const SelectOptions& options) {
  std::vector<DeviceInfo> all = devices();
  std::stable_sort(all.begin(), all.end(), [](const DeviceInfo& a, const DeviceInfo& b) { return rank(a) < rank(b); });
  std::string passed_over;
  for (const DeviceInfo& info : all) {
    const std::string why_not = objection(info, options);
    if (!why_not.empty()) {
      passed_over += cat(passed_over.empty() ? "" : "; ", info.id, " (", info.name, ") ", why_not);
      continue;
    }
    const Device found = device(info.id);
    set_default_device(found);
    emit({.kind = DeviceEvent::selected,
          .device = found,
          .message =
              cat("selected ", info.id, " (", info.name, ", ", info.kind, ")", passed_over.empty() ? "" : "; passed over: ", passed_over)});
    return found;
  }
  if (options.required) throw DeviceError("select", cat("no device fits: ", passed_over));
  const Device cpu = device("cpu");
  set_default_device(cpu);
  const std::string message = cat("fell back to the CPU: ", passed_over);
  warn(cat("select: ", message));
  emit({.kind = DeviceEvent::fallback, .device = cpu, .message = message});
  return cpu;
}

}  // namespace tidepool::inline v0
