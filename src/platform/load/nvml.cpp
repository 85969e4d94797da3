#include "platform/load/nvml.h"

#include <dlfcn.h>

namespace tidepool::inline v0 {

Nvml::Nvml(const std::string& library) : library_(dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (!library_) return;
  const auto find = [&]<class F>(F& function, const char* name) {
    function = reinterpret_cast<F>(dlsym(library_, name));
    return function != nullptr;
  };
  Status (*initialize)() = nullptr;
  const bool all = find(initialize, "nvmlInit_v2") && find(shutdown_, "nvmlShutdown") &&
                   find(handle_, "nvmlDeviceGetHandleByPciBusId_v2") && find(utilization_, "nvmlDeviceGetUtilizationRates");
  if (all && initialize() == 0) return;
  shutdown_ = nullptr;
  utilization_ = nullptr;
}

Nvml::~Nvml() {
  if (shutdown_) shutdown_();
  if (library_) dlclose(library_);
}

std::optional<double> Nvml::load(const std::string& address) const {
  Device device = nullptr;
  Utilization utilization{};
  if (!there() || handle_(address.c_str(), &device) != 0 || utilization_(device, &utilization) != 0) return std::nullopt;
  if (utilization.gpu > 100) return std::nullopt;
  return utilization.gpu / 100.0;
}

}  // namespace tidepool::inline v0
