// The device's own clock before and after each launch of a command list, where that is asked for.
#pragma once

#include "backend/vulkan/device.h"

#include <vector>

namespace tidepool::inline v0 {

class Timestamps {
 public:
  // Of a recording's launches, or of a batch's.
  Timestamps(VulkanDevice& device, const Recording* recording) : device_(device), recording_(recording) {}
  ~Timestamps();
  Timestamps(const Timestamps&) = delete;
  Timestamps& operator=(const Timestamps&) = delete;

  void begin(VkCommandBuffer commands);  // from here on, if the device is timed now
  bool on() const { return on_; }
  void before(VkCommandBuffer commands, const Launch& launch);
  void after(VkCommandBuffer commands);
  void collect(std::vector<LaunchTime>& into) const;  // the submission is finished

 private:
  static constexpr std::uint32_t most = 1024;  // launches; later ones are not timed

  VulkanDevice& device_;
  const Recording* recording_;
  VkQueryPool pool_ = VK_NULL_HANDLE;
  struct Timed {
    const KernelDef* kernel;
    const char* operation;
    std::uint32_t stands_for;
  };
  std::vector<Timed> launches_;
  bool on_ = false;
  bool open_ = false;  // a launch that is timed has begun
};

}  // namespace tidepool::inline v0
