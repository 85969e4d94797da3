#include "train/training.h"

#include <tidepool/memory.h>

#include "platform/cat.h"
#include "platform/log.h"
#include "platform/replace_file.h"
#include "platform/terminal.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tidepool::inline v0 {

namespace {

using Kind = Steps::Kind;

void require_like(const data::Dataset& train, const data::Dataset& test) {
  if (train.size() == 0) throw ArgumentError("fit", "the training set has no samples");
  if (test.size() > 0 && (!(test.x_shape() == train.x_shape()) || !(test.y_shape() == train.y_shape()) ||
                          test.x_dtype() != train.x_dtype() || test.y_dtype() != train.y_dtype()))
    throw ShapeError("fit", cat("samples of the training set are ", train.x_shape(), " of ", train.x_dtype(), " with targets ",
                                train.y_shape(), " of ", train.y_dtype(), ", those of the test set ", test.x_shape(), " of ",
                                test.x_dtype(), " with ", test.y_shape(), " of ", test.y_dtype()));
}

}  // namespace

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

Training::Training(nn::Module& net, optim::Optimizer& optimizer, Trainer::Loss loss, const TrainOptions& options)
    : net_(net),
      optimizer_(optimizer),
      loss_(loss),
      options_(options),
      steps_(net, optimizer, std::move(loss), options.clip_norm),
      progress_(options.progress) {}

void Training::announce(const std::string& message, LogLevel level) {
  progress_.clear();
  log(level, message);
  progress_.line(message);
  watch_.said(message);
  if (options_.on_message) options_.on_message(message);
}

StepInfo Training::step_info() const {
  return {.step = now_.step, .epoch = now_.epoch + 1, .batch = now_.batch, .batches = batches_->per_epoch()};
}
std::int64_t Training::samples_done() const { return std::min(now_.batch * batches_->capacity(), batches_->dataset().size()); }

void Training::begin(const data::Dataset& train, std::int64_t batch) {
  batches_.emplace("fit", train,
                   data::BatchOptions{
                       .batch = batch, .shuffle = options_.shuffle, .seed = static_cast<std::uint64_t>(options_.seed), .drop_last = false});
  steps_.set_micro(options_.micro_batch > 0 ? std::min(options_.micro_batch, batches_->capacity()) : batches_->capacity());
  use_training_set();
  steps_.clear_sums();
  batch_is_there_ = false;
  if (steps_.micro() < batches_->capacity() && net_.mixes_batch())
    announce(cat("batch statistics are of ", steps_.micro(), " samples at once, not of the whole batch"));
}

void Training::use_training_set() {
  steps_.use(Kind::train, batches_->dataset(), batches_->capacity());
  kept_tensors_ = tensors_to_keep(net_, optimizer_, steps_.training_sums());
  note_conditions();
}

// What does not fit into memory, not even the second time, is done in halves, whose gradients add up.
template <class Step>
void Training::within_memory(const Step& step) {
  for (bool again = false;;) try {
      return step();
    } catch (const OutOfMemory& error) {
      again = !again;
      if (again) continue;  // others may have had the memory for a moment only
      if (steps_.micro() == 1) throw;
      steps_.set_micro((steps_.micro() + 1) / 2);
      std::string message = cat("out of memory: from now on ", steps_.micro(), " samples at once");
      if (batches_) {  // evaluation alone has no gradients
        message += cat(", and their gradients add up to a batch of ", batches_->capacity());
        if (net_.mixes_batch()) message += "; batch statistics are of those samples only, so results differ";
      }
      announce(message);
    }
}

void Training::train_step() {
  const Clock::time_point start = Clock::now();
  if (std::exchange(evaluated_, false)) steps_.use(Kind::train, batches_->dataset(), batches_->capacity());
  const data::HostBatch batch = batches_->next();
  const double loading = watch_.watched() && !batch_is_there_ ? seconds_since(start) : 0;
  if (!batch_is_there_) steps_.upload(batch);
  batch_is_there_ = batches_->per_epoch() == 1 && !options_.shuffle;
  if (options_.schedule) options_.schedule->set(now_.step);
  within_memory([&] { steps_.train(batch.rows); });
  ++now_.batch;
  ++now_.step;
  const double seconds = seconds_since(start);
  watch_.step(seconds, loading, batch.rows);
  speed_.seconds += seconds;
  speed_.samples += batch.rows;
  speed_.since_warning += seconds;
}

void Training::show_progress() {
  const StepSums sums = steps_.read_sums();
  const auto samples = static_cast<double>(std::max<std::int64_t>(samples_done(), 1));
  const double seconds = seconds_since(epoch_start_), all = static_cast<double>(batches_->dataset().size());
  const double epochs_left = static_cast<double>(options_.epochs - now_.epoch) - samples / all;
  progress_.show({.step = step_info(),
                  .epochs = options_.epochs,
                  .loss = sums.loss / samples,
                  .accuracy = sums.correct / samples,
                  .samples_per_second = samples / seconds,
                  .seconds_left = epochs_left * seconds * all / samples,
                  .memory = memory(steps_.device()).reserved_bytes});
}

void Training::begin_watch() {
  std::int64_t parameters = 0;
  for (const Tensor& parameter : optimizer_.parameters()) parameters += parameter.numel();
  watch_.begin({.task = options_.name,
                .epochs = options_.epochs,
                .batch = batches_->capacity(),
                .samples = batches_->dataset().size(),
                .batches = batches_->per_epoch(),
                .parameters = parameters,
                .epoch = now_.epoch,
                .step = now_.step});
}

void Training::tell_watch() {
  const Clock::time_point start = Clock::now();
  const std::string device = steps_.device().id();
  const double waited = watch_.waited(device);
  const StepSums sums = steps_.read_sums();
  watch_.at(now_.epoch, now_.step);
  // What the device had to do anyway is not watching.
  const double inside = seconds_since(start) - (watch_.waited(device) - waited);
  watch_.progress(sums.loss, sums.correct, samples_done(), steps_.has_labels(), inside);
}

// Also where it is done again: what a callback sets belongs to it.
void Training::step() {
  train_step();
  if (options_.on_step) options_.on_step(step_info());
}

void Training::after_step() {
  if (progress_.due()) show_progress();
  if (watch_.due()) tell_watch();
  if (now_.batch == batches_->per_epoch()) return;  // finish_epoch looks after the rest
  const bool checkpoint = options_.checkpoint_every > 0 && now_.step % options_.checkpoint_every == 0;
  if (!checkpoint && !snapshot_is_due()) return;
  require_finite(steps_.read_sums().loss);
  if (checkpoint && !options_.checkpoint.empty())
    write(options_.checkpoint);
  else
    take_snapshot();
}

EvalResult Training::evaluate_all(data::Batches& from) {
  evaluated_ = true;
  batch_is_there_ = false;
  steps_.use(Kind::evaluate, from.dataset(), from.capacity());
  steps_.clear_sums(Kind::evaluate);
  from.seek(0, 0);
  for (std::int64_t i = 0; i < from.per_epoch(); ++i) {
    const data::HostBatch batch = from.next();
    steps_.upload(batch);
    within_memory([&] { steps_.evaluate(batch.rows); });
  }
  const StepSums sums = steps_.read_sums(Kind::evaluate);
  EvalResult evaluated{.loss = sums.loss / static_cast<double>(from.dataset().size()),
                       .accuracy = sums.correct / static_cast<double>(from.dataset().size()),
                       .samples = from.dataset().size(),
                       .classes = 0,
                       .confusion = steps_.read_confusion()};
  evaluated.classes = std::llround(std::sqrt(static_cast<double>(evaluated.confusion.size())));
  return evaluated;
}

void Training::finish_epoch() {
  const StepSums sums = steps_.read_sums();
  require_finite(sums.loss);
  const auto samples = static_cast<double>(samples_done());
  const double training = seconds_since(epoch_start_);
  EpochResult epoch{.epoch = now_.epoch + 1, .loss = sums.loss / samples, .accuracy = sums.correct / samples};
  epoch.samples_per_second = samples / training;
  if (test_batches_) {
    const EvalResult test = evaluate_all(*test_batches_);
    epoch.test_loss = test.loss;
    epoch.test_accuracy = test.accuracy;
    if (!std::isfinite(test.loss))
      announce(cat("the test loss of epoch ", epoch.epoch, " is ", test.loss, ": look for such numbers in the test set"), LogLevel::warn);
  }
  epoch.seconds = seconds_since(epoch_start_);
  result_.epochs.push_back(epoch);
  const bool is_best = now_.best_epoch == 0 || better(static_cast<std::int64_t>(result_.epochs.size()), now_.best_epoch);
  if (is_best) {
    now_.best_epoch = epoch.epoch;
    if (options_.keep_best) download_all(trained_tensors(net_, optimizer_), best_);
  }
  ++now_.epoch;
  now_.batch = 0;
  watch_.at(now_.epoch, now_.step);
  epoch_start_ = Clock::now();
  steps_.clear_sums();
  const double lr = optimizer_.lr();
  if (epoch.epoch > announced_epochs_) announce_epoch(epoch);  // not again after a recovery
  if (!options_.checkpoint.empty())
    write(options_.checkpoint);
  else if (snapshot_is_due() || optimizer_.lr() != lr || steps_.others_train())  // what a callback has set: nobody would set it again
    take_snapshot();
}

// Before the epoch is kept, so that what a callback sets (a learning rate) is kept with it; but an error of the callback's own does not
// cost the epoch.
void Training::announce_epoch(const EpochResult& epoch) {
  progress_.line(epoch_line(epoch, options_.epochs, test_batches_.has_value()));
  watch_.epoch({.epoch = epoch.epoch,
                .loss = epoch.loss,
                .accuracy = epoch.accuracy,
                .test_loss = epoch.test_loss,
                .test_accuracy = epoch.test_accuracy,
                .seconds = epoch.seconds,
                .samples_per_second = epoch.samples_per_second,
                .has_accuracy = steps_.has_labels(),
                .has_test = test_batches_.has_value()});
  try {
    if (options_.on_epoch) options_.on_epoch(epoch);
  } catch (const DeviceLost&) {  // the epoch's end is done again, and its callback called again
    throw;
  } catch (...) {
    write(options_.checkpoint);
    throw;
  }
  announced_epochs_ = epoch.epoch;
  tune(epoch.samples_per_second);
}

// What is no number, or was not measured, is worst.
double Training::test_loss_of(std::int64_t epoch) const {
  const bool tested = epoch > resumed_epochs_ ? test_batches_.has_value() : epoch >= tested_from_;
  const double loss = result_.epochs[static_cast<std::size_t>(epoch - 1)].test_loss;
  return tested && !std::isnan(loss) ? loss : std::numeric_limits<double>::infinity();
}

// By test accuracy where there are labels, otherwise by loss.
bool Training::better(std::int64_t epoch, std::int64_t than) const {
  const EpochResult &a = result_.epochs[static_cast<std::size_t>(epoch - 1)], &b = result_.epochs[static_cast<std::size_t>(than - 1)];
  if (a.test_accuracy != b.test_accuracy) return a.test_accuracy > b.test_accuracy;
  if (test_loss_of(epoch) != test_loss_of(than)) return test_loss_of(epoch) < test_loss_of(than);
  return a.loss < b.loss;
}

bool Training::patience_is_over() const {
  return options_.patience > 0 && now_.best_epoch > 0 &&
         static_cast<std::int64_t>(result_.epochs.size()) - now_.best_epoch >= options_.patience;
}

bool Training::stop_is_asked() const { return stopping_ || (options_.stop_on_interrupt && InterruptScope::interrupted()); }

void Training::run() {
  while (!is_over()) {
    step();
    after_step();
    if (now_.batch == batches_->per_epoch()) finish_epoch();
    if (is_over()) break;  // who stops the last step stops nothing
    if (stop_is_asked()) return interrupt();
    watch_speed();
  }
  if (patience_is_over()) {
    result_.stopped_early = true;
    announce(cat("stopped after epoch ", now_.epoch, ": no better result since epoch ", now_.best_epoch));
  }
  if (options_.keep_best && !best_.empty()) upload_all(best_, trained_tensors(net_, optimizer_));
  complete_ = true;
}

void Training::interrupt() {
  const bool periodic = !options_.checkpoint.empty();
  const std::string& path = periodic ? options_.checkpoint : options_.interrupt_checkpoint;
  try {
    write(path);
    result_.checkpoint = path;
  } catch (const IoError& error) {
    if (periodic) throw;
    announce(cat("what was learned up to step ", now_.step, " could not be kept: ", error.what()), LogLevel::warn);
  }
  result_.interrupted = true;
}

// All that comes before the first step.
void Training::prepare(const data::Dataset& train, const data::Dataset& test) {
  const bool go_on = resumed_ && (options_.batch == 0 || options_.auto_tune);  // with the batch that was found then
  const std::int64_t batch = go_on ? resumed_->info.batch : options_.batch > 0 ? options_.batch : found_batch(train);
  begin(train, batch);
  test_batches_.reset();
  if (test.size() > 0) test_batches_.emplace("fit", test, data::BatchOptions{.batch = batches_->capacity()});
  epoch_start_ = Clock::now();
  if (resumed_)
    go_on_from_checkpoint(train);
  else
    batches_->seek(0, 0);
  resumed_epochs_ = static_cast<std::int64_t>(result_.epochs.size());
  const auto tested = [](const EpochResult& epoch) { return epoch.test_loss != 0 || epoch.test_accuracy != 0; };
  tested_from_ = std::ranges::find_if(result_.epochs, tested) - result_.epochs.begin() + 1;  // no checkpoint says it in so many words
  if (!options_.checkpoint.empty()) remove_abandoned(options_.checkpoint);
  take_snapshot();
  resumed_.reset();
  begin_watch();
  prepared_ = true;
}

// Whichever way: what is of this fit ends with it.
void Training::end_fit() noexcept {
  progress_.clear();
  const auto at_best = [](auto&& function) {
    try {
      function();
    } catch (...) {  // fit ends with another error already, such as a lost device or no memory
    }
  };
  at_best([this] { drop_trial(); });
  if (prepared_) at_best([this] { watch_.end(complete_); });  // the watch knows of it only since then
  batches_.reset();
  test_batches_.reset();
  kept_tensors_.clear();
  stopping_ = false;
}

TrainResult Training::fit(const data::Dataset& train, const data::Dataset& test) {
  require_like(train, test);
  if (!options_.checkpoint.empty()) require_replaceable("fit", options_.checkpoint);  // rather than after the first epoch
  const InterruptScope interrupts(options_.stop_on_interrupt);
  const struct Watching {
    bool on;
    explicit Watching(bool wanted) : on(wanted) {
      if (on) monitor::enable();
    }
    ~Watching() {
      if (on) monitor::disable();
    }
  } watching(options_.auto_tune && !monitor::enabled());
  stopping_ = false;
  const struct Fitting {
    Training& training;
    ~Fitting() { training.end_fit(); }
  } fitting{*this};
  result_ = {};
  now_ = {};
  best_.clear();
  announced_epochs_ = 0;
  furthest_loss_ = -1;
  fruitless_ = 0;
  speed_ = {};
  tune_ = {};
  untuned_ = {};
  start_ = epoch_start_ = Clock::now();
  prepared_ = complete_ = false;
  steps_.forget_plans();
  net_.train();
  kept_tensors_ = tensors_to_keep(net_, optimizer_, {});
  take_snapshot();  // from here on the device may be lost
  over_losses([&] {
    if (!prepared_) prepare(train, test);
    run();
  });
  result_.steps = now_.step;
  result_.best_epoch = now_.best_epoch;
  result_.micro_batch = steps_.micro();
  result_.seconds = seconds_since(start_);
  return std::move(result_);
}

EvalResult Training::evaluate(const data::Dataset& test) {
  const std::int64_t batch = options_.batch > 0 ? options_.batch : 64;
  data::Batches from("evaluate", test, {.batch = batch});
  if (steps_.micro() == 0) steps_.set_micro(from.capacity());
  if (!batches_) steps_.forget_plans();  // amid a fit the network is what the fit began with
  return evaluate_all(from);
}

}  // namespace tidepool::inline v0
