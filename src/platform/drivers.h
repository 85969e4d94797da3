// What the system has for graphics cards before Vulkan is asked: the files that name drivers, and the cards' nodes in /dev.
#pragma once

#include <string>
#include <vector>

namespace tidepool::inline v0 {

// Where Vulkan's loader looks for drivers.
struct DriverFiles {
  std::vector<std::string> found;    // paths of *.json, which describe one driver each
  std::vector<std::string> missing;  // paths that a variable names and that are not there
  std::string variable;              // VK_DRIVER_FILES or VK_ICD_FILENAMES, where one of them replaces the folders
};
DriverFiles driver_files(const std::string& root = "/");

struct RenderNode {
  std::string name;   // "renderD128"
  bool ours = false;  // we may read and write it
};
std::vector<RenderNode> render_nodes(const std::string& dev = "/dev");

}  // namespace tidepool::inline v0
