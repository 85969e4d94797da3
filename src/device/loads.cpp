#include "device/loads.h"

#include "backend/cpu/cpu_backend.h"
#include "platform/load/cpu_load.h"
#include "platform/load/gpu_load.h"

#include <map>
#include <mutex>
#include <thread>
#include <utility>

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
  std::map<std::string, std::function<Load()>> pretended;
};

Loads& loads() {
  static Loads& only = *new Loads;  // never destroyed: devices may be listed after main
  return only;
}

std::function<Load()> pretended(const std::string& id) {
  const std::scoped_lock lock(loads().mutex);
  const auto found = loads().pretended.find(id);
  return found == loads().pretended.end() ? nullptr : found->second;
}

}  // namespace

Load load_of(const ListedDevice& device) {
  if (const auto pretend = pretended(device.id)) return pretend();
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

Load load_of(const std::string& id) {
  if (const auto pretend = pretended(id)) return pretend();
  if (id == "cpu") return load_of(ListedDevice{.id = id, .info = cpu_info(), .place = {}});
  if (id.starts_with("vulkan"))
    for (const ListedDevice& device : list_devices())
      if (device.id == id) return load_of(device);
  return {};
}

std::chrono::milliseconds between_looks_at_load() {
  const std::scoped_lock lock(loads().mutex);
  return std::chrono::milliseconds(loads().pretended.empty() ? 2000 : 20);
}

PretendedLoad::PretendedLoad(std::string id, std::function<Load()> load) : id_(std::move(id)) {
  const std::scoped_lock lock(loads().mutex);
  loads().pretended[id_] = std::move(load);
}

PretendedLoad::~PretendedLoad() {
  const std::scoped_lock lock(loads().mutex);
  loads().pretended.erase(id_);
}

void settle_loads() {
  const std::vector<ListedDevice> all = list_devices();
  for (int i = 0; i < readings_to_settle; ++i) {
    if (i > 0) std::this_thread::sleep_for(between_readings);
    for (const ListedDevice& device : all) load_of(device);
  }
}

}  // namespace tidepool::inline v0
