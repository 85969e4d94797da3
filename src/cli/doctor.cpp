// tidepool doctor: is this machine fit, and if not, why not?
#include <tidepool/device.h>
#include <tidepool/version.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "backend/cpu/cpu_backend.h"
#include "cli/cli.h"
#include "cli/doctor/checks.h"
#include "cli/doctor/report.h"
#include "cli/doctor/trial.h"
#include "device/loads.h"
#include "platform/cat.h"
#include "platform/environment.h"
#include "platform/replace_file.h"

namespace tidepool::cli {

namespace {

struct DoctorOptions {
  std::string report, trial;
  bool json = false;
};

constexpr const char* send = "update the driver; if that does not help, write a report (tidepool doctor --report F) and send it";

std::string speeds_text(const Trial& trial) {
  std::string text;
  for (const Speed& speed : trial.speeds) text += cat(text.empty() ? "; " : ", ", speed.what, ' ', rounded(speed.value), ' ', speed.unit);
  return text;
}

void judge(Findings& findings, const DeviceInfo& info, const Trial& trial) {
  std::string wrong;
  for (const Trial::Result& o : trial.operations)
    if (!o.agreed()) wrong += cat(wrong.empty() ? "" : ", ", o.name, o.error.empty() ? " is off by " + rounded(o.worst) : " " + o.error);
  if (!trial.failure.empty() || trial.operations.empty())
    findings.fail(
        info.id,
        cat(info.name, ": the test failed", trial.operations.empty() ? "" : " after " + trial.operations.back().name, ": ", trial.failure),
        send);
  else if (!wrong.empty())
    findings.fail(info.id, cat(info.name, ": wrong numbers: ", wrong), send);
  else {
    const auto worst = std::ranges::max_element(trial.operations, {}, &Trial::Result::worst);
    findings.ok(info.id, cat(info.name, ": ", trial.operations.size(), " operations give the right numbers (worst difference ",
                             rounded(worst->worst), ", ", worst->name, ")", speeds_text(trial)));
  }
}

void judge_validated(Findings& findings, const Trial& trial) {
  if (!trial.failure.empty())
    findings.fail(trial.device, cat("with validation layers the test failed: ", trial.failure), send);
  else if (trial.validation_messages.value_or(0) > 0)
    findings.warn(trial.device, cat("the validation layers gave ", *trial.validation_messages, " messages"),
                  cat("send the report; TIDEPOOL_VALIDATION=1 tidepool doctor --trial ", trial.device, " shows them"));
  else
    findings.ok(trial.device, "the validation layers have nothing to say");
}

void write_report(const std::string& path, const std::string& text) {
  const std::span<const std::byte> pieces[] = {std::as_bytes(std::span(text))};
  replace_file("doctor", path, pieces);
}

void print_json(const Findings& findings, const std::vector<Trial>& trials) {
  nlohmann::ordered_json document{{"version", version()},
                                  {"usable", findings.count(Finding::fail) == 0},
                                  {"findings", nlohmann::ordered_json::array()},
                                  {"devices", nlohmann::ordered_json::array()}};
  for (const Finding& f : findings.all())
    document["findings"].push_back({{"level", name_of(f.level)}, {"about", f.about}, {"text", f.text}, {"fix", f.fix}});
  for (const Trial& trial : trials) document["devices"].push_back(as_json(trial));
  std::cout << document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
}

struct Machine {
  VulkanSurvey survey;
  std::vector<DeviceInfo> devices;
};

DeviceInfo cpu_alone() {
  const BackendInfo info = cpu_info();
  return {.id = "cpu",
          .name = info.name,
          .kind = info.kind,
          .driver = info.driver,
          .memory_total = info.memory_total,
          .memory_free = info.memory_free,
          .load = std::nullopt,
          .load_source = ""};
}

Machine check_machine(Findings& findings) {
  check_memory(findings);
  check_threads(findings);
  check_cache(findings);
  check_onednn(findings);
  check_drivers(findings);
  check_permissions(findings);
  if (!check_listing(findings)) return {.survey = {}, .devices = {cpu_alone()}};
  Machine machine{.survey = survey(), .devices = {}};
  check_loader(findings, machine.survey);
  check_validation(findings, machine.survey);
  settle_loads();
  machine.devices = devices();
  check_devices(findings, machine.survey, machine.devices);
  return machine;
}

int examine(const DoctorOptions& options) {
  Findings findings(!options.json);
  const Machine machine = check_machine(findings);
  std::vector<Trial> trials, validated;
  for (const DeviceInfo& info : machine.devices) {
    trials.push_back(try_apart(info.id, false));
    judge(findings, info, trials.back());
    if (options.report.empty() || !machine.survey.validation_layer || info.kind == "cpu") continue;
    validated.push_back(try_apart(info.id, true));
    judge_validated(findings, validated.back());
  }
  const std::size_t warnings = findings.count(Finding::warn), failures = findings.count(Finding::fail);
  if (options.json)
    print_json(findings, trials);
  else
    std::cout << (failures ? "Something is wrong: " : "Usable: ") << failures << " failed, " << warnings << " to think about.\n";
  if (!options.report.empty()) write_report(options.report, report_text({machine.devices, findings, machine.survey, trials, validated}));
  return failures ? failed : done;
}

}  // namespace

void add_doctor(Parser& parser) {
  Command command = parser.command("doctor", "Check this machine and its devices, and say what is wrong and how to mend it");
  const auto options = std::make_shared<DoctorOptions>();
  command.text("--report", options->report, "Write what was found to a Markdown file that can be sent; nothing about you is in it",
               {.type = "F"});
  command.flag("--json", options->json, "One JSON document");
  command.text("--trial", options->trial, "Only the test of this device, in this process, as one JSON document", {.type = "D"});
  command.runs([options] {
    if (options->trial.empty()) return examine(*options);
    const Trial trial = try_here(options->trial, environment_word("TIDEPOOL_VALIDATION", {"0", "1", "gpu"}) != "0");
    std::cout << as_json(trial).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
    return static_cast<int>(trial.failure.empty() ? done : failed);
  });
}

}  // namespace tidepool::cli
