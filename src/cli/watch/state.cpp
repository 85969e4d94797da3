#include "cli/watch/state.h"

#include <algorithm>

namespace tidepool::cli {

using monitor::RunRecord;
using monitor::RunTraining;
using monitor::Sample;

std::vector<double> present(const RunRecord& run, std::optional<double> Sample::*field) {
  std::vector<double> values;
  for (const Sample& s : run.samples)
    if (s.*field) values.push_back(*(s.*field));
  return values;
}

std::vector<double> step_times(const RunRecord& run) {
  std::vector<double> values;
  for (const Sample& s : run.samples)
    if (s.step_ms > 0) values.push_back(s.step_ms / 1e3);
  return values;
}

std::string state_of(const RunRecord& run) {
  if (run.training && run.training->finished) return "finished";
  if (!run.running || (run.training && run.training->ended)) return "ended";
  return run.training ? "training" : "watching";
}

std::int64_t current_epoch(const RunTraining& t) { return t.epochs > 0 ? std::min(t.epoch, t.epochs - 1) + 1 : t.epoch; }

double done_share(const RunTraining& t) {
  if (t.finished) return 1;
  const double steps = t.batches > 0 ? t.steps_of(t.epochs) : 0;
  const double share = steps > 0      ? static_cast<double>(t.step) / steps
                       : t.epochs > 0 ? static_cast<double>(t.epoch) / static_cast<double>(t.epochs)
                                      : 0;
  return std::clamp(share, 0.0, 1.0);
}

}  // namespace tidepool::cli
