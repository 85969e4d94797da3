#include "device/select.h"

#include <tidepool/error.h>

#include "device/loads.h"
#include "device/slot.h"
#include "platform/bytes.h"
#include "platform/cat.h"
#include "platform/log.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace tidepool::inline v0 {

namespace {

std::string percent(double share) { return cat(std::lround(share * 100), " %"); }

// Why a device is passed over; empty when it fits.
std::string objection(const DeviceInfo& info, const SelectOptions& options) {
  const bool named = !options.name.empty();
  if (named && info.id != options.name && info.name.find(options.name) == std::string::npos)
    return cat("is not called '", options.name, "'");
  if (!named && info.kind == "software" && !options.allow_software) return "is a software rasteriser (set allow_software, or name it)";
  if (!named && options.prefer_gpu && info.kind == "cpu") return "is the CPU, and a GPU is wanted (turn prefer_gpu off, or name it)";
  if (!named && !options.prefer_gpu && info.kind != "cpu") return "is a GPU, and prefer_gpu is off";
  if (info.memory_free < options.min_memory)
    return cat("has ", readable_bytes(info.memory_free), " free of the ", readable_bytes(options.min_memory), " wanted");
  if (info.load && *info.load > options.max_load)
    return cat("is ", percent(*info.load), " busy by ", info.load_source, ", more than the ", percent(options.max_load), " wanted");
  return "";
}

// Drivers list devices that they then cannot open, and a lost one is listed too.
std::string cannot_be_used(const DeviceInfo& info) {
  try {
    require_usable(device(info.id));
    return "";
  } catch (const DeviceError& error) {
    return cat("cannot be used: ", error.what());
  }
}

bool has_gpu(const std::vector<DeviceInfo>& all) {
  return std::ranges::any_of(all, [](const DeviceInfo& info) { return info.kind != "cpu"; });
}

// What a user can do about it beyond the reasons themselves.
std::string advice(const std::vector<DeviceInfo>& all) { return has_gpu(all) ? "" : "; no GPU was found (`tidepool doctor` says why)"; }

std::string selected_text(const std::vector<DeviceInfo>& all, const Choice& choice) {
  const DeviceInfo& info = all[*choice.index];
  const std::string load = info.load ? cat(percent(*info.load), " busy by ", info.load_source) : "load unknown";
  const std::string others = passed_over_text(all, choice);
  return cat("selected ", info.id, " (", info.name, ", ", info.kind, ", ", readable_bytes(info.memory_free), " free, ", load, ")",
             others.empty() ? "" : "; passed over: ", others);
}

}  // namespace

std::vector<std::size_t> best_first(const std::vector<DeviceInfo>& all) {
  constexpr std::array kinds = {"discrete", "integrated", "virtual", "software"};
  const auto rank = [&](std::size_t i) { return std::ranges::find(kinds, all[i].kind) - kinds.begin(); };
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, rank);
  return order;
}

Choice choose(const std::vector<DeviceInfo>& all, const SelectOptions& options,
              const std::function<std::string(const DeviceInfo&)>& trouble) {
  const std::vector<std::size_t> order = best_first(all);
  Choice choice;
  for (const std::size_t i : order) {
    std::string why = objection(all[i], options);
    if (why.empty()) why = trouble(all[i]);
    if (why.empty()) {
      choice.index = i;
      break;
    }
    choice.passed_over.push_back({.index = i, .why = std::move(why)});
  }
  return choice;
}

std::string passed_over_text(const std::vector<DeviceInfo>& all, const Choice& choice) {
  std::string text;
  for (const auto& [index, why] : choice.passed_over)
    text += cat(text.empty() ? "" : "; ", all[index].id, " (", all[index].name, ") ", why);
  return text;
}

Device select(const SelectOptions& options) {
  if (!(options.max_load >= 0.0 && options.max_load <= 1.0))
    throw ArgumentError("select", cat("max_load is ", options.max_load, ", wanted 0 to 1: 0.8 for devices that are at most 80 % busy"));
  if (options.max_load < 1.0) settle_loads();
  const std::vector<DeviceInfo> all = devices();
  const Choice choice = choose(all, options, cannot_be_used);
  if (choice.index) {
    const Device found = device(all[*choice.index].id);
    set_default_device(found);
    emit({.kind = DeviceEvent::selected, .device = found, .message = selected_text(all, choice)});
    return found;
  }
  const std::string reasons = cat(passed_over_text(all, choice), advice(all));
  if (options.required) throw DeviceError("select", cat("no device fits: ", reasons));
  const Device cpu = device("cpu");
  set_default_device(cpu);
  const std::string message = cat("fell back to the CPU: ", reasons);
  warn(cat("select: ", message));
  emit({.kind = DeviceEvent::fallback, .device = cpu, .message = message});
  return cpu;
}

}  // namespace tidepool::inline v0
