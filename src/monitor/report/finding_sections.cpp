// What was found in a run, and how it is to be read.
#include <algorithm>
#include <cmath>
#include <map>

#include "monitor/report/sections.h"
#include "monitor/report/text.h"
#include "platform/bytes.h"
#include "platform/cat.h"

namespace tidepool::inline v0::monitor {

namespace {

constexpr std::size_t most_rows = 40, most_figures = 256;

const char* what_was_looked_at(Anomaly::Kind kind) {
  switch (kind) {
    case Anomaly::step_time:
      return "step time";
    case Anomaly::memory:
      return "memory";
    case Anomaly::leak:
      return "leak";
    case Anomaly::loss:
      return "loss";
    case Anomaly::loader:
      return "loader";
    case Anomaly::evictions:
      return "evictions";
  }
  return "other";
}

std::string kinds(const std::vector<Anomaly>& anomalies) {
  std::map<std::string, std::uint64_t> counts;
  for (const Anomaly& anomaly : anomalies) ++counts[what_was_looked_at(anomaly.kind)];
  std::string text;
  for (const auto& [kind, count] : counts) text += cat(text.empty() ? "" : ", ", kind, " ", with_commas(count));
  return text;
}

std::string not_shown(std::size_t count) { return cat("The first ", most_rows, " of ", with_commas(count), " are shown."); }

const char* priority_name(Priority priority) {
  return priority == Priority::high ? "High" : priority == Priority::medium ? "Medium" : "Low";
}

// "At 12.5 s, slow: it takes twice the time"
Line told(double time, const Words& what, std::string_view message) {
  Line line = foreign(message);
  line.words.insert(line.words.begin(),
                    {{.text = cat("At ", moment_text(time)), .look = Words::strong}, {.text = ", "}, what, {.text = ": "}});
  return line;
}

// The trainer says what a device's event said.
bool is_repeated(const std::vector<RunEvent>& events, std::size_t i) {
  const auto says_it = [&](const RunEvent& other) {
    return other.kind != "message" && other.message == events[i].message && std::abs(other.time - events[i].time) < 0.5;
  };
  return events[i].kind == "message" && std::any_of(events.begin(), events.end(), says_it);
}

}  // namespace

void add_setting(const Recommendation& recommendation, Line& line) {
  if (recommendation.setting.empty()) return;
  line.words.push_back({.text = " Set: "});
  line.words.push_back(code(recommendation.setting));
}

Section bottlenecks_section(const Report& report) {
  Section section{.title = "Bottlenecks", .id = "bottlenecks"};
  if (report.bottlenecks.empty()) {
    section.elements.emplace_back(report.time.shares.empty() ? "Too little is known to name one."
                                                             : "None stands out: no part takes enough of the time to be worth a change.");
    return section;
  }
  List list{.numbered = true};
  for (const Bottleneck& found : report.bottlenecks) list.items.push_back(headed(found.name, found.figure));
  section.elements.emplace_back(std::move(list));
  return section;
}

Section recommendations_section(const Report& report) {
  Section section{.title = "Recommendations", .id = "recommendations"};
  if (report.recommendations.empty()) {
    section.elements.emplace_back("None.");
    return section;
  }
  List list{.numbered = true};
  for (const Recommendation& r : report.recommendations) {
    if (list.items.size() == most_rows) break;
    list.items.push_back(headed(cat(priority_name(r.priority), " priority"), r.message));
    add_setting(r, list.items.back());
  }
  section.elements.emplace_back(std::move(list));
  return section;
}

Section anomalies_section(const Report& report) {
  Section section{.title = "Anomalies", .id = "anomalies"};
  const std::vector<Anomaly>& all = report.run.anomalies;
  if (all.empty()) {
    section.elements.emplace_back("None was noticed.");
    return section;
  }
  section.elements.emplace_back(cat(counted(all.size(), "anomaly", "anomalies"), ", by kind: ", kinds(all), "."));
  List list;
  for (std::size_t i = 0; i < std::min(all.size(), most_rows); ++i)
    list.items.push_back(told(all[i].time, {.text = what_was_looked_at(all[i].kind)}, all[i].message));
  section.elements.emplace_back(std::move(list));
  if (all.size() > most_rows) section.elements.emplace_back(not_shown(all.size()));
  return section;
}

Section events_section(const Report& report) {
  Section section{.title = "Events of devices", .id = "events"};
  const std::vector<RunEvent>& all = report.run.events;
  if (all.empty()) {
    section.elements.emplace_back("There were none.");
    return section;
  }
  List list;
  for (std::size_t i = 0; i < std::min(all.size(), most_rows); ++i) {
    const RunEvent& event = all[i];
    if (is_repeated(all, i)) continue;
    Line line = told(event.time, {.text = clean(event.kind)}, event.message);
    if (!event.device.empty()) line.words.insert(line.words.begin() + 3, {{.text = ", "}, code(event.device)});
    list.items.push_back(std::move(line));
  }
  section.elements.emplace_back(std::move(list));
  if (all.size() > most_rows) section.elements.emplace_back(not_shown(all.size()));
  return section;
}

Section figures_section(const Report& report) {
  Section section{.title = "The program's own figures", .id = "figures"};
  Table table{
      .caption = "Figures that were recorded, and zones in milliseconds",
      .columns = {
          {"figure"}, {"count", true}, {"mean", true}, {"median", true}, {"90th percentile", true}, {"99th", true}, {"most", true}}};
  for (const auto& [name, f] : report.run.figures) {
    if (table.rows.size() == most_figures) break;
    if (name == "step_ms") continue;  // told with the steps
    table.rows.push_back({code(name), with_commas(f.count), number_text(f.mean), number_text(f.p50), number_text(f.p90), number_text(f.p99),
                          number_text(f.most)});
  }
  section.elements.emplace_back(std::move(table));
  return section;
}

Section cost_section(const Report& report) {
  const Cost& cost = report.run.cost;
  Section section{.title = "What watching cost", .id = "cost"};
  if (!(cost.total > 0)) {
    section.elements.emplace_back("Unknown: nothing was timed.");
    return section;
  }
  section.elements.emplace_back(cat(duration_text(cost.seconds), " of ", duration_text(cost.total), " on the threads that compute, ",
                                    percent_text(cost.seconds / cost.total), "; ", duration_text(cost.background_seconds),
                                    " on the monitor's own thread, ", percent_text(cost.background_seconds / cost.total), "."));
  return section;
}

Section reading_section(const Report& report) {
  List list;
  const auto add = [&](const char* what, const char* meaning) {
    list.items.push_back({{.text = what, .look = Words::strong}, {.text = meaning}});
  };
  add("Wall time",
      " is what a clock on the wall shows. Its parts add up to 100 %: where two go on at the same time, as a kernel on the device and a "
      "copy on the host, the time "
      "counts for the first in the table.");
  add("Kernels",
      " are timed by the device's own clock: all that run alone, and those of plans in one run of 64, which then stands for the others. "
      "Few timed launches make a "
      "rough mean.");
  add("Operations", " of a plan are called once, when it is captured; their time on the device is that of all its runs.");
  add("Step times", " are means of the steps between two readings; median and percentile are of the last 1,000 of these.");
  add("Priorities", " go by the share of time or memory that may be saved: high from 20 %, medium from 5 %.");
  if (report.comparison) {
    add("Same",
        " is what differs by no more than 5 %, or by no more than the two runs' spread: 1.48 times the median distance from the median, "
        "which for "
        "normal noise is the standard deviation. Of a 99th percentile, the spread is what its rank leaves open.");
    add("A regression",
        " is worse by more than 10 % and by more than that spread. A kernel counts when steps got slower too, it was timed 8 times in both "
        "runs, "
        "and it costs 2 % of the kernels' time more.");
  }
  return {.title = "How to read this", .id = "reading", .elements = {std::move(list)}};
}

}  // namespace tidepool::inline v0::monitor
