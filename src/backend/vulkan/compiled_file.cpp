#include "backend/vulkan/compiled_file.h"

#include <tidepool/version.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "platform/cache_folder.h"
#include "platform/cat.h"
#include "platform/log.h"
#include "platform/replace_file.h"
#include "platform/sha256.h"

namespace tidepool::inline v0 {

namespace {

namespace fs = std::filesystem;

using Hash = std::array<std::uint8_t, 32>;
constexpr std::size_t most_compiled_bytes = std::size_t{16} << 20;

std::string in_hex(const Hash& hash) {
  std::string text;
  for (const std::uint8_t byte : hash) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

Hash hash_of(std::span<const std::uint32_t> words) { return sha256({reinterpret_cast<const char*>(words.data()), words.size_bytes()}); }

void remove_oldest(const fs::path& folder) {
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) files.emplace_back(entry.last_write_time(), entry.path());
  if (files.size() <= CompiledFile::most) return;
  std::ranges::sort(files);
  for (std::size_t i = 0; i < files.size() - CompiledFile::most * 3 / 4; ++i) fs::remove(files[i].second);
}

}  // namespace

CompiledFile::CompiledFile(std::string_view text) {
  const std::string folder = cache_folder();
  if (!folder.empty()) path_ = cat(folder, "/glsl/", in_hex(sha256(cat(TIDEPOOL_VERSION, '\n', text))), ".spv");
}

std::vector<std::uint32_t> CompiledFile::read() const {
  if (path_.empty()) return {};
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path_, error);
  if (error || size <= sizeof(Hash) || size > most_compiled_bytes) return {};
  std::ifstream file(path_, std::ios::binary);
  Hash hash{};
  std::vector<std::uint32_t> words((static_cast<std::size_t>(size) - sizeof hash) / sizeof(std::uint32_t));
  file.read(reinterpret_cast<char*>(hash.data()), sizeof hash);
  file.read(reinterpret_cast<char*>(words.data()), static_cast<std::streamsize>(words.size() * sizeof words[0]));
  if (!file || hash != hash_of(words)) return {};
  return words;
}

void CompiledFile::write(std::span<const std::uint32_t> words) const {
  if (path_.empty() || words.size_bytes() + sizeof(Hash) > most_compiled_bytes) return;
  const Hash hash = hash_of(words);
  const std::array<std::span<const std::byte>, 2> pieces{std::as_bytes(std::span(hash)), std::as_bytes(words)};
  try {
    const fs::path folder = fs::path(path_).parent_path();
    fs::create_directories(folder);
    replace_file("vulkan", path_, pieces);
    remove_oldest(folder);
  } catch (const std::exception& error) {
    log_info("compiled GLSL is not kept: ", error.what());
  }
}

}  // namespace tidepool::inline v0
