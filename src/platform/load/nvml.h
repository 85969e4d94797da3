// NVIDIA's library for watching its GPUs, which comes with the driver and is opened when first needed.
#pragma once

#include <optional>
#include <string>

namespace tidepool::inline v0 {

class Nvml {
 public:
  // A library that is not there, or that finds no driver, knows no loads.
  explicit Nvml(const std::string& library);
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  bool there() const { return utilization_ != nullptr; }
  // 0 to 1, of the GPU with this PCI address. Absent where it does not support the question, as small and virtual ones do not.
  std::optional<double> load(const std::string& address) const;

 private:
  struct Utilization {
    unsigned int gpu, memory;  // percent
  };
  using Device = void*;
  using Status = int;  // 0 is success

  void* library_ = nullptr;
  Status (*handle_)(const char* address, Device*) = nullptr;
  Status (*utilization_)(Device, Utilization*) = nullptr;
  Status (*shutdown_)() = nullptr;
};

}  // namespace tidepool::inline v0
