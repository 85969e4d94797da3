#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "monitor/report/bottlenecks.h"
#include "monitor/report/text.h"
#include "platform/cat.h"

namespace tidepool::inline v0::monitor {

namespace {

Priority priority_of(double gain) { return gain >= 0.2 ? Priority::high : gain >= 0.05 ? Priority::medium : Priority::low; }

bool is_advised(const RunRecord& run, std::initializer_list<Advice::Kind> kinds) {
  return std::any_of(run.advice.begin(), run.advice.end(),
                     [&](const Advice& advice) { return std::find(kinds.begin(), kinds.end(), advice.kind) != kinds.end(); });
}

// A cure seldom saves all that it is for; and of a device that computes all the time, little.
Recommendation usual(const Bottleneck& bottleneck, std::string message, std::string setting) {
  const double gain = bottleneck.share * (bottleneck.kind == Bottleneck::compute ? 0.04 : 0.5);
  return {.priority = priority_of(gain), .gain = gain, .message = std::move(message), .setting = std::move(setting)};
}

// What usually helps, where the run's own advice says nothing about it.
void add_usual(const RunRecord& run, const Bottleneck& found, std::vector<Recommendation>& all) {
  const auto add = [&](std::string message, std::string setting = "") {
    all.push_back(usual(found, std::move(message), std::move(setting)));
  };
  const std::int64_t batch = run.training ? run.training->batch : 0;
  const bool can_grow = batch > 0 && batch <= run.training->samples / 2, can_shrink = batch > 1;
  switch (found.kind) {
    case Bottleneck::launches:
      if (is_advised(run, {Advice::batch, Advice::flush})) return;
      return add(
          "Give each launch more work: take larger batches, and see that the results stay as good; or record what repeats with "
          "`tp::capture`.",
          can_grow ? cat("--batch ", batch * 2) : "");
    case Bottleneck::transfers:
      return add("Keep tensors on the device from step to step, and read results once an epoch rather than at every step.");
    case Bottleneck::loader:
      if (is_advised(run, {Advice::loader})) return;
      return add(
          "Make batches cheaper to prepare: keep samples in memory, as bytes rather than reals where they are pictures; and leave a core "
          "free for it.");
    case Bottleneck::compute:
      if (is_advised(run, {Advice::device, Advice::threads, Advice::batch})) return;
      return add(
          cat("Time is to be gained in the kernels alone", found.culprit.empty() ? "" : cat(", first in ", found.culprit),
              ". `tidepool devices` lists devices that may do them faster; `tidepool bench --tune F` measures which shaders suit one."));
    case Bottleneck::memory:
      if (is_advised(run, {Advice::memory, Advice::cache})) return;
      return add("Raise the memory limit, or take less at once: parts of a batch add up to the same gradients.",
                 can_shrink ? cat(".micro_batch = ", batch / 2) : "");
    case Bottleneck::waiting:
      return add("Read results less often: each `item`, `to_host` and `sync` waits until the device is done with all before.");
    case Bottleneck::host:
      return add("Find out what the program itself does in that time: put a `tp::monitor::Zone` around its parts, and look at the trace.");
    case Bottleneck::watching:
      return add("Take samples less often, and leave out `every_operation`.", "tp::monitor::enable({.period = 1})");
  }
}

}  // namespace

std::vector<Recommendation> recommendations_of(const RunRecord& run, const std::vector<Bottleneck>& bottlenecks,
                                               const std::vector<Change>& regressions) {
  std::vector<Recommendation> all;
  for (const Advice& advice : run.advice) {
    const double gain = std::isfinite(advice.gain) ? advice.gain : 0;
    all.push_back({.priority = priority_of(gain), .gain = gain, .message = advice.message, .setting = advice.setting});
  }
  for (const Bottleneck& found : bottlenecks) add_usual(run, found, all);
  std::stable_sort(all.begin(), all.end(), [](const Recommendation& a, const Recommendation& b) { return a.gain > b.gain; });
  if (!regressions.empty()) {
    const Change& worst = regressions.front();
    const std::string name = worst.unit == Change::microseconds ? quoted(worst.figure) : worst.figure;
    all.insert(all.begin(), {.priority = Priority::high,
                             .gain = 1,
                             .message = cat("Find out first what made the run worse than the earlier one: ", name,
                                            worst.change ? cat(", ", change_text(*worst.change)) : std::string(), "."),
                             .setting = ""});
  }
  return all;
}

}  // namespace tidepool::inline v0::monitor
