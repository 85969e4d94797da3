#include "monitor/prometheus.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <map>
#include <ranges>
#include <string_view>

#include "memory/block.h"
#include "monitor/number_text.h"
#include "platform/utf8.h"

namespace tidepool::inline v0::monitor {

namespace {

enum class Type : std::uint8_t { counter, gauge };

struct Label {
  const char* name;
  std::string_view value;
};
using Labels = std::initializer_list<Label>;

std::string labels_text(Labels labels) {
  std::string text;
  for (const Label& label : labels) {
    text += text.empty() ? "{" : ",";
    text += label.name;
    text += "=\"";
    for (const char c : valid_utf8(label.value)) {
      if (c == '\\' || c == '"') text += '\\';
      c == '\n' ? text += "\\n" : text += c;
    }
    text += '"';
  }
  return text.empty() ? text : text + '}';
}

// One name with its values; nothing at all is written for one without any.
class Metric {
 public:
  Metric(std::string& out, Type type, std::string_view name, std::string_view help) : out_(out), type_(type), name_(name), help_(help) {}
  ~Metric() {
    if (values_.empty()) return;
    const std::string full = "tidepool_" + name_;
    out_ += "# HELP " + full + ' ' + help_ + "\n# TYPE " + full + (type_ == Type::counter ? " counter\n" : " gauge\n");
    for (const auto& [labels, value] : values_) {
      out_ += full + labels + ' ';
      append(value);
      out_ += '\n';
    }
  }
  Metric(const Metric&) = delete;
  Metric& operator=(const Metric&) = delete;

  // A series may be there once only: what counts the same is added up.
  Metric& add(Labels labels, double value) {
    double& kept = values_[labels_text(labels)];
    kept = type_ == Type::counter ? kept + value : value;
    return *this;
  }
  Metric& add(Labels labels, std::optional<double> value) { return value ? add(labels, *value) : *this; }
  template <std::integral Count>
  Metric& add(Labels labels, Count value) {
    return add(labels, static_cast<double>(value));
  }

 private:
  void append(double value) {
    if (std::isnan(value)) {
      out_ += "NaN";
    } else if (std::isinf(value)) {
      out_ += value > 0 ? "+Inf" : "-Inf";
    } else if (std::abs(value) < 1e15 && value == std::trunc(value)) {
      append_number(out_, static_cast<std::int64_t>(value));
    } else {
      append_number(out_, value);
    }
  }
  std::string& out_;
  Type type_;
  std::string name_, help_;
  std::map<std::string, double> values_;
};

class Exposition {
 public:
  explicit Exposition(const RunRecord& run) : run_(run) {}
  std::string text() && {
    describe();
    if (!run_.samples.empty()) {
      memory(run_.samples.back());
      work(run_.samples.back());
    }
    kernels();
    if (run_.training) training(*run_.training);
    watching();
    return std::move(out_);
  }

 private:
  Metric counter(std::string_view name, std::string_view help) { return {out_, Type::counter, name, help}; }
  Metric gauge(std::string_view name, std::string_view help) { return {out_, Type::gauge, name, help}; }

  void describe() {
    gauge("build_info", "Always 1; the version of the library is in the label.").add({{"version", run_.version}}, 1);
    gauge("watched_seconds", "How long the run is being watched.").add({}, run_.time);
    const RunDevice& d = run_.device;
    if (d.id.empty()) return;
    gauge("device_info", "Always 1; the device that works is in the labels.")
        .add({{"device", d.id}, {"name", d.name}, {"kind", d.kind}, {"driver", d.driver}}, 1);
    if (d.memory_total > 0) gauge("device_memory_bytes", "Memory of the device.").add({{"device", d.id}}, d.memory_total);
  }

  void memory(const Sample& s) {
    const Label device{"device", s.device};
    gauge("tensors", "Tensors that live.").add({device}, s.tensors);
    gauge("memory_live_bytes", "Memory that tensors have.").add({device}, s.live);
    gauge("memory_reserved_bytes", "Memory taken from the device.").add({device}, s.reserved);
    gauge("memory_cached_bytes", "Memory taken from the device that nobody has now.").add({device}, s.cached);
    gauge("memory_peak_bytes", "The most memory that was taken from the device.").add({device}, s.peak);
    if (s.limit > 0) gauge("memory_limit_bytes", "The most memory that may be taken from the device.").add({device}, s.limit);
    Metric tagged = gauge("memory_tagged_bytes", "Memory lent, by what it is for.");
    for (std::size_t i = 0; i < std::min(s.by_tag.size(), memory_tags); ++i)
      tagged.add({device, {"tag", name_of(static_cast<MemoryTag>(i))}}, s.by_tag[i]);
  }

  void work(const Sample& s) {
    const Label device{"device", s.device};
    counter("launches_total", "Kernels launched.").add({device}, s.launches);
    counter("flushes_total", "Batches of commands sent to the device.").add({device}, s.flushes);
    counter("plan_runs_total", "Plans run.").add({device}, s.plan_runs);
    counter("allocations_total", "Blocks of memory taken from the device.").add({device}, s.allocations);
    counter("reuses_total", "Blocks of memory lent again without asking the device.").add({device}, s.reuses);
    counter("evictions_total", "Idle blocks of memory given back to the device to make room.").add({device}, s.evictions);
    counter("transfer_bytes_total", "Bytes copied to and from the device.").add({device}, s.transfer_bytes);
    counter("transfer_seconds_total", "Time that copies to and from the device took.").add({device}, s.transfer_ms / 1e3);
    counter("compute_seconds_total", "Time that kernels took on the device.").add({device}, s.compute_ms / 1e3);
    counter("wait_seconds_total", "Time that the program waited for the device.").add({device}, s.wait_ms / 1e3);
    gauge("utilisation_ratio", "Share of the device's time that was in use: by this run, and by everybody as the system tells.")
        .add({device, {"source", "run"}}, s.utilisation)
        .add({device, {"source", "system"}}, s.system_utilisation);
  }

  void kernels() {
    Metric launches = counter("kernel_launches_total", "Launches of a kernel.");
    Metric seconds = counter("kernel_seconds_total", "Time of a kernel on the device, by the launches that were timed.");
    for (const KernelRow& k : run_.kernels) {
      launches.add({{"kernel", k.name}, {"device", k.device}}, k.launches);
      if (k.timed > 0) seconds.add({{"kernel", k.name}, {"device", k.device}}, k.device_ms / 1e3);
    }
  }

  void training(const RunTraining& t) {
    const Label task{"task", t.task};
    // The position goes back after a recovery; what was done does not.
    gauge("training_step", "Steps that training has behind it; fewer again after a recovery.").add({task}, t.step);
    gauge("training_epoch", "Epochs that training has behind it; fewer again after a recovery.").add({task}, t.epoch);
    if (!run_.samples.empty())
      counter("training_steps_total", "Training steps done, those done again as well.").add({}, run_.samples.back().steps);
    gauge("training_planned_epochs", "Epochs that training is to have.").add({task}, t.epochs);
    gauge("training_finished", "1 when training has done all that it was to do.").add({task}, t.finished ? 1 : 0);
    gauge("training_loss", "Loss of the last steps.").add({task}, last(&Sample::loss));
    gauge("training_accuracy_ratio", "Accuracy of the last steps.").add({task}, last(&Sample::accuracy));
    if (const Sample* s = last_with_steps()) {
      gauge("training_step_seconds", "Mean time of the last training steps.").add({task}, s->step_ms / 1e3);
      gauge("training_loader_seconds", "Mean time that the last training steps waited for their batch.").add({task}, s->loader_ms / 1e3);
      gauge("training_samples_per_second", "Samples that the last training steps went through.").add({task}, s->samples_per_second);
    }
    const auto tested = std::ranges::find_if(std::views::reverse(run_.epochs), &RunEpoch::has_test);
    if (tested != run_.epochs.rend()) {
      gauge("training_test_loss", "Loss over the test samples after the last epoch.").add({task}, tested->test_loss);
      gauge("training_test_accuracy_ratio", "Accuracy over the test samples after the last epoch.").add({task}, tested->test_accuracy);
    }
    if (run_.forecast.training_end)
      gauge("training_left_seconds", "When training is expected to end, from now.").add({task}, run_.forecast.training_end->seconds);
  }

  void watching() {
    Metric anomalies = counter("anomalies_total", "What was out of the ordinary, by kind.");
    for (const auto kind : {Anomaly::step_time, Anomaly::memory, Anomaly::leak, Anomaly::loss, Anomaly::loader, Anomaly::evictions})
      anomalies.add({{"kind", name_of(kind)}}, 0);
    for (const auto& [kind, count] : run_.totals.anomalies) anomalies.add({{"kind", name_of(kind)}}, count);
    Metric events = counter("device_events_total", "What became of devices, by kind.");
    for (const auto& [of, count] : run_.totals.events) events.add({{"kind", of.first}, {"device", of.second}}, count);
    if (run_.forecast.memory_full)
      gauge("memory_full_seconds", "When memory is expected to reach its limit, from now.")
          .add({{"device", run_.device.id}}, run_.forecast.memory_full->seconds);
    Metric figures = gauge("figure", "The last value of a figure of the program's own.");
    for (const auto& [name, figure] : run_.figures)
      if (figure.count > 0) figures.add({{"name", name}}, figure.last);
    counter("watching_seconds_total", "Time that watching took, on threads that compute and on its own.")
        .add({{"thread", "compute"}}, run_.cost.seconds)
        .add({{"thread", "background"}}, run_.cost.background_seconds);
  }

  // A sample in which no step ended has none: then the one before says.
  std::optional<double> last(std::optional<double> Sample::*field) const {
    for (const Sample& s : std::views::reverse(run_.samples))
      if (s.*field) return s.*field;
    return std::nullopt;
  }
  const Sample* last_with_steps() const {
    for (const Sample& s : std::views::reverse(run_.samples))
      if (s.step_ms > 0) return &s;
    return nullptr;
  }

  const RunRecord& run_;
  std::string out_;
};

}  // namespace

std::string prometheus_text(const RunRecord& run) { return Exposition(run).text(); }

}  // namespace tidepool::inline v0::monitor
