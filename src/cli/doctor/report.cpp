#include "cli/doctor/report.h"

#include <sys/utsname.h>
#include <tidepool/version.h>

#include <algorithm>
#include <fstream>

#include "platform/bytes.h"
#include "platform/cat.h"
#include "platform/system.h"

namespace tidepool::cli {

namespace {

// As a cell of a table.
std::string cell(std::string text) {
  std::ranges::replace(text, '|', '/');
  std::ranges::replace(text, '\n', ' ');
  return text;
}

std::string row(const std::string& a, const std::string& b) { return cat("| ", cell(a), " | ", cell(b), " |\n"); }

std::string distribution() {
  std::ifstream file("/etc/os-release");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("PRETTY_NAME=")) {
      line.erase(0, 12);
      std::erase(line, '"');
      return line;
    }
  return "unknown distribution";
}

// Of uname's answers only those that are the same on many machines.
std::string system_text() {
  utsname names{};
  uname(&names);
  return cat(distribution(), ", ", names.sysname, ' ', names.release, ", ", names.machine);
}

std::string operations_text(const Trial& trial) {
  std::string text = "\n| operation | worst difference | allowed | |\n|---|---|---|---|\n";
  for (const Trial::Result& o : trial.operations)
    text += cat("| ", o.name, " | ", o.error.empty() ? rounded(o.worst) : cell(o.error), " | ", rounded(o.allowed), " | ",
                o.agreed() ? "agreed" : "**not agreed**", " |\n");
  return text;
}

std::string validation_text(const std::vector<Trial>& validated, const std::string& id) {
  const auto found = std::ranges::find(validated, id, &Trial::device);
  if (found == validated.end()) return "Validation: the layers are not installed.\n";
  if (!found->failure.empty()) return cat("Validation: the layers were on, and the test failed: ", cell(found->failure), "\n");
  return cat("Validation: the layers were on, and gave ", found->validation_messages.value_or(0), " messages.\n");
}

std::string device_text(const Report& report, const DeviceInfo& info, const Trial& trial, const Traits* traits) {
  std::string text =
      cat("\n## ", info.id, ": ", cell(info.name), "\n\n| | |\n|---|---|\n", row("kind", info.kind), row("driver", info.driver),
          row("memory", readable_bytes(info.memory_total)), row("memory free", readable_bytes(info.memory_free)));
  text += row("load", info.load ? cat(rounded(*info.load * 100), " % (", info.load_source, ")") : "unknown");
  if (traits)
    for (const auto& [name, value] : *traits) text += row(name, value);
  for (const Speed& speed : trial.speeds) text += row(speed.what, cat(rounded(speed.value), ' ', speed.unit));
  if (!trial.failure.empty()) text += cat("\n**The test failed**: ", cell(trial.failure), "\n");
  text += operations_text(trial);
  if (traits) text += "\n" + validation_text(report.validated, info.id);
  return text;
}

}  // namespace

std::string report_text(const Report& report) {
  std::string text =
      cat("# Tidepool device report\n\n| | |\n|---|---|\n", row("Tidepool", version()), row("system", system_text()),
          row("processor", cat(processor_name(), ", ", usable_cores(), " cores")),
          row("Vulkan's loader", report.survey.loader ? report.survey.loader_version : "none"), "\n| | check | found |\n|---|---|---|\n");
  for (const Finding& finding : report.findings.all())
    text += cat("| ", name_of(finding.level), " | ", cell(finding.about), " | ", cell(finding.text), " |\n");
  std::size_t vulkan = 0;
  for (std::size_t i = 0; i < report.devices.size() && i < report.trials.size(); ++i) {
    const DeviceInfo& info = report.devices[i];
    const bool has_traits = info.kind != "cpu" && vulkan < report.survey.devices.size();
    text += device_text(report, info, report.trials[i], has_traits ? &report.survey.devices[vulkan++] : nullptr);
  }
  return text;
}

}  // namespace tidepool::cli
