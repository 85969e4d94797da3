#include "backend/vulkan/vulkan_backend.h"

#include <tidepool/error.h>

#include <cstring>
#include <type_traits>

#include "backend/vulkan/queue.h"
#include "backend/vulkan/staging.h"
#include "platform/cat.h"

namespace tidepool::inline v0 {
namespace {

struct VulkanRecording : Recording {
  VulkanRecording(VulkanDevice& device, Pipelines& pipelines) : commands(device, pipelines, this) {}
  CommandList commands;
};

constexpr std::size_t worth_staging = 4096;  // bytes, to be read from memory that is mapped but not cached

class VulkanBackend : public Backend {
 public:
  VulkanBackend(std::shared_ptr<const VulkanInstance> instance, const PhysicalDevice& physical, std::size_t most_pipelines)
      : device_(std::move(instance), physical),
        heap_(device_),
        staging_(device_),
        pipelines_(device_, most_pipelines),
        queue_(device_, pipelines_) {}

  BackendInfo info() override { return describe(device_.physical); }
  Memory* allocate(std::size_t bytes) override { return heap_.allocate(bytes); }
  void free(Memory* memory) override {
    if (!memory->host) staging_.finish();
    heap_.free(static_cast<VulkanMemory*>(memory));
  }
  void load(const KernelDef& kernel) override { pipelines_.load(kernel); }
  void unload(const KernelDef& kernel) override { pipelines_.forget(kernel); }
  void warm() override { pipelines_.warm(); }
  void record(const Launch& launch) override { queue_.record(launch); }

  void upload(Memory* to, std::size_t offset, std::span<const std::byte> bytes) override {
    assert(offset + bytes.size() <= to->bytes);
    if (bytes.empty()) return;  // and may be nowhere
    if (to->host)
      std::memcpy(to->host + offset, bytes.data(), bytes.size());
    else
      staging_.upload(static_cast<const VulkanMemory&>(*to), offset, bytes);
  }
  void download(Memory* from, std::size_t offset, std::span<std::byte> bytes) override {
    assert(offset + bytes.size() <= from->bytes);
    if (bytes.empty()) return;
    if (from->host && !(heap_.slow_to_read() && bytes.size() > worth_staging))
      std::memcpy(bytes.data(), from->host + offset, bytes.size());
    else
      staging_.download(static_cast<const VulkanMemory&>(*from), offset, bytes);
  }

  std::unique_ptr<Recording> bake(std::span<const Launch> launches) override {
    auto recording = std::make_unique<VulkanRecording>(device_, pipelines_);
    recording->commands.begin(VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
    for (const Launch& launch : launches) recording->commands.add(launch);
    recording->commands.end();
    return recording;
  }
  Serial submit(Recording* recording) override {
    return or_the_end(
        [&] { return recording ? queue_.submit(static_cast<VulkanRecording*>(recording)->commands) : queue_.submit_batch(); });
  }
  bool wait(Serial serial, std::chrono::nanoseconds time) override {
    if (time.count() <= 0) return queue_.wait(serial, time);
    pipelines_.keep_if_due();
    return or_the_end([&] { return queue_.wait(serial, time); });
  }
  void set_patience(std::chrono::nanoseconds time) override { device_.patience = time; }
  bool time_launches(bool on) override {
    const bool has_clock = device_.physical.timestamp_bits > 0 && device_.limits.timestampPeriod > 0;
    device_.timing = on && has_clock;
    return has_clock;
  }
  void take_times(std::vector<LaunchTime>& into) override { queue_.take_times(into); }

 private:
  // An error here is the device's end for whoever gets it, and then recordings go, which may be under way.
  template <class Function>
  std::invoke_result_t<Function> or_the_end(Function&& function) {
    try {
      return function();
    } catch (const DeviceError&) {
      queue_.end_work();
      throw;
    }
  }

  VulkanDevice device_;  // the order matters: the queue goes first, and waits for its work
  VulkanHeap heap_;
  Staging staging_;
  Pipelines pipelines_;
  VulkanQueue queue_;
};

}  // namespace

std::vector<BackendInfo> list_vulkan_devices() {
  const auto instance = vulkan_instance();
  std::vector<BackendInfo> all;
  for (const PhysicalDevice& device : instance->devices()) all.push_back(describe(device));
  return all;
}

std::vector<PciDevice> list_vulkan_places() {
  const auto instance = vulkan_instance();
  std::vector<PciDevice> all;
  for (const PhysicalDevice& device : instance->devices()) all.push_back(place_of(device));
  return all;
}

std::unique_ptr<Backend> open_vulkan(std::size_t index, std::size_t most_pipelines) {
  auto instance = vulkan_instance();
  const auto devices = instance->devices();
  if (devices.empty())
    throw DeviceError("vulkan", cat("device ", index,
                                    " was asked for, but no Vulkan 1.2 device was found; install a driver (on Debian: "
                                    "mesa-vulkan-drivers) or use the device \"cpu\""));
  if (index >= devices.size())
    throw DeviceError("vulkan",
                      cat("device ", index, " was asked for, but there are ", devices.size(), "; wanted 0 to ", devices.size() - 1));
  const PhysicalDevice& physical = devices[index];
  return std::make_unique<VulkanBackend>(std::move(instance), physical, most_pipelines);
}

}  // namespace tidepool::inline v0
