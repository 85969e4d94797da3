// What a program calls (tidepool/monitor.h).
#include <tidepool/error.h>

#include "monitor/monitor.h"
#include "monitor/statistics.h"
#include "platform/cat.h"

#include <array>
#include <cmath>
#include <limits>

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
constexpr std::array sample_fields{
    SampleField{"step_ms", [](const Sample& s) { return s.step_ms > 0 ? s.step_ms : std::numeric_limits<double>::quiet_NaN(); }},
    SampleField{"live", field<&Sample::live>},
    SampleField{"reserved", field<&Sample::reserved>},
    SampleField{"cached", field<&Sample::cached>},
    SampleField{"peak", field<&Sample::peak>},
    SampleField{"tensors", field<&Sample::tensors>},
    SampleField{"launches", field<&Sample::launches>},
    SampleField{"compute_ms", field<&Sample::compute_ms>},
    SampleField{"transfer_ms", field<&Sample::transfer_ms>},
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
    std::string known;
    for (const std::string& figure : names()) known += known.empty() ? figure : ", " + figure;
    for (const SampleField& field : sample_fields) known += (known.empty() ? "" : ", ") + std::string(field.name);
    throw ArgumentError("percentile", cat("nothing is known of '", name, "' yet; there can be: ", known));
  }
  return monitor::percentile(all, p);
}

Snapshot Log::averages() const {
  const std::vector<Sample> all = samples();
  Snapshot average = snapshot(all.empty() || all.back().device.empty() ? default_device() : device(all.back().device));
  if (all.empty()) return average;
  const auto count = static_cast<double>(all.size());
  const auto mean_of = [&](auto member) {
    double sum = 0;
    for (const Sample& sample : all) sum += static_cast<double>(sample.*member);
    return sum / count;
  };
  const auto bytes = [&](auto member) { return static_cast<std::size_t>(std::llround(mean_of(member))); };
  average.memory.tensors = std::llround(mean_of(&Sample::tensors));
  average.memory.live_bytes = bytes(&Sample::live);
  average.memory.reserved_bytes = bytes(&Sample::reserved);
  average.memory.cached_bytes = bytes(&Sample::cached);
  for (std::size_t i = 0; i < average.memory_by_tag.size(); ++i) {
    double sum = 0;
    for (const Sample& sample : all) sum += i < sample.by_tag.size() ? static_cast<double>(sample.by_tag[i]) : 0.0;
    average.memory_by_tag[i].bytes = static_cast<std::size_t>(std::llround(sum / count));
  }
  const auto mean_or = [&](std::string_view name) -> std::optional<double> {
    const std::vector<double> known = values(name);
    return known.empty() ? std::nullopt : std::optional(mean(known));
  };
  average.utilisation = mean_or("utilisation");
  average.system_utilisation = mean_or("system_utilisation");
  average.step_ms = mean_or("step_ms").value_or(0);
  // Totals become what a sample's time brings.
  const auto each = [&](auto total) { return static_cast<decltype(total)>(static_cast<double>(total) / count); };
  average.compute_ms = each(average.compute_ms);
  average.transfer_ms = each(average.transfer_ms);
  average.wait_ms = each(average.wait_ms);
  average.transfer_bytes = each(average.transfer_bytes);
  average.launches = each(average.launches);
  average.flushes = each(average.flushes);
  average.plan_runs = each(average.plan_runs);
  average.transfers = each(average.transfers);
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
