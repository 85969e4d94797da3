#include "monitor/report/sections.h"

#include "monitor/report/text.h"
#include "platform/cat.h"

namespace tidepool::inline v0::monitor {

Document document_of(const Report& report) {
  const RunRecord& run = report.run;
  const std::string task = run.training ? clean(run.training->task) : "";
  Document document{.title = cat("Report on ", task.empty() ? std::string("a run") : task), .subtitle = "A run of Tidepool"};
  if (!run.version.empty()) document.subtitle += cat(" ", clean(run.version));
  if (!run.started.empty()) document.subtitle += cat(", started at ", clean(run.started));
  std::vector<Section>& all = document.sections;
  if (report.comparison) all.push_back(regressions_section(report));
  all.push_back(summary_section(report));
  if (report.comparison) all.push_back(comparison_section(report));
  all.push_back(run_section(report));
  all.push_back(results_section(report));
  all.push_back(time_section(report));
  all.push_back(memory_section(report));
  all.push_back(bottlenecks_section(report));
  all.push_back(recommendations_section(report));
  all.push_back(anomalies_section(report));
  all.push_back(events_section(report));
  if (run.figures.size() > run.figures.count("step_ms")) all.push_back(figures_section(report));
  all.push_back(cost_section(report));
  all.push_back(reading_section(report));
  return document;
}

}  // namespace tidepool::inline v0::monitor
