#include <tidepool/error.h>
#include <tidepool/optim.h>

#include "core/checks.h"
#include "platform/cat.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tidepool::inline v0::optim {

Schedule::Schedule(Optimizer& optimizer) : optimizer_(optimizer), first_lr_(optimizer.lr()) {}
Schedule::~Schedule() = default;

void Schedule::set(std::int64_t done) {
  done_ = done;
  optimizer_.set_lr(first_lr_ * factor(done));
}

CosineSchedule::CosineSchedule(Optimizer& optimizer, const CosineScheduleOptions& options) : Schedule(optimizer), options_(options) {
  require_at_least("CosineSchedule", "steps", options.steps, 1);
  require_at_least("CosineSchedule", "warmup", options.warmup, 0);
  set(0);
}

double CosineSchedule::factor(std::int64_t step) const {
  if (step < options_.warmup) return static_cast<double>(step + 1) / static_cast<double>(options_.warmup);
  const double rest = static_cast<double>(std::max<std::int64_t>(options_.steps - options_.warmup, 1));
  const double way = std::min(1.0, static_cast<double>(step - options_.warmup) / rest);
  return options_.last + (1 - options_.last) * 0.5 * (1 + std::cos(std::numbers::pi * way));
}

StepSchedule::StepSchedule(Optimizer& optimizer, const StepScheduleOptions& options) : Schedule(optimizer), options_(options) {
  require_at_least("StepSchedule", "steps", options.steps, 1);
  if (!(options.gamma > 0)) throw ArgumentError("StepSchedule", cat("gamma is ", options.gamma, "; wanted more than 0"));
}

double StepSchedule::factor(std::int64_t step) const {
  const std::int64_t changes = step / options_.steps;
  return std::pow(options_.gamma, static_cast<double>(changes));
}

}  // namespace tidepool::inline v0::optim
