// All that is known of a run at one moment. The page, the terminal view, reports and files are made of this and nothing else.
//
//     const RunRecord run = run_record();        // of this process (monitor.h)
//     const std::string text = to_json(run);     // as the page and files have it
#pragma once

#include <tidepool/monitor.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tidepool::inline v0::monitor {

struct RunDevice {
  std::string id, name, kind, driver;
  std::size_t memory_total = 0;
};

struct RunSettings {
  std::int64_t threads = 0, max_commands = 0, max_cached_per_class = 0;
  std::size_t memory_limit = 0, cache_limit = 0;
};

struct RunTraining {
  std::string task;  // "" when the program did not say
  std::int64_t epochs = 0, batch = 0, samples = 0, batches = 0, parameters = 0;
  std::int64_t epoch = 0, step = 0;  // where it is: epochs done; steps done
  std::int64_t extra_steps = 0;      // of `step`, those beyond epochs of so many batches: the batch was another before
  double started = 0;                // seconds since `enable`; when the batch changed, if it did
  bool finished = false;             // all of it is done
  bool ended = false;                // nothing more comes, finished or not
  bool over() const { return finished || ended; }
  // Of so many epochs; what was read from a file may be any numbers.
  double steps_of(std::int64_t some) const {
    return static_cast<double>(some) * static_cast<double>(batches) + static_cast<double>(extra_steps);
  }
};

struct RunEpoch {
  std::int64_t epoch = 0;
  double time = 0, loss = 0, accuracy = 0, test_loss = 0, test_accuracy = 0, seconds = 0, samples_per_second = 0;
  bool has_accuracy = false, has_test = false;
};

struct RunEvent {
  double time = 0;
  std::string kind;  // "selected", "fallback", "lost", "restored", "slow", "paced"; "message" for what the trainer said
  std::string device, message;
};

// Who holds what of a device's pool.
struct PoolBlock {
  std::size_t offset = 0, bytes = 0;
  std::int32_t tag = -1;  // into memory_tag_names(); -1: idle
  std::string holder;     // the operation that took it
};
struct PoolRegion {  // one piece of the device's memory
  std::size_t bytes = 0;
  std::vector<PoolBlock> blocks;
};
struct PoolMap {
  std::string device;
  double time = 0;
  std::vector<PoolRegion> regions;  // the largest first; at most 256, and 4,096 blocks
  std::size_t left_out = 0;         // bytes of what did not fit in here
};

struct FigureSummary {
  std::uint64_t count = 0;
  double last = 0, mean = 0, least = 0, most = 0, p50 = 0, p90 = 0, p99 = 0;
};

// How often things happened, of which only the last are kept: what is counted for Prometheus must never go down.
struct RunTotals {
  std::map<Anomaly::Kind, std::uint64_t> anomalies;
  std::map<std::pair<std::string, std::string>, std::uint64_t> events;  // by kind and device, without messages
};

struct RunRecord {
  std::string version;  // of the library
  std::string started;  // "2026-11-17T02:30:00Z"
  double time = 0;      // seconds since `enable`
  bool running = false;
  RunDevice device;  // the one that works
  RunSettings settings;
  std::optional<RunTraining> training;
  std::vector<Sample> samples;
  std::vector<RunEpoch> epochs;
  std::vector<KernelRow> kernels;
  std::vector<OperationRow> operations;
  std::vector<Anomaly> anomalies;
  std::vector<Advice> advice;
  Forecast forecast;
  std::vector<RunEvent> events;
  std::optional<PoolMap> pool;
  std::map<std::string, FigureSummary> figures;
  Cost cost;
  RunTotals totals;  // of this process; in no document
};

// One JSON document; docs/monitoring.md says what is in it.
TIDEPOOL_API std::string to_json(const RunRecord& run);
TIDEPOOL_API RunRecord run_from_json(const std::string& text);  // throws IoError for what is none

// What is new since a time: samples, epochs, events and anomalies after it; all else as it is, `pool` only where asked for.
TIDEPOOL_API std::string update_json(const RunRecord& run, double since, bool with_pool);

TIDEPOOL_API const char* name_of(Anomaly::Kind kind);
TIDEPOOL_API const char* name_of(Advice::Kind kind);

}  // namespace tidepool::inline v0::monitor
