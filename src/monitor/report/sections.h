// A report's sections, one function each, in the order in which they are read.
#pragma once

#include "monitor/report.h"
#include "monitor/report/document.h"

namespace tidepool::inline v0::monitor {

Document document_of(const Report& report);

Section summary_section(const Report& report);
Section regressions_section(const Report& report);  // both only with an earlier run
Section comparison_section(const Report& report);
Section run_section(const Report& report);
Section results_section(const Report& report);
Section time_section(const Report& report);
Section memory_section(const Report& report);
Section bottlenecks_section(const Report& report);
Section recommendations_section(const Report& report);
Section anomalies_section(const Report& report);
Section events_section(const Report& report);
Section figures_section(const Report& report);
Section cost_section(const Report& report);
Section reading_section(const Report& report);

void add_setting(const Recommendation& recommendation, Line& line);  // what to write for it, at the end

Chart loss_chart(const Report& report);
Chart step_chart(const Report& report);
Chart memory_chart(const Report& report);

}  // namespace tidepool::inline v0::monitor
