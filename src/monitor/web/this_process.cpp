#include "monitor/csv.h"
#include "monitor/monitor.h"
#include "monitor/report.h"
#include "monitor/run_file.h"
#include "monitor/web/run_source.h"

namespace tidepool::inline v0::monitor::web {

namespace {

class ThisProcess final : public RunSource {
 public:
  RunRecord record(bool with_pool) override { return run_record(with_pool); }
  std::string metrics() override { return prometheus_text(); }
  std::string trace() override { return trace_text(); }
  std::string csv() override { return samples_csv(run_record(false)); }
  std::string lines() override { return run_lines(run_record(true)); }
  std::string report() override { return to_html(report_of(run_record(true))); }
};

}  // namespace

std::unique_ptr<RunSource> this_process() { return std::make_unique<ThisProcess>(); }

}  // namespace tidepool::inline v0::monitor::web
