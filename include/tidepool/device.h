// Devices: what there is, which one is used, and what happens to it.
//
//     tp::Device gpu = tp::select({.prefer_gpu = true});      // falls back to the CPU with a warning
//     tp::Tensor t = tp::zeros({2, 2}, {.device = gpu});
//     tp::on_device_event([](const tp::DeviceEvent& e) { std::cerr << e.message << '\n'; });
#pragma once

#include <tidepool/version.h>

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidepool::inline v0 {

class DeviceSlot;

// A device's name. Default-constructed it stands for the default device at the time of use.
// After `reset(d)`, d means the new one.
class TIDEPOOL_API Device {
 public:
  Device() = default;
  explicit Device(DeviceSlot& slot) : slot_(&slot) {}
  const std::string& id() const;  // "cpu", "vulkan:0"
  DeviceSlot& slot() const;       // for the library itself
  friend bool operator==(const Device& a, const Device& b) { return &a.slot() == &b.slot(); }

 private:
  DeviceSlot* slot_ = nullptr;
};
TIDEPOOL_API std::ostream& operator<<(std::ostream& out, const Device& device);

struct DeviceInfo {
  std::string id;      // what `device()` takes: "cpu", "vulkan:0"
  std::string name;    // what its maker calls it
  std::string kind;    // "cpu", "discrete", "integrated", "virtual", "software" or "test"
  std::string driver;  // name and version, where there is one
  std::size_t memory_total = 0;
  std::size_t memory_free = 0;
  std::optional<double> load;  // 0 to 1; absent when nobody knows
  std::string load_source;
};

struct SelectOptions {
  bool prefer_gpu = true;
  std::size_t min_memory = 0;
  double max_load = 1.0;
  std::string name = "";  // an id, or part of a name
  bool required = false;  // an error rather than the CPU when nothing fits
  bool allow_software = false;
};

struct DeviceEvent {
  enum Kind { selected, fallback, lost, restored, slow, paced };
  Kind kind = selected;
  Device device;
  std::string message;
};

TIDEPOOL_API std::vector<DeviceInfo> devices();
TIDEPOOL_API Device select(const SelectOptions& options = {});  // and makes it the default
TIDEPOOL_API Device device(std::string_view id);
TIDEPOOL_API Device default_device();
TIDEPOOL_API void set_default_device(const Device& device);
// Makes the device anew. What lived on it is gone: using such a tensor throws DeviceLost.
TIDEPOOL_API void reset(const Device& device);
// The function is called for every event from now on until the process ends, from the thread that caused it.
TIDEPOOL_API void on_device_event(std::function<void(const DeviceEvent&)> function);

}  // namespace tidepool::inline v0
