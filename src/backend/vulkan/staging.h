// Copies between the host and memory that it cannot reach, through a ring of pieces that it can. Uploads go on by themselves:
// what is submitted later sees them, and a piece is waited for only when its turn comes again.
//
//     staging.upload(memory, 0, bytes);
#pragma once

#include "backend/vulkan/memory.h"

#include <array>
#include <cstddef>
#include <span>

namespace tidepool::inline v0 {

class Staging {
 public:
  explicit Staging(VulkanDevice& device);
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  void upload(const VulkanMemory& to, std::size_t offset, std::span<const std::byte> bytes);
  void download(const VulkanMemory& from, std::size_t offset, std::span<std::byte> bytes);  // of work that is finished
  void finish();                                                                            // uploads under way

 private:
  static constexpr std::size_t pieces = 4, piece_bytes = std::size_t{2} << 20;
  struct Piece {
    VkCommandPool pool = VK_NULL_HANDLE;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    VkFence fence = VK_NULL_HANDLE;
    bool under_way = false;
  };

  void open();
  std::size_t next();  // a piece that is free
  void wait(Piece& piece);
  void copy(std::size_t piece, VkBuffer from, VkBuffer to, const VkBufferCopy& region, bool to_host);
  std::byte* host(std::size_t piece) const { return memory_->host + piece * piece_bytes; }

  VulkanDevice& device_;
  VulkanHeap heap_;
  VulkanMemory* memory_ = nullptr;  // made when first needed
  std::array<Piece, pieces> pieces_{};
  bool open_ = false;  // all of it was made
  std::size_t turn_ = 0;
};

}  // namespace tidepool::inline v0
