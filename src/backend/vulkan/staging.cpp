#include "backend/vulkan/staging.h"

#include <tidepool/error.h>

#include <algorithm>
#include <cstring>

namespace tidepool::inline v0 {

Staging::Staging(VulkanDevice& device) : device_(device), heap_(device, VulkanHeap::Kind::staging) {}

Staging::~Staging() {
  if (device_.abandoned) return;
  for (const Piece& piece : pieces_) {
    if (piece.under_way && !device_.lost) device_.wait_for(piece.fence, device_.patience);
    device_.call.vkDestroyFence(device_.handle, piece.fence, nullptr);
    device_.call.vkDestroyCommandPool(device_.handle, piece.pool, nullptr);
  }
}

void Staging::open() {
  if (open_) return;
  if (!memory_) memory_ = heap_.allocate(pieces * piece_bytes);
  if (!memory_)
    throw DeviceError("vulkan", "there is no host memory for copies to and from the device, wanted 8 MiB; free some and try again");
  for (Piece& piece : pieces_) {
    const VkCommandPoolCreateInfo pool{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                       .queueFamilyIndex = device_.physical.compute_family};
    if (!piece.pool) device_.check(device_.call.vkCreateCommandPool(device_.handle, &pool, nullptr, &piece.pool), "vkCreateCommandPool");
    const VkCommandBufferAllocateInfo info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                           .commandPool = piece.pool,
                                           .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                           .commandBufferCount = 1};
    if (!piece.commands)
      device_.check(device_.call.vkAllocateCommandBuffers(device_.handle, &info, &piece.commands), "vkAllocateCommandBuffers");
    const VkFenceCreateInfo fence{.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    if (!piece.fence) device_.check(device_.call.vkCreateFence(device_.handle, &fence, nullptr, &piece.fence), "vkCreateFence");
  }
  open_ = true;
}

void Staging::wait(Piece& piece) {
  if (!piece.under_way) return;
  const VkResult result = device_.wait_for(piece.fence, device_.patience);
  if (result == VK_TIMEOUT) device_.give_up(device_.patience);
  device_.check(result, "vkWaitForFences");
  piece.under_way = false;
}

std::size_t Staging::next() {
  open();
  const std::size_t piece = turn_++ % pieces;
  wait(pieces_[piece]);
  return piece;
}

void Staging::copy(std::size_t index, VkBuffer from, VkBuffer to, const VkBufferCopy& region, bool to_host) {
  Piece& piece = pieces_[index];
  device_.check(device_.call.vkResetCommandPool(device_.handle, piece.pool, 0), "vkResetCommandPool");
  device_.check(device_.call.vkResetFences(device_.handle, 1, &piece.fence), "vkResetFences");
  const VkCommandBufferBeginInfo begin{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                       .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
  device_.check(device_.call.vkBeginCommandBuffer(piece.commands, &begin), "vkBeginCommandBuffer");
  // After everything that was submitted before; what comes later begins with a barrier of its own.
  const VkMemoryBarrier before{.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                               .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
                               .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT};
  device_.call.vkCmdPipelineBarrier(piece.commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
                                    VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1, &before, 0, nullptr, 0, nullptr);
  device_.call.vkCmdCopyBuffer(piece.commands, from, to, 1, &region);
  if (to_host) {
    const VkMemoryBarrier after{
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT, .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    device_.call.vkCmdPipelineBarrier(piece.commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &after, 0, nullptr,
                                      0, nullptr);
  }
  device_.check(device_.call.vkEndCommandBuffer(piece.commands), "vkEndCommandBuffer");
  device_.submit(piece.commands, piece.fence);
  piece.under_way = true;
}

void Staging::upload(const VulkanMemory& to, std::size_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const std::span<const std::byte> part = bytes.first(std::min(bytes.size(), piece_bytes));
    const std::size_t piece = next();
    std::memcpy(host(piece), part.data(), part.size());
    copy(piece, memory_->buffer, to.buffer, {.srcOffset = piece * piece_bytes, .dstOffset = offset, .size = part.size()}, false);
    offset += part.size();
    bytes = bytes.subspan(part.size());
  }
}

void Staging::download(const VulkanMemory& from, std::size_t offset, std::span<std::byte> bytes) {
  // One part is copied on the device while the one before it is copied on the host.
  std::span<std::byte> arriving;
  std::size_t arriving_piece = 0;
  const auto receive = [&] {
    if (arriving.empty()) return;
    wait(pieces_[arriving_piece]);
    std::memcpy(arriving.data(), host(arriving_piece), arriving.size());
  };
  while (!bytes.empty()) {
    const std::span<std::byte> part = bytes.first(std::min(bytes.size(), piece_bytes));
    const std::size_t piece = next();
    copy(piece, from.buffer, memory_->buffer, {.srcOffset = offset, .dstOffset = piece * piece_bytes, .size = part.size()}, true);
    receive();
    arriving = part;
    arriving_piece = piece;
    offset += part.size();
    bytes = bytes.subspan(part.size());
  }
  receive();
}

void Staging::finish() {
  for (Piece& piece : pieces_) wait(piece);
}

}  // namespace tidepool::inline v0
