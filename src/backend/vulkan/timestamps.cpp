#include "backend/vulkan/timestamps.h"

#include <algorithm>
#include <array>
#include <chrono>

namespace tidepool::inline v0 {

Timestamps::~Timestamps() {
  if (!device_.abandoned) device_.call.vkDestroyQueryPool(device_.handle, pool_, nullptr);
}

void Timestamps::begin(VkCommandBuffer commands) {
  launches_.clear();
  on_ = device_.timing;
  if (!on_) return;
  if (!pool_) {
    const VkQueryPoolCreateInfo info{
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = VK_QUERY_TYPE_TIMESTAMP, .queryCount = 2 * most};
    device_.check(device_.call.vkCreateQueryPool(device_.handle, &info, nullptr, &pool_), "vkCreateQueryPool");
  }
  device_.call.vkCmdResetQueryPool(commands, pool_, 0, 2 * most);
}

void Timestamps::before(VkCommandBuffer commands, const Launch& launch) {
  open_ = on_ && launches_.size() < most && (recording_ || launch.stands_for);
  if (!open_) return;
  const auto query = static_cast<std::uint32_t>(2 * launches_.size());
  launches_.push_back({launch.kernel, launch.operation, launch.stands_for});
  device_.call.vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, pool_, query);
}

void Timestamps::after(VkCommandBuffer commands) {
  if (!open_) return;
  device_.call.vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool_,
                                   static_cast<std::uint32_t>(2 * launches_.size() - 1));
}

// The device's clock has another zero than the host's, and what a launch took is over by now: the least distance ever seen between the
// two is the nearest to the truth.
void Timestamps::collect(std::vector<LaunchTime>& into) const {
  const auto period = static_cast<double>(device_.limits.timestampPeriod);  // nanoseconds
  const auto in_nanoseconds = [&](std::uint64_t ticks) {
    return std::chrono::nanoseconds(static_cast<std::int64_t>(static_cast<double>(ticks) * period));
  };
  const std::uint64_t mask =
      device_.physical.timestamp_bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << device_.physical.timestamp_bits) - 1;
  const std::chrono::nanoseconds now = std::chrono::steady_clock::now().time_since_epoch();
  const std::size_t first = into.size();
  for (std::uint32_t i = 0; i < launches_.size(); ++i) {
    std::array<std::uint64_t, 2> ticks{};
    const VkResult result = device_.call.vkGetQueryPoolResults(device_.handle, pool_, 2 * i, 2, sizeof ticks, ticks.data(), sizeof ticks[0],
                                                               VK_QUERY_RESULT_64_BIT);
    if (result != VK_SUCCESS) continue;  // not there: then it is not known
    const std::chrono::nanoseconds start = in_nanoseconds(ticks[0]), time = in_nanoseconds((ticks[1] - ticks[0]) & mask);
    device_.clock_distance = std::min(device_.clock_distance, now - (start + time));
    into.push_back({.kernel = launches_[i].kernel,
                    .operation = launches_[i].operation,
                    .recording = recording_,
                    .stands_for = launches_[i].stands_for,
                    .start = start,
                    .time = time});
  }
  for (std::size_t i = first; i < into.size(); ++i) into[i].start += device_.clock_distance;
}

}  // namespace tidepool::inline v0
