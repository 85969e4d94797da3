#include "device/loads.h"

#include "platform/load/cpu_load.h"
#include "platform/load/gpu_load.h"

#include <map>
#include <mutex>
#include <thread>

namespace tidepool::inline v0 {

namespace {

constexpr std::chrono::milliseconds between_readings{50};
constexpr int readings_to_settle = 5;

struct Watched {
  explicit Watched(const PciDevice& place) : gpu(place) {}
  CpuLoad cpu;
  GpuLoad gpu;
  LoadClock::time_point last{};
};

struct Loads {
  std::mutex mutex;
  std::map<std::string, Watched> devices;
};

Loads& loads() {
  static Loads& only = *new Loads;  // never destroyed: devices may be listed after main
  return only;
}

}  // namespace

Load load_of(const ListedDevice& device) {
  const bool is_cpu = device.info.kind == "cpu";
  if (!is_cpu && device.place.address.empty() && device.place.vendor == 0) return {};  // software: it has no load of its own
  const std::scoped_lock lock(loads().mutex);
  Watched& watched = loads().devices.try_emplace(device.id, device.place).first->second;
  const LoadClock::time_point now = LoadClock::now();
  if (now - watched.last >= between_readings) {
    if (is_cpu)
      watched.cpu.read({}, now);
    else
      watched.gpu.read({}, now);
    watched.last = now;
  }
  return is_cpu ? watched.cpu.load() : watched.gpu.load();
}

void settle_loads() {
  const std::vector<ListedDevice> all = list_devices();
  for (int i = 0; i < readings_to_settle; ++i) {
    if (i > 0) std::this_thread::sleep_for(between_readings);
    for (const ListedDevice& device : all) load_of(device);
  }
}

}  // namespace tidepool::inline v0
