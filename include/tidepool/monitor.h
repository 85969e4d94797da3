// Watching: where time and memory go, what is out of the ordinary, what is to come, and what would help.
//
//     tp::monitor::enable();
//     double ms = tp::monitor::track("epoch", [&] { train(); });
//     tp::monitor::Snapshot s = tp::monitor::snapshot();         // s.memory.live_bytes, s.compute_ms, s.kernels
//     for (const auto& a : tp::monitor::advice()) std::puts(a.message.c_str());
//     tp::monitor::write_report("report.html");
//
// Nothing is measured until `enable`, and nothing is allocated on a program's way while it works. The figures may be read from any
// thread; nobody who reads them holds up who computes.
#pragma once

#include <tidepool/memory.h>
#include <tidepool/run.h>
#include <tidepool/version.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tidepool::inline v0::monitor {

struct Options {
  double period = 0.1;           // seconds between samples
  bool every_operation = false;  // host times of every operation rather than of one in 64: for traces
};
TIDEPOOL_API void enable(const Options& options);
TIDEPOOL_API void enable();
TIDEPOOL_API void disable();  // what was measured stays readable until the next enable
TIDEPOOL_API bool enabled();

// Bytes lent, by what they are for.
struct TaggedBytes {
  std::string tag;  // "activations", "parameters", "gradients", "optimizer", "plan", "scratch"
  std::size_t bytes = 0;
};

struct KernelRow {
  std::string name, device;
  std::uint64_t launches = 0;  // in plans by what the timed runs stand for
  std::uint64_t timed = 0;     // how many of them were timed
  double device_ms = 0;        // all of them together, by those that were timed
  double mean_us = 0;
  double share = 0;  // of the time of all kernels, 0 to 1
};

struct OperationRow {
  std::string name, device;
  std::uint64_t calls = 0;  // from the program; a plan's operations are called once, when it is captured
  double host_ms = 0;       // in the call; on the CPU that is also where the work is done
  double device_ms = 0;
  double share = 0;  // of the device's time
};

// The figures of one device at one moment; counts and times since `enable`.
struct Snapshot {
  double time = 0;     // seconds since `enable`
  std::string device;  // its id
  MemoryStats memory;
  std::vector<TaggedBytes> memory_by_tag;
  double compute_ms = 0;  // of launches; within plans by the runs that were timed
  double transfer_ms = 0;
  std::size_t transfer_bytes = 0;
  double wait_ms = 0;                 // that the host waited for the device
  std::optional<double> utilisation;  // our share of the device's time over the last ten samples, 0 to 1
  std::string utilisation_source;
  std::optional<double> system_utilisation;  // everybody's, where a driver tells
  std::string system_utilisation_source;
  std::uint64_t launches = 0, flushes = 0, plan_runs = 0, transfers = 0;
  double step_ms = 0;                    // the mean of the training steps since the sample before; 0 without any
  std::vector<KernelRow> kernels;        // the one that took most time first
  std::vector<OperationRow> operations;  // likewise
};
TIDEPOOL_API Snapshot snapshot();  // of the default device
TIDEPOOL_API Snapshot snapshot(const Device& device);

// One moment of a run, as the log keeps it. Counts and times are totals since `enable`.
struct Sample {
  double time = 0;     // seconds since `enable`
  std::string device;  // the one that worked most since the sample before
  std::int64_t tensors = 0;
  std::size_t live = 0, reserved = 0, cached = 0, peak = 0, limit = 0;  // bytes
  std::vector<std::size_t> by_tag;                                      // bytes, in the order of memory_tag_names()
  std::uint64_t launches = 0, flushes = 0, plan_runs = 0, allocations = 0, reuses = 0, evictions = 0, transfers = 0;
  std::size_t transfer_bytes = 0;
  double compute_ms = 0, transfer_ms = 0, wait_ms = 0;
  std::optional<double> utilisation, system_utilisation;
  // Of training; absent outside.
  std::int64_t epoch = 0, steps = 0;
  double step_ms = 0;                    // the mean since the sample before; 0: no step ended
  double loader_ms = 0;                  // that steps waited for their batches since the sample before, for each step
  std::optional<double> loss, accuracy;  // of the steps since the sample before
  double samples_per_second = 0;
};
TIDEPOOL_API const std::vector<std::string>& memory_tag_names();

// The last 1,000 samples, and the last 1,000 values of every figure.
class TIDEPOOL_API Log {
 public:
  std::size_t size() const;  // samples, at most 1,000
  std::vector<Sample> samples() const;
  Snapshot averages() const;  // of the last sample's device, counts and times for each sample; kernels and operations are those of now
  // Of a figure (`record`, `track`), or of a sample's field by its name: "step_ms", "live", "reserved", "utilisation", "loss", …
  double percentile(std::string_view name, double p) const;
  std::vector<double> values(std::string_view name) const;  // oldest first
  std::vector<std::string> names() const;                   // of the figures
};
TIDEPOOL_API Log log();

struct Anomaly {
  enum Kind { step_time, memory, leak, loss, loader, evictions };
  Kind kind = step_time;
  double time = 0;           // seconds since `enable`
  std::string series;        // what was looked at: "step_ms", "live", "live: activations", …
  double value = 0;          // what was found
  double low = 0, high = 0;  // what was expected
  std::string message;       // a sentence
};
TIDEPOOL_API std::vector<Anomaly> anomalies();  // the last 1,000, oldest first

struct Expectation {
  double seconds = 0;  // from now
  double low = 0, high = 0;
  std::string message;
};
struct Forecast {
  std::optional<Expectation> memory_full;   // when memory reaches its limit; absent when it does not look so
  std::optional<Expectation> training_end;  // absent outside training and until enough is known
};
TIDEPOOL_API Forecast forecast();

struct Advice {
  enum Kind { batch, flush, cache, threads, loader, device, memory };
  Kind kind = batch;
  double gain = 0;      // the share of time or memory that it may save, 0 to 1: how advice is ranked
  std::string message;  // what to do, and the figures that say so
  std::string setting;  // what to write for it: "--batch 256", "TIDEPOOL_THREADS=2", "configure({.max_commands = 400})"
  // What a trainer can do about it while it trains (TrainOptions::auto_tune); nothing where that is nothing.
  std::optional<Settings> changes = {};
  std::int64_t to_batch = 0;
  std::string to_device = {};
};
TIDEPOOL_API std::vector<Advice> advice();  // the most useful first

// A figure of the program's own; the last 1,000 of each name are kept, of at most 256 names.
TIDEPOOL_API void record(std::string_view name, double value);

// A stretch of the program, shown in the trace and kept as a figure in milliseconds. Zones nest.
class TIDEPOOL_API Zone {
 public:
  explicit Zone(std::string_view name);
  ~Zone();
  Zone(const Zone&) = delete;
  Zone& operator=(const Zone&) = delete;

 private:
  std::uint32_t name_ = 0;  // its number; 0: nobody watches
  std::int64_t start_ = 0;  // nanoseconds
};

// Runs the function, with all devices idle before and after, and gives back the milliseconds; also kept as a figure.
template <class Function>
double track(std::string_view name, Function&& function) {
  sync();
  const auto start = std::chrono::steady_clock::now();
  {
    const Zone zone(name);
    std::forward<Function>(function)();
    sync();
  }
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// How much of the time went into watching: what is timed by a clock, and what is counted at what it costs each.
struct Cost {
  double seconds = 0;             // inside the monitor, on the threads that compute
  double background_seconds = 0;  // on its own thread
  double total = 0;               // since `enable`
};
TIDEPOOL_API Cost cost();

// Ways out. Files are written beside and renamed; IoError names the file.
TIDEPOOL_API void write_trace(const std::string& path);   // for Perfetto or chrome://tracing
TIDEPOOL_API void write_report(const std::string& path);  // .html, or .md
TIDEPOOL_API void write_run(const std::string& path);     // JSON lines, for `tidepool report`
TIDEPOOL_API void write_csv(const std::string& path);     // the samples
TIDEPOOL_API std::string prometheus_text();

}  // namespace tidepool::inline v0::monitor
