#include "train/training.h"

#include "core/node.h"
#include "optim/state.h"
#include "platform/cat.h"
#include "platform/log.h"
#include "platform/one_line.h"
#include "train/diagnosis.h"

#include <cassert>
#include <cmath>
#include <filesystem>
#include <system_error>

namespace tidepool::inline v0 {

// What the bits depend on, as long as the device can be asked.
void Training::note_conditions() {
  const Device device = steps_.device();
  const std::shared_ptr<Stream> stream = device.slot().stream();
  const BackendInfo& info = stream->info();
  conditions_ = cat("Tidepool ", version(), "; ", device.id(), ", ", info.name, ", ", info.driver, "; ", info.same_bits);
}

bool Training::snapshot_is_due() const {
  return now_.step % options_.snapshot_every == 0 && result_.snapshot_seconds <= options_.snapshot_share * seconds_since(start_);
}

// Into the spare one: a device that is lost meanwhile must not leave us with half of a snapshot.
void Training::take_snapshot() {
  Snapshot& snapshot = spare_;
  const std::shared_ptr<Stream> stream = steps_.device().slot().stream();
  const auto locked = [&](auto&& function) {
    const StreamLock lock(*stream);
    return function();
  };
  locked([&] { stream->finish_all(); });  // steps that are not done yet are no cost of the snapshot
  const Clock::time_point start = Clock::now();
  snapshot.epoch = now_.epoch;
  snapshot.batch = now_.batch;
  snapshot.step = now_.step;
  snapshot.best_epoch = now_.best_epoch;
  snapshot.epochs_done = result_.epochs.size();
  snapshot.seconds = seconds_since(epoch_start_);
  snapshot.lr = optimizer_.lr();
  download_all(kept_tensors_, snapshot.tensors);
  snapshot.random = locked([&] { return stream->random_position(); });
  std::swap(kept_, spare_);
  ++result_.snapshots;
  result_.snapshot_seconds += seconds_since(start);
}

void Training::restore(const Snapshot& snapshot) {
  now_.epoch = snapshot.epoch;
  now_.batch = snapshot.batch;
  now_.step = snapshot.step;
  now_.best_epoch = snapshot.best_epoch;
  result_.epochs.resize(snapshot.epochs_done);
  epoch_start_ = Clock::now() - std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(snapshot.seconds));
  upload_all(snapshot.tensors, kept_tensors_);
  optim::OptimizerAccess::state(optimizer_).lr = snapshot.lr;  // the device has it already
  {
    const std::shared_ptr<Stream> stream = steps_.device().slot().stream();
    const StreamLock lock(*stream);
    stream->set_random_position(snapshot.random);
  }
  batches_->seek(now_.epoch, now_.batch);
  batch_is_there_ = false;
}

void Training::write(const std::string& path) {
  if (path.empty()) return;
  take_snapshot();
  write_kept(path);
}

void Training::write_kept(const std::string& path) {
  // A batch that auto-tune has not judged yet, or not kept, is not one to go on with: the position is that of the one before.
  const std::int64_t batch = untuned_.batch > 0 ? untuned_.batch : batches_->capacity();
  const std::int64_t samples = kept_.batch * batches_->capacity();
  assert(samples % batch == 0 && "auto-tune tries multiples of a batch only");
  const struct ForTheFile {  // whether it can be written or not
    Snapshot& kept;
    std::int64_t position;
    ~ForTheFile() {
      kept.batch = position;
      kept.epochs.clear();
      kept.best.clear();
    }
  } for_the_file{kept_, kept_.batch};
  kept_.batch = samples / batch;
  kept_.epochs.assign(result_.epochs.begin(), result_.epochs.begin() + static_cast<std::ptrdiff_t>(kept_.epochs_done));
  kept_.best = best_;
  std::error_code ignored;
  const bool damaged = std::filesystem::equivalent(path, damaged_, ignored);
  write_checkpoint(path, kept_,
                   {.optimizer = optimizer_.name(),
                    .conditions = conditions_,
                    .batch = batch,
                    .micro_batch = steps_.micro(),
                    .seed = options_.seed,
                    .samples = batches_->dataset().size(),
                    .shuffle = options_.shuffle},
                   !damaged);
  damaged_.clear();
}

void Training::require_finite(double sum) {
  if (std::isfinite(sum)) return;
  const std::int64_t seen_at = now_.step;
  progress_.clear();
  // Again from the last snapshot, to the step at which it happened, and then to the one before.
  const auto step_again = [&] {
    if (now_.batch == batches_->per_epoch()) {
      ++now_.epoch;
      now_.batch = 0;
    }
    step();
  };
  restore(kept_);
  double again = 0;
  do {
    step_again();
    again = steps_.read_sums().loss;
  } while (std::isfinite(again) && now_.step < seen_at);
  const std::int64_t bad = now_.step;
  if (std::isfinite(again))
    throw Error("fit", cat("the loss is ", sum, " at step ", bad, "; done again from step ", kept_.step,
                           " on, it is finite: something else writes to the network or its data, or the device computes wrongly"));
  restore(kept_);
  while (now_.step + 1 < bad) step_again();
  const data::HostBatch batch = batches_->next();
  steps_.upload(batch);
  const std::string why = first_not_finite(net_, loss_, steps_.input(Steps::Kind::train, 0, batch.rows), steps_.target(0, batch.rows));
  const std::int64_t epoch = kept_.epoch + (kept_.batch + bad - 1 - kept_.step) / batches_->per_epoch() + 1;
  throw Error("fit", cat("the loss is ", sum, " at step ", bad, " (epoch ", epoch, "): ", why));
}

void Training::go_on_from_checkpoint(const data::Dataset& train) {
  const Checkpoint& checkpoint = *resumed_;
  const CheckpointInfo& info = checkpoint.info;
  if (info.optimizer != optimizer_.name())
    throw IoError("resume", cat(resumed_from_, ": was written with ", shown(info.optimizer), "; the optimizer is ", optimizer_.name(),
                                "; resume with the same optimizer, or begin without resume()"));
  if (info.samples != train.size())
    throw IoError("resume", cat(resumed_from_, ": was written with ", info.samples, " samples; the dataset has ", train.size(),
                                "; resume with the same data"));
  if (options_.batch != 0 && info.batch != batches_->capacity())
    throw IoError("resume", cat(resumed_from_, ": was written with batches of ", info.batch, "; got ", options_.batch,
                                "; resume with a batch of ", info.batch));
  Snapshot snapshot = checkpoint.snapshot;
  snapshot.tensors = matched(resumed_from_, std::move(snapshot.tensors), kept_tensors_);
  if (options_.keep_best) {
    if (!snapshot.best.empty())
      best_ = matched(resumed_from_, std::move(snapshot.best), trained_tensors(net_, optimizer_));
    else if (snapshot.best_epoch > 0)
      warn(cat("resume: ", resumed_from_, ": was written without keep_best, so parameters of epoch ", snapshot.best_epoch,
               ", the best so far, are not in it; unless a later one is better, training ends with the last ones"));
  }
  if (snapshot.batch >= batches_->per_epoch())
    throw IoError("resume", cat(resumed_from_, ": batch ", snapshot.batch, " of an epoch of ", batches_->per_epoch()));
  std::vector<std::string> differences;
  if (info.conditions != conditions_)
    differences.push_back(cat("it was written under ", shown(info.conditions, 400), ", this is '", conditions_, "'"));
  if (info.seed != options_.seed || info.shuffle != options_.shuffle) differences.emplace_back("the order of samples is another");
  for (const std::string& difference : differences) warn(cat("resume: ", resumed_from_, ": the bits will not be the same: ", difference));
  steps_.set_micro(std::min(info.micro_batch, batches_->capacity()));
  result_.epochs = checkpoint.snapshot.epochs;
  snapshot.epochs_done = result_.epochs.size();
  announced_epochs_ = static_cast<std::int64_t>(result_.epochs.size());
  restore(snapshot);
}

void Training::resume(const std::string& path) {
  resumed_ = read_checkpoint(path);
  resumed_from_ = path;
  damaged_.clear();
  if (resumed_->is_previous) damaged_ = path;
}

}  // namespace tidepool::inline v0
