#include "cli/doctor/trial.h"

#include <tidepool/device.h>
#include <tidepool/error.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "backend/cpu/cpu_backend.h"
#include "backend/cpu/instructions.h"
#include "backend/vulkan/survey.h"
#include "device/slot.h"
#include "platform/cat.h"
#include "platform/child_process.h"

namespace tidepool::cli {

namespace {

constexpr std::chrono::seconds time_for_a_trial{180};

// What results are compared with: one thread, plain instructions, no library.
Device plain_cpu() {
  static DeviceSlot& slot = *new DeviceSlot("plain", [] { return open_cpu(1, baseline); });  // never destroyed, as all devices
  return Device(slot);
}

std::vector<float> computed_on(const Device& device, const TrialOperation& operation) {
  set_default_device(device);
  return operation.compute().to_host<float>();
}

Trial::Result compare(const TrialOperation& operation, const std::vector<float>& wanted, const std::vector<float>& got) {
  Trial::Result result{.name = operation.name, .worst = 0, .allowed = operation.allowed, .error = ""};
  if (wanted.size() != got.size()) result.error = cat("gives ", got.size(), " numbers, wanted ", wanted.size());
  for (std::size_t i = 0; i < wanted.size() && result.error.empty(); ++i) {
    const double w = wanted[i], g = got[i];
    if (!std::isfinite(g))
      result.error = "gives NaN or infinity";
    else
      result.worst = std::max(result.worst, std::abs(g - w) / std::max(1.0, std::abs(w)));
  }
  return result;
}

std::uint64_t messages() {
#ifdef TIDEPOOL_VULKAN
  return validation_messages();
#else
  return 0;
#endif
}

Trial from_json(const nlohmann::ordered_json& json) {
  Trial trial{.device = json.at("device"), .failure = json.at("failure"), .operations = {}, .speeds = {}, .validation_messages = {}};
  for (const auto& o : json.at("operations"))
    trial.operations.push_back({.name = o.at("name"), .worst = o.at("worst"), .allowed = o.at("allowed"), .error = o.at("error")});
  for (const auto& s : json.at("speeds")) trial.speeds.push_back({.what = s.at("what"), .value = s.at("value"), .unit = s.at("unit")});
  if (const auto& count = json.at("validation_messages"); !count.is_null()) trial.validation_messages = count.get<std::uint64_t>();
  return trial;
}

}  // namespace

Trial try_here(const std::string& id, bool validation) {
  Trial trial{.device = id, .failure = "", .operations = {}, .speeds = {}, .validation_messages = {}};
  try {
    const Device device = tidepool::device(id);
    for (const TrialOperation& operation : trial_operations()) {
      const std::vector<float> wanted = computed_on(plain_cpu(), operation);
      trial.operations.push_back(compare(operation, wanted, computed_on(device, operation)));
    }
    set_default_device(device);
    if (!validation) trial.speeds = measure_speeds();
  } catch (const Error& error) {
    trial.failure = error.what();
  }
  if (validation) trial.validation_messages = messages();
  return trial;
}

Trial try_apart(const std::string& id, bool validation) {
  const ChildResult child =
      run_program("/proc/self/exe", {"doctor", "--trial", id}, {{"TIDEPOOL_VALIDATION", validation ? "1" : "0"}}, time_for_a_trial);
  Trial trial{.device = id, .failure = "", .operations = {}, .speeds = {}, .validation_messages = {}};
  if (child.timed_out)
    trial.failure = cat("did not end within ", time_for_a_trial.count(), " s");
  else if (child.signal)
    trial.failure = cat("crashed with signal ", child.signal);
  else
    try {
      return from_json(nlohmann::ordered_json::parse(child.output));
    } catch (const nlohmann::json::exception&) {
      trial.failure = cat("ended with status ", child.status, " and said nothing that can be read");
    }
  return trial;
}

nlohmann::ordered_json as_json(const Trial& trial) {
  nlohmann::ordered_json json{{"device", trial.device},
                              {"failure", trial.failure},
                              {"operations", nlohmann::ordered_json::array()},
                              {"speeds", nlohmann::ordered_json::array()},
                              {"validation_messages", nullptr}};
  for (const Trial::Result& o : trial.operations)
    json["operations"].push_back(
        {{"name", o.name}, {"worst", o.worst}, {"allowed", o.allowed}, {"error", o.error}, {"agreed", o.agreed()}});
  for (const Speed& s : trial.speeds) json["speeds"].push_back({{"what", s.what}, {"value", s.value}, {"unit", s.unit}});
  if (trial.validation_messages) json["validation_messages"] = *trial.validation_messages;
  return json;
}

std::string rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

}  // namespace tidepool::cli
