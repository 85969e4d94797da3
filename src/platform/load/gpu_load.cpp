#include "platform/load/gpu_load.h"

#include "platform/cat.h"
#include "platform/load/gpu_busy_percent.h"

namespace tidepool::inline v0 {

namespace {

constexpr std::uint32_t nvidia = 0x10de;
constexpr int too_many_full = 10;  // readings of 100 % in a row that make us look for who is so busy
constexpr double hardly_busy = 0.1;
constexpr const char* stuck = "gpu_busy_percent is stuck at 100 %";

}  // namespace

void GpuLoad::find(const LoadRoots& roots) {
  found_ = true;
  card_ = find_card(drm_cards(roots.sys), pci_);
  if (pci_.address.empty() && card_) pci_.address = card_->pci.address;
  if (pci_.address.empty()) return;
  if (pci_.vendor == nvidia) nvml_ = std::make_unique<Nvml>(roots.nvml);
  fdinfo_ = std::make_unique<FdinfoLoad>(pci_.address);
}

// Some of AMD's firmware says 100 % for as long as an idle card's clock stands still. So a figure that never moves is
// believed only while some program is seen to be at work.
bool GpuLoad::is_stuck(const LoadRoots& roots, LoadClock::time_point now, double busy) {
  full_ = busy == 1.0 ? full_ + 1 : 0;
  if (full_ < too_many_full - 1) return false;
  clients_ = fdinfo_->read(roots.proc, now);
  return full_ >= too_many_full && clients_.value.value_or(0.0) < hardly_busy;
}

void GpuLoad::say(const std::optional<double>& value, const std::string& source, LoadClock::time_point now) {
  if (source != load_.source) average_.forget();
  if (value) average_.add(*value, now);
  load_ = {.value = average_.value(), .source = source};
  if (!load_.value) load_.source = "";
}

void GpuLoad::say_fdinfo(const FdinfoLoad::Reading& reading, const std::string& source, LoadClock::time_point now) {
  if (!reading.value) average_.forget();  // who was there has gone, and nobody is left to ask
  say(reading.value, reading.complete ? source : source + ", of the processes that we may see", now);
}

void GpuLoad::read(const LoadRoots& roots, LoadClock::time_point now) {
  if (!found_) find(roots);
  if (const auto busy = card_ ? read_gpu_busy_percent(*card_) : std::nullopt) {
    if (!is_stuck(roots, now, *busy)) return say(busy, "gpu_busy_percent", now);
    if (clients_.complete && clients_.value) return say_fdinfo(clients_, cat("fdinfo; ", stuck), now);
    average_.forget();
    load_ = {.value = std::nullopt, .source = stuck};  // others may be at work whom we cannot see
    return;
  }
  if (const auto rate = nvml_ ? nvml_->load(pci_.address) : std::nullopt) return say(rate, "NVML", now);
  if (fdinfo_) say_fdinfo(fdinfo_->read(roots.proc, now), "fdinfo", now);
}

}  // namespace tidepool::inline v0
