#include "train/auto_tune.h"

#include "device/settings.h"
#include "monitor/wording.h"
#include "platform/cat.h"
#include "train/training.h"

#include <utility>

namespace tidepool::inline v0 {

namespace {

bool can_be_followed(const monitor::Advice& advice) { return advice.changes || advice.to_batch > 0 || !advice.to_device.empty(); }

}  // namespace

std::vector<monitor::Advice> (*advice_to_follow)() = monitor::advice;

// What was taken back is not tried again, and the epoch after it shows the old rate before something else is tried.
AutoTune::Decision AutoTune::after_epoch(double rate, const std::vector<monitor::Advice>& advice) {
  Decision decision;
  if (const std::optional<Trial> trial = std::exchange(trial_, std::nullopt)) {
    decision.verdict = rate > better * trial->rate ? Decision::kept : Decision::taken_back;
    decision.judged = trial->advice;
    decision.before = trial->rate;
    decision.after = rate;
    if (decision.verdict == Decision::taken_back) return decision;
  }
  for (const monitor::Advice& one : advice)
    if (can_be_followed(one) && tried_.insert(one.setting).second) {
      trial_ = Trial{one, rate};
      decision.next = one;
      break;
    }
  return decision;
}

std::optional<monitor::Advice> AutoTune::drop() {
  const std::optional<Trial> trial = std::exchange(trial_, std::nullopt);
  return trial ? std::optional(trial->advice) : std::nullopt;
}

void Training::tune(double rate) {
  if (!options_.auto_tune) return;
  take_snapshot();  // where an epoch begins is the same place for every batch, should the device be lost while that changes
  const bool more = !is_over() && !stop_is_asked();  // an epoch to try something in
  const AutoTune::Decision decision = tune_.after_epoch(rate, more ? advice_to_follow() : std::vector<monitor::Advice>());
  const auto rates = [&] {
    return cat(monitor::three_digits(decision.before), " samples a second before, ", monitor::three_digits(decision.after), " with it");
  };
  if (decision.verdict == AutoTune::Decision::kept) {
    announce(cat("auto-tune keeps ", decision.judged->setting, ": ", rates()));
    untuned_ = {};
  }
  if (decision.verdict == AutoTune::Decision::taken_back) {
    announce(cat("auto-tune takes back ", decision.judged->setting, ": ", rates()));
    Tuned before = std::exchange(untuned_, {});
    if (!more) untuned_.batch = std::exchange(before.batch, 0);  // of use to a checkpoint only
    follow(before);
  }
  if (!decision.next) return;
  const monitor::Advice& next = *decision.next;
  announce(cat("auto-tune tries ", next.setting, " for an epoch: ", next.message));
  untuned_ = {.settings = next.changes ? std::optional(current_settings()) : std::nullopt,
              .batch = next.to_batch > 0 ? batches_->capacity() : 0,
              .device = next.to_device.empty() ? std::nullopt : std::optional(steps_.device())};
  follow({.settings = next.changes,
          .batch = next.to_batch,
          .device = next.to_device.empty() ? std::nullopt : std::optional(device(next.to_device))});
}

// Nobody has measured it, so it does not stay.
void Training::drop_trial() {
  const std::optional<monitor::Advice> trial = tune_.drop();
  if (!trial) return;
  Tuned before = std::exchange(untuned_, {});
  untuned_.batch = std::exchange(before.batch, 0);
  follow(before);
  announce(cat("auto-tune takes back ", trial->setting, ": training ended before it was measured"));
}

// Between epochs: the next one begins with it, and so does a recovery.
void Training::follow(const Tuned& tuned) {
  if (tuned.settings) configure(*tuned.settings);
  if (tuned.device) move_to(*tuned.device, "auto-tune");
  if (tuned.batch == 0) return;
  const data::Dataset train = batches_->dataset();
  begin(train, tuned.batch);
  if (test_batches_) {
    const data::Dataset test = test_batches_->dataset();
    test_batches_.emplace("fit", test, data::BatchOptions{.batch = batches_->capacity()});
  }
  batches_->seek(now_.epoch, 0);
  take_snapshot();
  watch_.batch(batches_->capacity(), batches_->per_epoch());
}

}  // namespace tidepool::inline v0
