// What a run comes down to: where its time and memory went, what held it up, what would help, and what has changed since an earlier run.
//
//     const Report report = report_of(run, &earlier);
//     if (has_regression(report)) std::puts(to_markdown(report).c_str());
//     write_report(report, "report.html", ReportFormat::html);
//
// Both formats are made of the same sections (report/sections.h), so that they say the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "monitor/record.h"

namespace tidepool::inline v0::monitor {

// A part of the wall time. Where two go on at the same time, it counts for the first of them: the parts add up to the whole.
struct TimeShare {
  enum Kind { compute, transfer, wait, loader, watching, host, unknown };
  Kind kind = unknown;
  double seconds = 0;
  double share = 0;  // of the wall time, 0 to 1
};

struct TimeSpent {
  double from = 0, seconds = 0;                                        // the stretch of the run that the samples cover
  std::vector<TimeShare> shares = {};                                  // one of each kind, in the order of Kind; none without samples
  double compute_ms = 0, transfer_ms = 0, wait_ms = 0, loader_ms = 0;  // as they were measured, overlapping
  std::uint64_t launches = 0, flushes = 0, plan_runs = 0, steps = 0;
  std::size_t transfer_bytes = 0;
  double share_of(TimeShare::Kind kind) const;
};

// Of the pool, at one moment.
struct MemoryMoment {
  double time = 0;
  std::size_t live = 0, reserved = 0, cached = 0;
  std::vector<TaggedBytes> by_tag = {};   // the largest first; none that is empty
  std::optional<double> idle_share = {};  // cached / reserved: fragmentation
};

struct PoolHolder {
  std::string holder = {}, tag = {};  // both empty: idle
  std::size_t bytes = 0, blocks = 0;
};

struct MemorySpent {
  std::size_t peak = 0, limit = 0;  // a limit of 0 is none
  std::optional<MemoryMoment> at_peak = {}, at_end = {};
  std::uint64_t allocations = 0, reuses = 0, evictions = 0;
  std::vector<PoolHolder> holders = {};  // the largest first, of the pool's map
  std::size_t left_out = 0;              // bytes that the map does not show
};

struct Bottleneck {
  enum Kind { launches, transfers, loader, compute, memory, waiting, host, watching };
  Kind kind = compute;
  double share = 0;          // of the wall time that it takes; of memory, how near the limit is: how bottlenecks are ranked
  std::string name = {};     // "Launch-bound"
  std::string figure = {};   // the sentence with the figures that show it
  std::string culprit = {};  // the kernel, where there is one; in backticks
};

enum class Priority { high, medium, low };

struct Recommendation {
  Priority priority = Priority::low;
  double gain = 0;
  std::string message = {}, setting = {};
};

// One figure of two runs.
struct Change {
  enum Unit { milliseconds, microseconds, seconds, per_second, bytes, plain };
  enum Verdict { same, better, worse, unclear };  // unclear: one of the runs does not have it, or too little of it
  std::string figure = {};
  Unit unit = plain;
  std::optional<double> now = {}, earlier = {};
  double spread = 0;                  // of both runs, in the figure's unit: what is within says nothing
  std::optional<double> change = {};  // (now - earlier) / earlier
  Verdict verdict = unclear;
  bool regression = false;  // worse by more than 10 %, and by more than the spread
};

struct Comparison {
  std::string earlier = {};                   // when that one started
  std::vector<std::string> differences = {};  // of what was run: sentences
  std::vector<Change> figures = {}, kernels = {};
};

struct Report {
  RunRecord run = {};
  TimeSpent time = {};
  MemorySpent memory = {};
  std::vector<Bottleneck> bottlenecks = {};          // the worst first
  std::vector<Recommendation> recommendations = {};  // the most urgent first
  std::optional<Comparison> comparison = {};
};

TIDEPOOL_API Report report_of(const RunRecord& run, const RunRecord* against = nullptr);

// Those of the main figures, then those of kernels; the worst first.
std::vector<Change> regressions(const Report& report);
bool has_regression(const Report& report);

TIDEPOOL_API std::string to_markdown(const Report& report);
TIDEPOOL_API std::string to_html(const Report& report);  // one file that needs no other and runs no script

enum class ReportFormat { markdown, html };
// By the name's end: .html and .htm, or .md and .markdown; nothing for others.
std::optional<ReportFormat> format_of(const std::string& path);
// Beside and renamed; IoError names the file.
void write_report(const Report& report, const std::string& path, ReportFormat format);

}  // namespace tidepool::inline v0::monitor
