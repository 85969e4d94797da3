// What a program calls (tidepool/monitor.h).
#include <tidepool/error.h>

#include "monitor/monitor.h"
#include "monitor/statistics.h"
#include "platform/cat.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

namespace tidepool::inline v0::monitor {

namespace {

struct SampleField {
  std::string_view name;
  double (*get)(const Sample&);
};
double or_nothing(const std::optional<double>& value) { return value.value_or(std::numeric_limits<double>::quiet_NaN()); }
template <auto member>
double field(const Sample& sample) {
  return static_cast<double>(sample.*member);
}
template <auto member>
double optional_field(const Sample& sample) {
  return or_nothing(sample.*member);
}
double step_ms(const Sample& sample) { return sample.step_ms > 0 ? sample.step_ms : std::numeric_limits<double>::quiet_NaN(); }
constexpr std::array sample_fields{
    SampleField{"step_ms", step_ms},
    SampleField{"live", field<&Sample::live>},
    SampleField{"reserved", field<&Sample::reserved>},
    SampleField{"cached", field<&Sample::cached>},
    SampleField{"peak", field<&Sample::peak>},
    SampleField{"tensors", field<&Sample::tensors>},
    SampleField{"launches", field<&Sample::launches>},
    SampleField{"compute_ms", field<&Sample::compute_ms>},
    SampleField{"transfer_ms", field<&Sample::transfer_ms>},
    SampleField{"transfers", field<&Sample::transfers>},
    SampleField{"transfer_bytes", field<&Sample::transfer_bytes>},
    SampleField{"wait_ms", field<&Sample::wait_ms>},
    SampleField{"loader_ms", field<&Sample::loader_ms>},
    SampleField{"samples_per_second", field<&Sample::samples_per_second>},
    SampleField{"utilisation", optional_field<&Sample::utilisation>},
    SampleField{"system_utilisation", optional_field<&Sample::system_utilisation>},
    SampleField{"loss", optional_field<&Sample::loss>},
    SampleField{"accuracy", optional_field<&Sample::accuracy>},
};

}  // namespace

void enable(const Options& options) {
  if (!(options.period >= 0.001 && options.period <= 3600))
    throw ArgumentError("monitor::enable", cat("period is ", options.period, " seconds; wanted 0.001 to 3600"));
  Monitor::only().enable(options);
}
void enable() { enable({}); }
void disable() { Monitor::only().disable(); }
bool enabled() { return Monitor::only().enabled(); }

Snapshot snapshot() { return snapshot(default_device()); }
Snapshot snapshot(const Device& device) { return Monitor::only().snapshot_of(device.slot()); }

const std::vector<std::string>& memory_tag_names() {
  static const std::vector<std::string>& names = *[] {
    auto* all = new std::vector<std::string>;
    for (std::size_t i = 0; i < memory_tags; ++i) all->emplace_back(tidepool::name_of(static_cast<MemoryTag>(i)));
    return all;
  }();
  return names;
}

Log log() { return {}; }
std::size_t Log::size() const { return Monitor::only().samples().size(); }
std::vector<Sample> Log::samples() const { return Monitor::only().samples(); }
std::vector<std::string> Log::names() const { return Monitor::only().figures.names(); }

std::vector<double> Log::values(std::string_view name) const {
  std::vector<double> all = Monitor::only().figures.values(name);
  if (!all.empty()) return all;
  for (const SampleField& field : sample_fields)
    if (field.name == name)
      for (const Sample& sample : samples())
        if (const double value = field.get(sample); !std::isnan(value)) all.push_back(value);
  return all;
}

double Log::percentile(std::string_view name, double p) const {
  if (!(p >= 0 && p <= 1)) throw ArgumentError("percentile", cat("p is ", p, "; wanted 0 to 1, such as 0.99"));
  const std::vector<double> all = values(name);
  if (all.empty()) {
    if (std::ranges::find(sample_fields, name, &SampleField::name) != std::end(sample_fields)) return 0;  // as averages() has it
    std::string known;
    for (const std::string& figure : names()) known += known.empty() ? figure : ", " + figure;
    for (const SampleField& field : sample_fields) known += (known.empty() ? "" : ", ") + std::string(field.name);
    throw ArgumentError("percentile", cat("nothing is known of '", name, "' yet; there can be: ", known));
  }
  return monitor::percentile(all, p);
}

Snapshot Log::averages() const {
  std::vector<Sample> all = samples();
  Snapshot average = snapshot(all.empty() || all.back().device.empty() ? default_device() : device(all.back().device));
  if (all.empty()) return average;
  // Another device's samples are of other memory and other totals.
  const std::string of = all.back().device;
  const auto periods = static_cast<double>(std::ranges::distance(std::ranges::find(all, of, &Sample::device), all.end()) - 1);
  std::erase_if(all, [&](const Sample& sample) { return sample.device != of; });
  const auto mean_if_known = [&](auto value) -> std::optional<double> {
    std::vector<double> known;
    for (const Sample& sample : all)
      if (const double one = value(sample); !std::isnan(one)) known.push_back(one);
    return known.empty() ? std::nullopt : std::optional(mean(known));
  };
  const auto mean_of = [&](auto value) { return *mean_if_known([&](const Sample& s) { return static_cast<double>(value(s)); }); };
  const auto bytes = [&](auto value) { return static_cast<std::size_t>(std::llround(mean_of(value))); };
  average.memory.tensors = std::llround(mean_of(field<&Sample::tensors>));
  average.memory.live_bytes = bytes(field<&Sample::live>);
  average.memory.reserved_bytes = bytes(field<&Sample::reserved>);
  average.memory.cached_bytes = bytes(field<&Sample::cached>);
  for (std::size_t i = 0; i < average.memory_by_tag.size(); ++i)
    average.memory_by_tag[i].bytes = bytes([i](const Sample& s) { return i < s.by_tag.size() ? s.by_tag[i] : 0; });
  average.utilisation = mean_if_known(optional_field<&Sample::utilisation>);
  average.system_utilisation = mean_if_known(optional_field<&Sample::system_utilisation>);
  average.step_ms = mean_if_known(step_ms).value_or(0);
  if (periods == 0) return average;  // of one sample: all since `enable`
  // The first samples may be gone, and with them what the totals began with.
  const auto each = [&]<class T>(T Sample::*member, T& into) {
    const double brought = (static_cast<double>(all.back().*member) - static_cast<double>(all.front().*member)) / periods;
    into = static_cast<T>(std::is_integral_v<T> ? std::round(brought) : brought);
  };
  each(&Sample::compute_ms, average.compute_ms);
  each(&Sample::transfer_ms, average.transfer_ms);
  each(&Sample::wait_ms, average.wait_ms);
  each(&Sample::transfer_bytes, average.transfer_bytes);
  each(&Sample::launches, average.launches);
  each(&Sample::flushes, average.flushes);
  each(&Sample::plan_runs, average.plan_runs);
  each(&Sample::transfers, average.transfers);
  return average;
}

std::vector<Anomaly> anomalies() { return Monitor::only().anomalies(); }
Forecast forecast() { return Monitor::only().record(false).forecast; }
Cost cost() { return Monitor::only().cost(); }

void record(std::string_view name, double value) {
  if (enabled()) Monitor::only().figures.add(name, value);
}

Zone::Zone(std::string_view name) {
  if (!watching.load(std::memory_order_relaxed)) [[likely]]
    return;
  name_ = Monitor::only().number_of_zone(name);
  start_ = steady_nanoseconds();
}

Zone::~Zone() {
  if (name_ == 0) [[likely]]
    return;
  const std::int64_t duration = steady_nanoseconds() - start_;
  const char* name = Monitor::only().name_of_zone(name_);
  Monitor::only().figures.add(name, static_cast<double>(duration) * 1e-6);
  Watcher::only().trace(
      {.kind = TraceEvent::zone, .name = name, .device = "", .thread = thread_number(), .start = start_, .duration = duration});
}

}  // namespace tidepool::inline v0::monitor
