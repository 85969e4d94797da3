// What the driver made of our shaders, on disk for the next process: in TIDEPOOL_CACHE, or tidepool/ in the user's folder for
// caches; TIDEPOOL_CACHE=off keeps nothing. A file of another device, driver or version, or a damaged one, is passed over and
// written anew. Nothing here is an error: without it the next start takes longer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "backend/vulkan/vulkan.h"

namespace tidepool::inline v0 {

std::uint64_t hash(std::span<const std::byte> bytes);  // to notice damage, not malice

class PipelineFile {
 public:
  // The ending tells apart what is kept of one device.
  explicit PipelineFile(const VkPhysicalDeviceProperties& device, const char* ending = "pipelines");

  std::vector<std::byte> read() const;  // empty: there is nothing to begin with
  void write(std::span<const std::byte> data) const;
  const std::string& path() const { return path_; }  // empty: none is kept

 private:
  struct Header;
  Header header_for(std::span<const std::byte> data) const;

  std::string path_;
  std::uint32_t vendor_, device_, driver_;
  std::uint8_t uuid_[VK_UUID_SIZE];
};

}  // namespace tidepool::inline v0
