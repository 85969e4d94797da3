// Dependencies point one way: cli → web, c → train → monitor → nn, optim, data, io, compute → ops → core → device → memory → backend →
// platform.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <string>

namespace {

namespace fs = std::filesystem;

// The event sink sits beside memory; the rest of the monitor is above the devices that it watches.
const std::map<std::string, int> layers{{"platform", 0}, {"backend", 1}, {"memory", 2}, {"device", 4}, {"core", 5},    {"ops", 6},
                                        {"nn", 7},       {"optim", 7},   {"data", 7},   {"io", 7},     {"compute", 7}, {"monitor", 8},
                                        {"train", 9},    {"c", 10},      {"web", 10},   {"cli", 11}};

std::string folder_of(const std::string& path) { return path.substr(0, path.find('/')); }

int layer_of(const std::string& path) {
  if (path.starts_with("monitor/event.")) return 2;
  if (path.starts_with("monitor/web/")) return layers.at("web");
  const auto found = layers.find(folder_of(path));
  return found == layers.end() ? -1 : found->second;
}

template <class Function>
void for_each_source(Function&& function) {
  const fs::path root = fs::path(TIDEPOOL_SOURCE_DIR) / "src";
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root)) {
    const std::string extension = entry.path().extension();
    if (extension != ".cpp" && extension != ".h" && extension != ".def" && extension != ".comp" && extension != ".glsl") continue;
    function(entry.path(), fs::relative(entry.path(), root).generic_string());
  }
}

TEST(Layers, NoFileIncludesWhatStandsAboveIt) {
  const std::regex include("^\\s*#\\s*include \"([^\"]+)\"");
  std::size_t checked = 0;
  for_each_source([&](const fs::path& path, const std::string& name) {
    EXPECT_GE(layer_of(name), 0) << name << " is in a folder that the design does not know";
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
      std::smatch match;
      if (!std::regex_search(line, match, include)) continue;
      const std::string included = match[1];
      if (folder_of(included) == "shaders") continue;  // made at build time
      ASSERT_NE(included.find('/'), std::string::npos) << name << " includes " << included << " without its folder";
      EXPECT_LE(layer_of(included), layer_of(name)) << name << " includes " << included << ", which stands above it";
      ++checked;
    }
  });
  EXPECT_GT(checked, 100U);
}

TEST(Layers, NothingOfVulkanOrAnotherLibraryShowsInPublicHeaders) {
  const std::regex system_include("^\\s*#\\s*include <([^>]+)>");
  for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(TIDEPOOL_SOURCE_DIR) / "include/tidepool")) {
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      std::smatch match;
      if (!std::regex_search(line, match, system_include)) continue;
      const std::string included = match[1];
      const bool ours = included.starts_with("tidepool/"),
                 standard = included.find('/') == std::string::npos && included.find('.') == std::string::npos,
                 for_c = entry.path().filename() == "c.h" && (included == "stddef.h" || included == "stdint.h");
      EXPECT_TRUE(ours || standard || for_c) << entry.path().filename() << " includes <" << included << ">";
    }
  }
}

TEST(Layers, VulkanStaysInItsFolder) {
  for_each_source([&](const fs::path& path, const std::string& name) {
    if (name.starts_with("backend/vulkan/")) return;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);)
      EXPECT_EQ(line.find("Vk") != std::string::npos && std::regex_search(line, std::regex("\\bVk[A-Z]")), false) << name << ": " << line;
  });
}

}  // namespace
