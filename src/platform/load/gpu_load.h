// How busy a GPU is, from whichever source its driver has: gpu_busy_percent, NVML, or the kernel's fdinfo.
//
//     GpuLoad gpu({.address = "0000:03:00.0", .vendor = 0x1002, .device = 0x73bf});
//     gpu.read({}, LoadClock::now());   // every now and then
//     gpu.load();                       // {0.37, "gpu_busy_percent"}
#pragma once

#include <memory>

#include "platform/load/drm_card.h"
#include "platform/load/fdinfo.h"
#include "platform/load/load_average.h"
#include "platform/load/nvml.h"

namespace tidepool::inline v0 {

class GpuLoad {
 public:
  explicit GpuLoad(PciDevice pci) : pci_(std::move(pci)) {}
  void read(const LoadRoots& roots, LoadClock::time_point now);
  const Load& load() const { return load_; }

 private:
  void find(const LoadRoots& roots);
  bool is_stuck(const LoadRoots& roots, LoadClock::time_point now, double busy);
  void say(const std::optional<double>& value, const std::string& source, LoadClock::time_point now);
  void say_fdinfo(const FdinfoLoad::Reading& reading, const std::string& source, LoadClock::time_point now);

  PciDevice pci_;
  std::optional<DrmCard> card_;
  std::unique_ptr<Nvml> nvml_;
  std::unique_ptr<FdinfoLoad> fdinfo_;
  FdinfoLoad::Reading clients_;
  bool found_ = false;
  int full_ = 0;  // readings of exactly 100 % in a row
  LoadAverage average_;
  Load load_;
};

}  // namespace tidepool::inline v0
