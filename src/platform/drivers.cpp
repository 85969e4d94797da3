#include "platform/drivers.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "platform/environment.h"

namespace tidepool::inline v0 {

namespace {

namespace fs = std::filesystem;

std::vector<std::string> files_in(const fs::path& folder, const std::string& ending) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().string().ends_with(ending)) files.push_back(entry->path().string());
  std::ranges::sort(files);
  return files;
}

// A variable may name files and folders, with colons between.
void read_list(DriverFiles& files, const std::string& list) {
  std::istringstream parts(list);
  for (std::string path; std::getline(parts, path, ':');) {
    std::error_code error;
    if (path.empty()) continue;
    if (fs::is_directory(path, error))
      for (std::string& file : files_in(path, ".json")) files.found.push_back(std::move(file));
    else
      (fs::exists(path, error) ? files.found : files.missing).push_back(path);
  }
}

}  // namespace

DriverFiles driver_files(const std::string& root) {
  DriverFiles files;
  for (const char* variable : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"})  // the loader takes the newer name first
    if (const auto list = environment(variable)) {
      files.variable = variable;
      read_list(files, *list);
      return files;
    }
  for (const char* folder : {"etc", "usr/local/etc", "usr/local/share", "usr/share"})
    for (std::string& file : files_in(fs::path(root) / folder / "vulkan/icd.d", ".json")) files.found.push_back(std::move(file));
  return files;
}

std::vector<RenderNode> render_nodes(const std::string& dev) {
  std::vector<RenderNode> nodes;
  for (const std::string& path : files_in(dev + "/dri", "")) {
    const std::string name = fs::path(path).filename().string();
    if (name.starts_with("renderD")) nodes.push_back({.name = name, .ours = eaccess(path.c_str(), R_OK | W_OK) == 0});
  }
  return nodes;
}

}  // namespace tidepool::inline v0
