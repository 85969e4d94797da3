// What ran, and what came of it.
#include <algorithm>
#include <cmath>

#include "monitor/report/comparison.h"
#include "monitor/report/sections.h"
#include "monitor/report/text.h"
#include "platform/bytes.h"
#include "platform/cat.h"

namespace tidepool::inline v0::monitor {

namespace {

constexpr std::size_t most_epochs = 24;

std::uint64_t natural(std::int64_t number) { return number > 0 ? static_cast<std::uint64_t>(number) : 0; }

std::string task_of(const RunRecord& run) { return run.training ? clean(run.training->task) : ""; }

// Samples count those of this run; training that was resumed counts from its beginning.
std::uint64_t steps_of(const RunRecord& run) {
  if (!run.samples.empty()) return natural(run.samples.back().steps);
  return natural(run.training ? run.training->step : 0);
}

std::string state_of(const RunRecord& run) {
  if (!run.training) return run.running ? "the program is still running" : "the program has ended";
  if (run.training->finished) return "training has finished";
  return run.running && !run.training->ended ? "training is still going on" : "training ended before its last epoch";
}

std::string epochs_of(const RunTraining& training) {
  const std::string done = with_commas(natural(training.epoch));
  return training.epochs > 0 ? cat(done, " of ", with_commas(natural(training.epochs))) : done;
}

Line what_ran(const RunRecord& run) {
  const std::string task = task_of(run);
  Line line{{.text = task.empty() ? "A run" : task, .look = Words::strong}};
  std::string rest = cat(" on ", run.device.name.empty() ? "an unknown device" : clean(run.device.name), " took ", duration_text(run.time));
  if (const std::uint64_t steps = steps_of(run)) rest += cat(" for ", counted(steps, "step", "steps"));
  if (run.training) rest += cat(", ", epochs_of(*run.training), " epochs");
  line.words.push_back({.text = cat(rest, "; ", state_of(run), ".")});
  return line;
}

std::string pace(const RunRecord& run) {
  const std::optional<StepTimes> times = step_times(run);
  if (!times) return "";
  std::string text = cat("A step took ", duration_text(times->median / 1e3), " (median)");
  if (times->p99 > 0) text += cat(", ", duration_text(times->p99 / 1e3), " at the 99th percentile");
  return text + '.';
}

std::string outcome(const RunRecord& run) {
  if (run.epochs.empty()) return "";
  const RunEpoch& last = run.epochs.back();
  std::string text = cat("It ended with a loss of ", number_text(last.loss, 4));
  if (last.has_accuracy) text += cat(" and an accuracy of ", number_text(last.accuracy, 4));
  if (last.has_test) text += cat("; on the test set the loss is ", number_text(last.test_loss, 4));
  if (last.has_test && last.has_accuracy) text += cat(" and the accuracy ", number_text(last.test_accuracy, 4));
  return text + '.';
}

std::string memory_line(const MemorySpent& memory) {
  if (memory.peak == 0) return "";
  return cat("Memory: ", readable_bytes(memory.peak), " at most, ",
             memory.limit ? cat("of a limit of ", readable_bytes(memory.limit)) : std::string("without a limit"), ".");
}

const char* priority_word(Priority priority) {
  return priority == Priority::high ? "high" : priority == Priority::medium ? "medium" : "low";
}

Line first_recommendation(const Report& report) {
  const Recommendation& first = report.recommendations.front();
  Line line = headed(cat("First recommendation, ", priority_word(first.priority), " priority"), first.message);
  add_setting(first, line);
  return line;
}

// Some of many epochs, evenly, the first and the last among them.
std::vector<const RunEpoch*> chosen(const std::vector<RunEpoch>& epochs) {
  std::vector<const RunEpoch*> some;
  const std::size_t count = std::min(epochs.size(), most_epochs);
  for (std::size_t i = 0; i < count; ++i) some.push_back(&epochs[count > 1 ? i * (epochs.size() - 1) / (count - 1) : 0]);
  return some;
}

Table epoch_table(const RunRecord& run) {
  const bool accuracy = std::any_of(run.epochs.begin(), run.epochs.end(), [](const RunEpoch& e) { return e.has_accuracy; });
  const bool test = std::any_of(run.epochs.begin(), run.epochs.end(), [](const RunEpoch& e) { return e.has_test; });
  const auto some = chosen(run.epochs);
  Table table{.caption = "Results by epoch"};
  if (some.size() < run.epochs.size()) table.caption += cat(": ", some.size(), " of ", with_commas(run.epochs.size()));
  table.columns = {{"epoch", true}, {"loss", true}};
  if (accuracy) table.columns.push_back({"accuracy", true});
  if (test) table.columns.push_back({"test loss", true});
  if (test && accuracy) table.columns.push_back({"test accuracy", true});
  table.columns.push_back({"time", true});
  table.columns.push_back({"samples/s", true});
  const auto shown = [](bool has, double value) { return Line(has ? number_text(value, 4) : std::string("–")); };
  for (const RunEpoch* e : some) {
    std::vector<Line> row{with_commas(natural(e->epoch)), number_text(e->loss, 4)};
    if (accuracy) row.push_back(shown(e->has_accuracy, e->accuracy));
    if (test) row.push_back(shown(e->has_test, e->test_loss));
    if (test && accuracy) row.push_back(shown(e->has_test && e->has_accuracy, e->test_accuracy));
    row.emplace_back(duration_text(e->seconds));
    row.emplace_back(e->samples_per_second > 0 ? number_text(e->samples_per_second) : "–");
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string limit_text(std::size_t bytes) { return bytes ? readable_bytes(bytes) : "none"; }

}  // namespace

Section summary_section(const Report& report) {
  const RunRecord& run = report.run;
  List list;
  list.items.push_back(what_ran(run));
  for (const std::string& text : {pace(run), outcome(run), memory_line(report.memory)})
    if (!text.empty()) list.items.emplace_back(text);
  if (report.comparison) {
    const std::size_t count = regressions(report).size();
    list.items.emplace_back(Words{.text = count ? counted(count, "regression", "regressions") + " against the earlier run."
                                                : "No regression against the earlier run.",
                                  .look = count ? Words::bad : Words::good});
  }
  if (!report.bottlenecks.empty()) {
    const Bottleneck& worst = report.bottlenecks.front();
    list.items.push_back(headed(worst.name, worst.figure));
  }
  if (!report.recommendations.empty()) list.items.push_back(first_recommendation(report));
  if (!run.anomalies.empty()) list.items.emplace_back(counted(run.anomalies.size(), "anomaly was", "anomalies were") + " noticed.");
  return {.title = "In short", .id = "summary", .elements = {std::move(list)}};
}

Section run_section(const Report& report) {
  const RunRecord& run = report.run;
  Table table{.caption = "The run", .columns = {{"what"}, {"value"}}};
  const auto add = [&](const char* what, Line value) {
    if (!value.empty()) table.rows.push_back({what, std::move(value)});
  };
  add("task", task_of(run).empty() ? "not named" : task_of(run));
  add("device", clean(run.device.name));
  add("device id", run.device.id.empty() ? Line() : Line(code(run.device.id)));
  add("kind of device", clean(run.device.kind));
  add("driver", clean(run.device.driver));
  if (run.device.memory_total) add("device's memory", readable_bytes(run.device.memory_total));
  add("Tidepool", clean(run.version));
  add("started", clean(run.started));
  add("duration", duration_text(run.time));
  add("state", state_of(run));
  if (const std::uint64_t steps = steps_of(run)) add("steps", with_commas(steps));
  if (run.training) {
    const RunTraining& training = *run.training;
    add("epochs", epochs_of(training));
    if (training.batch > 0) add("batch", cat(training.batch));
    if (training.samples > 0) add("samples in an epoch", with_commas(natural(training.samples)));
    if (training.batches > 0) add("batches in an epoch", with_commas(natural(training.batches)));
    if (training.parameters > 0) add("parameters", with_commas(natural(training.parameters)));
  }
  if (run.settings.threads > 0) add("threads", cat(run.settings.threads));
  add("memory limit", limit_text(run.settings.memory_limit));
  if (run.settings.max_commands > 0) {
    add("cache limit", limit_text(run.settings.cache_limit));
    add("launches in a batch (max_commands)", cat(run.settings.max_commands));
    add("idle blocks kept of a size", cat(run.settings.max_cached_per_class));
  }
  Section section{.title = "What ran", .id = "run", .elements = {std::move(table)}};
  if (run.forecast.training_end) section.elements.emplace_back(foreign("To come: " + run.forecast.training_end->message));
  if (run.forecast.memory_full) section.elements.emplace_back(foreign("To come: " + run.forecast.memory_full->message));
  return section;
}

Section results_section(const Report& report) {
  Section section{.title = "Results", .id = "results"};
  if (Chart chart = loss_chart(report); chart.times.size() > 1) section.elements.emplace_back(std::move(chart));
  if (!report.run.epochs.empty()) section.elements.emplace_back(epoch_table(report.run));
  if (section.elements.empty())
    section.elements.emplace_back(foreign(report.run.training ? "No epoch has ended yet." : "Nothing was trained by a `tp::Trainer`."));
  return section;
}

}  // namespace tidepool::inline v0::monitor
