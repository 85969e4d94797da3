// Where time went.
#include <optional>

#include "monitor/report/sections.h"
#include "monitor/report/text.h"
#include "platform/bytes.h"
#include "platform/cat.h"

namespace tidepool::inline v0::monitor {

namespace {

constexpr std::size_t most_lines = 15;

struct KindText {
  const char *name, *what;
};
KindText text_of(TimeShare::Kind kind) {
  switch (kind) {
    case TimeShare::compute:
      return {"compute", "kernels at work on the device"};
    case TimeShare::transfer:
      return {"transfer", "copies between host and device"};
    case TimeShare::wait:
      return {"waiting", "the host waits for the device, which neither computes nor copies"};
    case TimeShare::loader:
      return {"loader", "steps wait for their batches"};
    case TimeShare::watching:
      return {"watching", "taking these figures"};
    case TimeShare::host:
      return {"other host", "calls of operations, beyond the work itself"};
    case TimeShare::unknown:
      break;
  }
  return {"unknown", "timed by nobody, such as the program's own code and what starting a plan takes"};
}

std::string stretch(const Report& report) {
  if (report.time.from > 0)
    return cat("The samples cover the last ", duration_text(report.time.seconds), " of the run, which went to these parts:");
  return cat(duration_text(report.time.seconds), " of wall time went to these parts:");
}

std::string work(const TimeSpent& time) {
  std::string text =
      cat("There were ", counted(time.launches, "launch", "launches"), " in ", counted(time.flushes, "submission", "submissions"), " and ",
          counted(time.plan_runs, "run of a plan", "runs of plans"), "; ", readable_bytes(time.transfer_bytes), " were copied");
  if (time.steps)
    text += cat(". A step had ", number_text(static_cast<double>(time.launches) / static_cast<double>(time.steps)), " launches");
  return text + '.';
}

std::string crowd(const RunRecord& run) {
  double sum = 0, count = 0;
  for (const Sample& sample : run.samples)
    if (sample.system_utilisation) {
      sum += *sample.system_utilisation;
      ++count;
    }
  return count > 0 ? cat("All programs together kept the device busy for ", percent_text(sum / count), " of the time.") : "";
}

Table share_table(const TimeSpent& time) {
  Table table{.caption = "Parts of the wall time", .columns = {{"part"}, {"time", true}, {"share", true}}};
  std::vector<double> shares;
  for (const TimeShare& part : time.shares) shares.push_back(part.share);
  const std::vector<std::string> texts = shares_text(shares);
  for (std::size_t i = 0; i < time.shares.size(); ++i) {
    const KindText kind = text_of(time.shares[i].kind);
    table.rows.push_back({Line{{.text = kind.name, .look = Words::strong}, {.text = cat(": ", kind.what)}},
                          duration_text(time.shares[i].seconds), texts[i]});
  }
  return table;
}

Bar share_bar(const TimeSpent& time) {
  Bar bar{.title = "Parts of the wall time"};
  for (const TimeShare& part : time.shares)
    bar.parts.push_back({.name = text_of(part.kind).name, .share = part.share, .colour = part.kind});
  return bar;
}

Table kernel_table(const std::vector<KernelRow>& kernels) {
  Table table{.caption = "Kernels, by the time that they took on the device",
              .columns = {{"kernel"}, {"time", true}, {"share", true}, {"launches", true}, {"each", true}, {"timed", true}}};
  KernelRow rest;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const KernelRow& row = kernels[i];
    if (i < most_lines || kernels.size() == most_lines + 1) {
      table.rows.push_back({code(row.name), duration_text(row.device_ms / 1e3), percent_text(row.share), with_commas(row.launches),
                            row.timed ? duration_text(row.mean_us / 1e6) : "–", with_commas(row.timed)});
      continue;
    }
    rest.device_ms += row.device_ms;
    rest.share += row.share;
    rest.launches += row.launches;
    rest.timed += row.timed;
  }
  if (kernels.size() > most_lines + 1)
    table.rows.push_back({cat(kernels.size() - most_lines, " others"), duration_text(rest.device_ms / 1e3), percent_text(rest.share),
                          with_commas(rest.launches), "–", with_commas(rest.timed)});
  return table;
}

Table operation_table(const std::vector<OperationRow>& operations) {
  Table table{.caption = "Operations, by the time that they took on the device",
              .columns = {{"operation"}, {"on the device", true}, {"share", true}, {"on the host", true}, {"calls", true}}};
  OperationRow rest;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const OperationRow& row = operations[i];
    if (i < most_lines || operations.size() == most_lines + 1) {
      table.rows.push_back({code(row.name), duration_text(row.device_ms / 1e3), percent_text(row.share), duration_text(row.host_ms / 1e3),
                            with_commas(row.calls)});
      continue;
    }
    rest.device_ms += row.device_ms;
    rest.share += row.share;
    rest.host_ms += row.host_ms;
    rest.calls += row.calls;
  }
  if (operations.size() > most_lines + 1)
    table.rows.push_back({cat(operations.size() - most_lines, " others"), duration_text(rest.device_ms / 1e3), percent_text(rest.share),
                          duration_text(rest.host_ms / 1e3), with_commas(rest.calls)});
  return table;
}

}  // namespace

Section time_section(const Report& report) {
  Section section{.title = "Where time went", .id = "time"};
  std::vector<Element>& all = section.elements;
  if (report.time.shares.empty()) {
    all.emplace_back(
        foreign("There are no samples to tell from, so all of the wall time is unknown. Watching begins with `tp::monitor::enable()`."));
  } else {
    all.emplace_back(stretch(report));
    all.emplace_back(share_bar(report.time));
    all.emplace_back(share_table(report.time));
    all.emplace_back(work(report.time));
    if (std::string text = crowd(report.run); !text.empty()) all.emplace_back(std::move(text));
  }
  if (Chart chart = step_chart(report); chart.times.size() > 1) all.emplace_back(std::move(chart));
  if (!report.run.kernels.empty()) all.emplace_back(kernel_table(report.run.kernels));
  if (!report.run.operations.empty()) all.emplace_back(operation_table(report.run.operations));
  return section;
}

}  // namespace tidepool::inline v0::monitor
