#include "backend/vulkan/timestamps.h"

#include <array>

namespace tidepool::inline v0 {

Timestamps::~Timestamps() {
  if (!device_.abandoned) device_.call.vkDestroyQueryPool(device_.handle, pool_, nullptr);
}

void Timestamps::begin(VkCommandBuffer commands) {
  kernels_.clear();
  on_ = device_.timing;
  if (!on_) return;
  if (!pool_) {
    const VkQueryPoolCreateInfo info{
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = VK_QUERY_TYPE_TIMESTAMP, .queryCount = 2 * most};
    device_.check(device_.call.vkCreateQueryPool(device_.handle, &info, nullptr, &pool_), "vkCreateQueryPool");
  }
  device_.call.vkCmdResetQueryPool(commands, pool_, 0, 2 * most);
}

void Timestamps::before(VkCommandBuffer commands, const KernelDef& kernel) {
  if (kernels_.size() == most) on_ = false;
  if (!on_) return;
  const auto query = static_cast<std::uint32_t>(2 * kernels_.size());
  kernels_.push_back(&kernel);
  device_.call.vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, pool_, query);
}

void Timestamps::after(VkCommandBuffer commands) {
  if (!on_) return;
  device_.call.vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool_,
                                   static_cast<std::uint32_t>(2 * kernels_.size() - 1));
}

void Timestamps::collect(std::vector<LaunchTime>& into) const {
  const double period = static_cast<double>(device_.limits.timestampPeriod);  // nanoseconds
  const std::uint64_t mask =
      device_.physical.timestamp_bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << device_.physical.timestamp_bits) - 1;
  for (std::uint32_t i = 0; i < kernels_.size(); ++i) {
    std::array<std::uint64_t, 2> ticks{};
    const VkResult result = device_.call.vkGetQueryPoolResults(device_.handle, pool_, 2 * i, 2, sizeof ticks, ticks.data(), sizeof ticks[0],
                                                               VK_QUERY_RESULT_64_BIT);
    if (result != VK_SUCCESS) continue;  // not there: then it is not known
    into.push_back(
        {.kernel = kernels_[i],
         .time = std::chrono::nanoseconds(static_cast<std::int64_t>(static_cast<double>((ticks[1] - ticks[0]) & mask) * period))});
  }
}

}  // namespace tidepool::inline v0
