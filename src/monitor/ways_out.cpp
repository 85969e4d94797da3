// Files and texts made of the run so far.
#include <tidepool/error.h>

#include "monitor/csv.h"
#include "monitor/monitor.h"
#include "monitor/prometheus.h"
#include "monitor/report.h"
#include "monitor/run_file.h"
#include "platform/cat.h"
#include "platform/replace_file.h"

#include <span>

namespace tidepool::inline v0::monitor {

namespace {

void write(const char* operation, const std::string& path, const std::string& text) {
  const std::span<const std::byte> piece = std::as_bytes(std::span(text));
  replace_file(operation, path, {&piece, 1});
}

}  // namespace

std::string trace_text() {
  std::vector<TraceEvent> events = Watcher::only().traced();
  for (TraceEvent& event : events) event.start -= Monitor::only().start();
  return trace_json(std::move(events), run_record(false));
}

void write_trace(const std::string& path) { write("write_trace", path, trace_text()); }
void write_run(const std::string& path) { write("write_run", path, run_lines(run_record(true))); }
void write_csv(const std::string& path) { write("write_csv", path, samples_csv(run_record(false))); }
std::string prometheus_text() { return prometheus_text(run_record(false)); }

void write_report(const std::string& path) {
  const std::optional<ReportFormat> format = format_of(path);
  if (!format) throw ArgumentError("write_report", cat("'", path, "' is neither .html nor .md, so its format is not known"));
  write_report(report_of(run_record(true)), path, *format);
}

}  // namespace tidepool::inline v0::monitor
