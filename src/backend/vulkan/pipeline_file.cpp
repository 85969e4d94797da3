#include "backend/vulkan/pipeline_file.h"

#include <tidepool/error.h>
#include <tidepool/version.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "platform/cache_folder.h"
#include "platform/cat.h"
#include "platform/log.h"
#include "platform/replace_file.h"

namespace tidepool::inline v0 {

namespace {

constexpr std::size_t most_pipeline_bytes = std::size_t{64} << 20;

}  // namespace

std::uint64_t hash(std::span<const std::byte> bytes) {  // FNV-1a
  std::uint64_t value = 0xcbf29ce484222325U;
  for (const std::byte byte : bytes) value = (value ^ static_cast<std::uint64_t>(byte)) * 0x100000001b3U;
  return value;
}

struct PipelineFile::Header {
  char magic[8];
  char version[16];  // ours
  std::uint32_t vendor, device, driver, unused;
  std::uint8_t uuid[VK_UUID_SIZE];
  std::uint64_t bytes, hash;
};

PipelineFile::PipelineFile(const VkPhysicalDeviceProperties& device, const char* ending)
    : vendor_(device.vendorID), device_(device.deviceID), driver_(device.driverVersion) {
  std::memcpy(uuid_, device.pipelineCacheUUID, VK_UUID_SIZE);
  const std::string folder = cache_folder();
  if (!folder.empty()) path_ = cat(folder, "/vulkan-", vendor_, "-", device_, ".", ending);
}

PipelineFile::Header PipelineFile::header_for(std::span<const std::byte> data) const {
  Header header{};
  std::memcpy(header.magic, "tidepool", 8);
  std::strncpy(header.version, TIDEPOOL_VERSION, sizeof header.version - 1);
  header.vendor = vendor_;
  header.device = device_;
  header.driver = driver_;
  std::memcpy(header.uuid, uuid_, VK_UUID_SIZE);
  header.bytes = data.size();
  header.hash = hash(data);
  return header;
}

std::vector<std::byte> PipelineFile::read() const {
  if (path_.empty()) return {};
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path_, error);
  if (error || size < sizeof(Header) || size > most_pipeline_bytes) return {};
  std::ifstream file(path_, std::ios::binary);
  Header header;
  std::vector<std::byte> data(static_cast<std::size_t>(size) - sizeof header);
  file.read(reinterpret_cast<char*>(&header), sizeof header);
  file.read(reinterpret_cast<char*>(data.data()), static_cast<std::streamsize>(data.size()));
  const Header wanted = header_for(data);
  if (!file || std::memcmp(&header, &wanted, sizeof header) != 0) {
    log_info(path_, " is of another device, driver or version, or damaged: it is written anew");
    return {};
  }
  return data;
}

void PipelineFile::write(std::span<const std::byte> data) const {
  if (path_.empty() || data.size() > most_pipeline_bytes) return;
  const Header header = header_for(data);
  const std::array<std::span<const std::byte>, 2> pieces{std::as_bytes(std::span(&header, 1)), data};
  try {
    std::filesystem::create_directories(std::filesystem::path(path_).parent_path());
    replace_file("vulkan", path_, pieces);
  } catch (const std::exception& error) {
    log_info("compiled shaders are not kept: ", error.what());
  }
}

}  // namespace tidepool::inline v0
