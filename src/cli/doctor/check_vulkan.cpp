#include <chrono>
#include <filesystem>

#include "cli/doctor/checks.h"
#include "platform/cat.h"
#include "platform/child_process.h"
#include "platform/drivers.h"

namespace tidepool::cli {

namespace {

constexpr std::chrono::seconds time_to_list{60};
constexpr const char* get_driver =
    "install your GPU's Vulkan driver (Debian: mesa-vulkan-drivers for AMD and Intel, nvidia-driver for NVIDIA)";

std::string file_names(const std::vector<std::string>& paths) {
  std::string text;
  for (const std::string& path : paths) text += cat(text.empty() ? "" : ", ", std::filesystem::path(path).filename().string());
  return text;
}

}  // namespace

VulkanSurvey survey() {
#ifdef TIDEPOOL_VULKAN
  return survey_vulkan();
#else
  return {};
#endif
}

bool check_listing(Findings& findings) {
  const ChildResult child = run_program("/proc/self/exe", {"devices", "--json"}, {}, time_to_list);
  if (child.status == 0) return true;
  const std::string how = child.timed_out ? cat("takes more than ", time_to_list.count(), " s")
                          : child.signal  ? cat("crashes with signal ", child.signal)
                                          : "fails";
  findings.fail("devices", "listing the devices " + how + ": a Vulkan driver is broken",
                "update it, or leave it out by setting VK_DRIVER_FILES to the file of another; `tidepool devices` shows the same");
  return false;
}

void check_loader(Findings& findings, const VulkanSurvey& survey) {
#ifndef TIDEPOOL_VULKAN
  findings.warn("loader", "this build is without Vulkan: only the CPU can be used", "build with -DTIDEPOOL_VULKAN=ON");
  return;
#endif
  if (survey.loader)
    findings.ok("loader", cat("Vulkan ", survey.loader_version));
  else
    findings.warn("loader", "Vulkan's loader, libvulkan.so.1, is not there: no GPU can be used, the CPU serves",
                  "install it (Debian: libvulkan1)");
}

void check_drivers(Findings& findings) {
  const DriverFiles files = driver_files();
  if (!files.missing.empty())
    findings.warn("drivers", cat(files.variable, " names drivers that are not there: ", file_names(files.missing)),
                  cat("correct it or unset it; it says ", files.missing.front()));
  else if (files.found.empty())
    findings.warn("drivers", "no Vulkan driver is installed", get_driver);
  else
    findings.ok("drivers", file_names(files.found) + (files.variable.empty() ? "" : ", by " + files.variable));
}

void check_permissions(Findings& findings) {
  std::string refused, ours;
  for (const RenderNode& node : render_nodes()) {
    std::string& list = node.ours ? ours : refused;
    list += cat(list.empty() ? "" : ", ", node.name);
  }
  if (!refused.empty())
    findings.fail("permissions", cat("a graphics card is there, but this user may not use it: ", refused),
                  "join the group that owns it and log in again: sudo usermod -aG render,video $USER");
  else if (ours.empty())
    findings.warn("permissions", "the kernel shows no graphics card",
                  "with a GPU in the machine, for which there would be a node in /dev/dri: install its kernel driver; in a container: pass "
                  "the card on (docker run --device /dev/dri)");
  else
    findings.ok("permissions", ours + " may be used");
}

void check_validation(Findings& findings, const VulkanSurvey& survey) {
  if (survey.validation_layer)
    findings.ok("validation", "Vulkan's validation layers are installed");
  else
    findings.ok("validation", "Vulkan's validation layers are not installed; only reports want them (Debian: vulkan-validationlayers)");
}

void check_devices(Findings& findings, const VulkanSurvey& survey, const std::vector<DeviceInfo>& devices) {
  for (const std::string& device : survey.unusable) findings.warn("devices", device, "update its driver");
  std::string gpus;
  for (const DeviceInfo& info : devices)
    if (info.kind != "cpu" && info.kind != "software") gpus += cat(gpus.empty() ? "" : ", ", info.id, " (", info.name, ")");
  if (gpus.empty())
    findings.warn("devices", "Vulkan shows no GPU; all that there is runs on the CPU", get_driver);
  else
    findings.ok("devices", gpus);
}

}  // namespace tidepool::cli
