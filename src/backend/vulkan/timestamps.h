// The device's own clock before and after each launch of a command list, where that is asked for.
#pragma once

#include "backend/vulkan/device.h"

#include <vector>

namespace tidepool::inline v0 {

class Timestamps {
 public:
  explicit Timestamps(VulkanDevice& device) : device_(device) {}
  ~Timestamps();
  Timestamps(const Timestamps&) = delete;
  Timestamps& operator=(const Timestamps&) = delete;

  void begin(VkCommandBuffer commands);  // from here on, if the device is timed now
  bool on() const { return on_; }
  void before(VkCommandBuffer commands, const KernelDef& kernel);
  void after(VkCommandBuffer commands);
  void collect(std::vector<LaunchTime>& into) const;  // the submission is finished

 private:
  static constexpr std::uint32_t most = 1024;  // launches; later ones are not timed

  VulkanDevice& device_;
  VkQueryPool pool_ = VK_NULL_HANDLE;
  std::vector<const KernelDef*> kernels_;
  bool on_ = false;
};

}  // namespace tidepool::inline v0
