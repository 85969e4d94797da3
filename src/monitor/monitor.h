// The monitor's own state: samples, figures, training, events. Public functions (tidepool/monitor.h), the sampler's thread and the
// trainer's watch meet here.
#pragma once

#include "monitor/anomalies.h"
#include "monitor/figures.h"
#include "monitor/record.h"
#include "monitor/ring.h"
#include "monitor/training_watch.h"
#include "monitor/watcher.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

namespace tidepool::inline v0::monitor {

// All that is known of this process's run.
TIDEPOOL_API RunRecord run_record(bool with_pool);
TIDEPOOL_API std::string trace_text();

// What training adds up, written by the thread that trains.
struct TrainingCounts {
  Count steps, samples, step_nanoseconds, loader_nanoseconds, inside_nanoseconds;
  Count calls;  // of the watch
  std::atomic<std::int64_t> epoch{0}, step{0};
};

class Monitor {
 public:
  static Monitor& only();  // never destroyed

  void enable(const Options& options);
  void disable();
  bool enabled() const { return watching.load(std::memory_order_relaxed); }
  double now() const { return static_cast<double>(steady_nanoseconds() - start_.load(std::memory_order_relaxed)) * 1e-9; }
  double period() const { return period_.load(std::memory_order_relaxed); }  // seconds between samples
  std::int64_t start() const { return start_.load(std::memory_order_relaxed); }

  void take_sample();
  RunRecord record(bool with_pool);
  Snapshot snapshot_of(DeviceSlot& slot);
  std::vector<Sample> samples() const;
  std::vector<Anomaly> anomalies() const;
  Cost cost() const;
  void add_event(RunEvent event);

  Figures figures;
  TrainingCounts training_counts;
  void begin_training(const RunTraining& training);
  void change_batch(std::int64_t batch, std::int64_t batches);
  void progress(std::optional<double> loss, std::optional<double> accuracy);
  void add_epoch(const RunEpoch& epoch);
  void end_training(bool complete);

  const char* name_of_zone(std::uint32_t number) const;
  std::uint32_t number_of_zone(std::string_view name);

 private:
  struct Seen {  // of a device, at its last sample
    std::uint64_t launches = 0;
    Ring<std::pair<double, std::uint64_t>> compute{10};  // when, and nanoseconds by then: a step may take as long as a sample
  };

  void run();  // the thread
  DeviceSlot* busiest();
  void read_load(DeviceSlot& slot);
  Sample sample_of(DeviceSlot& slot);
  std::vector<KernelRow> kernel_rows(const char* device) const;
  std::vector<OperationRow> operation_rows(const char* device) const;

  std::atomic<std::int64_t> start_{0};  // nanoseconds of the steady clock
  std::atomic<std::int64_t> background_{0}, stopped_{0};
  std::atomic<double> period_{0.1};

  std::mutex switch_;  // of enable and disable
  std::mutex sampling_;
  std::thread thread_;
  std::condition_variable wake_;

  mutable std::mutex mutex_;  // of everything below; never held while a device is
  bool stopping_ = false;
  std::string started_;
  Ring<Sample> samples_{1000};
  Ring<Anomaly> anomalies_{1000};
  Ring<RunEvent> events_{1000};
  RunTotals totals_;
  AnomalyWatch watch_;
  std::optional<RunTraining> training_;
  Ring<RunEpoch> epochs_{1000};
  std::optional<double> loss_, accuracy_;  // since the last sample
  std::map<std::string, Seen> seen_;
  std::string device_ = "";  // of the last sample
  double load_read_ = -1;
  std::optional<double> load_;
  std::string load_source_;
  std::uint64_t steps_seen_ = 0, step_nanoseconds_seen_ = 0, loader_seen_ = 0, samples_seen_ = 0;
  double sampled_ = 0;
  std::map<std::string, std::uint32_t, std::less<>> zones_;
  std::vector<const std::string*> zone_names_;
};

}  // namespace tidepool::inline v0::monitor
