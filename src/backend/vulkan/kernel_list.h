// The kernels that the last processes used on a device, on disk beside its pipelines: what is worth making before it is asked for.
//
//     KernelList list(device.properties);
//     for (const std::string& recipe : list.known()) …     // the latest first
//     list.used(recipe_of(kernel));
//     list.write();
//
// A recipe is all that a pipeline is made from, as text: the shader's name, a hash of its words, how many bindings it has, and its
// constants. So the list needs no kernel to be known by name, and a shader that has changed is not in it.
#pragma once

#include "backend/launch.h"
#include "backend/vulkan/pipeline_file.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tidepool::inline v0 {

std::string recipe_of(const KernelDef& kernel);  // empty for a kernel whose shader has no name
// A kernel to make the pipeline from; nothing when the shader is not there or is another by now. Its name lives as long as the process.
std::optional<KernelDef> kernel_of(const std::string& recipe);

class KernelList {
 public:
  explicit KernelList(const VkPhysicalDeviceProperties& device);

  bool kept() const { return !file_.path().empty(); }
  std::vector<std::string> known() const;  // what earlier processes used, the latest first
  void used(const std::string& recipe);
  bool is_used(const std::string& recipe) const { return now_.contains(recipe); }
  void write();  // when it has changed

 private:
  std::string text() const;

  PipelineFile file_;
  std::map<std::string, int> before_;  // how many processes ago each was used
  std::map<std::string, int> now_;
  std::string written_;
};

}  // namespace tidepool::inline v0
