#include <tidepool/error.h>
#include <tidepool/memory.h>
#include <tidepool/train.h>

#include "core/node.h"
#include "io/file.h"
#include "optim/state.h"
#include "platform/cat.h"
#include "platform/log.h"
#include "platform/terminal.h"
#include "train/checkpoint.h"
#include "train/diagnosis.h"
#include "train/progress.h"
#include "train/steps.h"

#include <atomic>
#include <chrono>
#include <cmath>
#include <optional>

namespace tidepool::inline v0 {

namespace {

using Clock = std::chrono::steady_clock;
using Kind = Steps::Kind;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

void require_at_least(const char* name, std::int64_t value, std::int64_t least) {
  if (value < least) throw ArgumentError("Trainer", cat(name, " is ", value, "; wanted ", least, " or more"));
}

std::string conditions_on(const Device& device) {
  const std::shared_ptr<Stream> stream = device.slot().stream();
  const BackendInfo& info = stream->info();
  return cat("Tidepool ", version(), "; ", device.id(), ", ", info.name, ", ", info.driver, "; ", info.same_bits);
}

// By test accuracy where there are labels, otherwise by loss.
bool better(const EpochResult& a, const EpochResult& b) {
  if (a.test_accuracy != b.test_accuracy) return a.test_accuracy > b.test_accuracy;
  if (a.test_loss != b.test_loss) return a.test_loss < b.test_loss;
  return a.loss < b.loss;
}

}  // namespace

struct Trainer::Inner {
  Inner(nn::Module& net, optim::Optimizer& optimizer, Loss loss, const TrainOptions& options)
      : net(net),
        optimizer(optimizer),
        loss(loss),
        options(options),
        steps(net, optimizer, std::move(loss), options.clip_norm),
        progress(options.progress) {}

  nn::Module& net;
  optim::Optimizer& optimizer;
  Loss loss;
  TrainOptions options;
  Steps steps;
  Progress progress;
  std::atomic<bool> stopping{false};
  std::optional<Checkpoint> resumed;
  std::string resumed_from;

  // Of one fit.
  std::optional<data::Batches> batches, test_batches;
  Snapshot now;   // the counters; its tensors are on the device
  Snapshot kept;  // the last one on the host
  TrainResult result;
  std::int64_t announced_epochs = 0;
  std::int64_t lost_at_step = -1, losses_there = 0;
  bool batch_is_there = false;  // on the device, and the only one
  Clock::time_point epoch_start;

  void announce(const std::string& message) {
    progress.clear();
    log(LogLevel::info, message);
    progress.line(message);
    if (options.on_message) options.on_message(message);
  }

  StepInfo step_info() const { return {.step = now.step, .epoch = now.epoch + 1, .batch = now.batch, .batches = batches->per_epoch()}; }
  std::int64_t samples_done() const { return std::min(now.batch * batches->capacity(), batches->dataset().size()); }

  // Snapshots.
  void take(Snapshot& snapshot) {
    snapshot.epoch = now.epoch;
    snapshot.batch = now.batch;
    snapshot.step = now.step;
    snapshot.best_epoch = now.best_epoch;
    snapshot.epochs_done = result.epochs.size();
    snapshot.seconds = seconds_since(epoch_start);
    snapshot.lr = optimizer.lr();
    download_all(kept_tensors, snapshot.tensors);
    const std::shared_ptr<Stream> stream = steps.device().slot().stream();
    const StreamLock lock(*stream);
    snapshot.random = stream->random_position();
  }

  void restore(const Snapshot& snapshot) {
    now.epoch = snapshot.epoch;
    now.batch = snapshot.batch;
    now.step = snapshot.step;
    now.best_epoch = snapshot.best_epoch;
    result.epochs.resize(snapshot.epochs_done);
    epoch_start = Clock::now() - std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(snapshot.seconds));
    upload_all(snapshot.tensors, kept_tensors);
    optim::OptimizerAccess::state(optimizer).lr = snapshot.lr;  // the device has it already
    {
      const std::shared_ptr<Stream> stream = steps.device().slot().stream();
      const StreamLock lock(*stream);
      stream->set_random_position(snapshot.random);
    }
    batches->seek(now.epoch, now.batch);
    batch_is_there = false;
  }

  void write(const std::string& path) {
    if (path.empty()) return;
    take(kept);
    kept.epochs = result.epochs;
    kept.best = best;
    write_checkpoint(path, kept,
                     {.optimizer = optimizer.name(),
                      .conditions = conditions_on(steps.device()),
                      .batch = batches->capacity(),
                      .micro_batch = steps.micro(),
                      .seed = options.seed,
                      .samples = batches->dataset().size(),
                      .shuffle = options.shuffle});
    kept.epochs.clear();
    kept.best.clear();
  }
  std::vector<SavedTensor> best;
  NamedTensors kept_tensors;  // what a snapshot is of

  void use_training_set() {
    steps.use(Kind::train, batches->dataset(), batches->capacity());
    kept_tensors = tensors_to_keep(net, optimizer, steps.sums());
  }

  // Steps.
  void train_step() {
    const data::HostBatch batch = batches->next();
    if (!batch_is_there) steps.upload(batch);
    batch_is_there = batches->per_epoch() == 1 && !options.shuffle;
    if (options.schedule) options.schedule->set(now.step);
    within_memory([&] { steps.train(batch.rows); });
    ++now.batch;
    ++now.step;
  }

  // What does not fit into memory is done in halves, whose gradients add up.
  template <class Step>
  void within_memory(const Step& step) {
    for (;;) try {
        return step();
      } catch (const OutOfMemory& error) {
        if (steps.micro() == 1) throw;
        steps.set_micro((steps.micro() + 1) / 2);
        announce(cat("out of memory: from now on ", steps.micro(), " samples at once, and their gradients add up to a batch of ",
                     batches->capacity(), net.mixes_batch() ? "; batch statistics are of those samples only, so results differ" : ""));
      }
  }

  void require_finite(double sum) {
    if (std::isfinite(sum)) return;
    const std::int64_t seen_at = now.step;
    progress.clear();
    // Again from the last snapshot, to the step at which it happened, and then to the one before.
    restore(kept);
    do train_step();
    while (std::isfinite(steps.read_sums().loss) && now.step < seen_at);
    const std::int64_t bad = now.step;
    restore(kept);
    while (now.step + 1 < bad) train_step();
    const data::HostBatch batch = batches->next();
    steps.upload(batch);
    const std::string why = first_not_finite(net, loss, steps.input(Kind::train, 0, batch.rows), steps.target(0, batch.rows));
    throw Error("fit", cat("the loss is ", sum, " at step ", bad, " (epoch ", now.epoch + 1, "): ", why));
  }

  void show_progress() {
    const StepSums sums = steps.read_sums();
    const auto samples = static_cast<double>(std::max<std::int64_t>(samples_done(), 1));
    const double seconds = seconds_since(epoch_start), all = static_cast<double>(batches->dataset().size());
    const double epochs_left = static_cast<double>(options.epochs - now.epoch) - samples / all;
    progress.show({.step = step_info(),
                   .epochs = options.epochs,
                   .loss = sums.loss / samples,
                   .accuracy = sums.correct / samples,
                   .samples_per_second = samples / seconds,
                   .seconds_left = epochs_left * seconds * all / samples,
                   .memory = memory(steps.device()).reserved_bytes});
  }

  void after_step() {
    if (options.on_step) options.on_step(step_info());
    if (progress.due()) show_progress();
    if (now.batch == batches->per_epoch()) return;  // finish_epoch looks after the rest
    if (options.snapshot_every > 0 && now.step % options.snapshot_every == 0) {
      require_finite(steps.read_sums().loss);
      take(kept);
    }
    if (options.checkpoint_every > 0 && now.step % options.checkpoint_every == 0) {
      require_finite(steps.read_sums().loss);
      write(options.checkpoint);
    }
  }

  EvalResult evaluate_all(data::Batches& from) {
    steps.use(Kind::evaluate, from.dataset(), from.capacity());
    steps.clear_sums();
    from.seek(0, 0);
    for (std::int64_t i = 0; i < from.per_epoch(); ++i) {
      const data::HostBatch batch = from.next();
      steps.upload(batch);
      within_memory([&] { steps.evaluate(batch.rows); });
    }
    const StepSums sums = steps.read_sums();
    EvalResult evaluated{.loss = sums.loss / static_cast<double>(from.dataset().size()),
                         .accuracy = sums.correct / static_cast<double>(from.dataset().size()),
                         .samples = from.dataset().size(),
                         .classes = 0,
                         .confusion = steps.read_confusion()};
    evaluated.classes = std::llround(std::sqrt(static_cast<double>(evaluated.confusion.size())));
    steps.clear_sums();
    batch_is_there = false;
    return evaluated;
  }

  void finish_epoch() {
    const StepSums sums = steps.read_sums();
    require_finite(sums.loss);
    const auto samples = static_cast<double>(samples_done());
    const double training = seconds_since(epoch_start);
    EpochResult epoch{.epoch = now.epoch + 1, .loss = sums.loss / samples, .accuracy = sums.correct / samples};
    epoch.samples_per_second = samples / training;
    if (test_batches) {
      const EvalResult test = evaluate_all(*test_batches);
      epoch.test_loss = test.loss;
      epoch.test_accuracy = test.accuracy;
    }
    epoch.seconds = seconds_since(epoch_start);
    result.epochs.push_back(epoch);
    const bool is_best = now.best_epoch == 0 || better(epoch, result.epochs[static_cast<std::size_t>(now.best_epoch - 1)]);
    if (is_best) {
      now.best_epoch = epoch.epoch;
      if (options.keep_best) download_all(tensors_of(net), best);
    }
    ++now.epoch;
    now.batch = 0;
    epoch_start = Clock::now();
    steps.clear_sums();
    if (!options.checkpoint.empty())
      write(options.checkpoint);
    else if (options.snapshot_every > 0 && now.step % options.snapshot_every == 0)
      take(kept);
    if (epoch.epoch > announced_epochs) {  // not again after a recovery
      announced_epochs = epoch.epoch;
      progress.line(epoch_line(epoch));
      if (options.on_epoch) options.on_epoch(epoch);
    }
  }

  std::string epoch_line(const EpochResult& e) const {
    char text[256];
    int length = std::snprintf(text, sizeof text, "epoch %lld/%lld  loss %.4f", static_cast<long long>(e.epoch),
                               static_cast<long long>(options.epochs), e.loss);
    const auto add = [&](const char* pattern, double value) {
      length += std::snprintf(text + length, sizeof text - static_cast<std::size_t>(length), pattern, value);
    };
    if (e.accuracy > 0) add("  accuracy %.4f", e.accuracy);
    if (test_batches) add("  test loss %.4f", e.test_loss);
    if (e.test_accuracy > 0) add("  test accuracy %.4f", e.test_accuracy);
    add("  %.1f s", e.seconds);
    return text;
  }

  bool patience_is_over() const {
    return options.patience > 0 && now.best_epoch > 0 &&
           static_cast<std::int64_t>(result.epochs.size()) - now.best_epoch >= options.patience;
  }

  void run() {
    while (now.epoch < options.epochs) {
      train_step();
      after_step();
      if (now.batch == batches->per_epoch()) {
        finish_epoch();
        if (patience_is_over()) {
          result.stopped_early = true;
          announce(cat("stopped after epoch ", now.epoch, ": no better result since epoch ", now.best_epoch));
          return;
        }
      }
      if (stopping.exchange(false) || (options.stop_on_interrupt && InterruptScope::interrupted())) {
        result.interrupted = now.epoch < options.epochs;
        if (result.interrupted) write(options.checkpoint.empty() ? options.interrupt_checkpoint : options.checkpoint);
        return;
      }
    }
  }

  // The device is made anew, and what was on it comes from the last snapshot.
  void recover(const DeviceLost& error) {
    losses_there = now.step == lost_at_step ? losses_there + 1 : 1;
    lost_at_step = now.step;
    if (losses_there > 3) throw DeviceLost("fit", cat("the device was lost three times at step ", now.step, "; last: ", error.what()));
    const Device device = steps.device();
    announce(cat(error.what(), "; making ", device.id(), " anew and going on from step ", kept.step));
    reset(device);
    steps.forget();
    optim::OptimizerAccess::state(optimizer).remake();
    for (const auto& [name, buffer] : net.named_buffers()) {
      const Tensor fresh = zeros_like_on(buffer, device);
      buffer.node()->rehome(device.slot(), fresh.node()->storage, fresh.node()->offset);
    }
    use_training_set();
    restore(kept);
    ++result.recoveries;
  }
  static Tensor zeros_like_on(const Tensor& like, const Device& device) {
    return zeros(like.node()->shape, {.dtype = like.node()->dtype, .device = device});
  }

  void begin(const data::Dataset& train, std::int64_t batch) {
    batches.emplace("fit", train,
                    data::BatchOptions{
                        .batch = batch, .shuffle = options.shuffle, .seed = static_cast<std::uint64_t>(options.seed), .drop_last = false});
    steps.set_micro(options.micro_batch > 0 ? std::min(options.micro_batch, batches->capacity()) : batches->capacity());
    use_training_set();
    steps.clear_sums();
    if (steps.micro() < batches->capacity() && net.mixes_batch())
      announce(cat("batch statistics are of ", steps.micro(), " samples at once, not of the whole batch"));
  }

  void go_on_from_checkpoint(const data::Dataset& train) {
    const Checkpoint checkpoint = std::move(*resumed);
    resumed.reset();
    const CheckpointInfo& info = checkpoint.info;
    if (info.optimizer != optimizer.name())
      throw IoError("resume", cat(resumed_from, ": was written with ", info.optimizer, "; the optimizer is ", optimizer.name()));
    if (info.samples != train.size())
      throw IoError("resume", cat(resumed_from, ": was written with ", info.samples, " samples; the dataset has ", train.size()));
    if (options.batch != 0 && info.batch != batches->capacity())
      throw IoError("resume", cat(resumed_from, ": was written with batches of ", info.batch, "; got ", options.batch));
    Snapshot snapshot = checkpoint.snapshot;
    snapshot.tensors = matched(resumed_from, std::move(snapshot.tensors), kept_tensors);
    if (!snapshot.best.empty()) best = matched(resumed_from, std::move(snapshot.best), tensors_of(net));
    if (snapshot.batch >= batches->per_epoch())
      throw IoError("resume", cat(resumed_from, ": batch ", snapshot.batch, " of an epoch of ", batches->per_epoch()));
    std::string differences;
    if (info.conditions != conditions_on(steps.device()))
      differences = cat("it was written under '", info.conditions, "', this is '", conditions_on(steps.device()), "'");
    if (info.seed != options.seed || info.shuffle != options.shuffle) differences += "; the order of samples is another";
    if (!differences.empty()) warn(cat("resume: ", resumed_from, ": the bits will not be the same: ", differences));
    steps.set_micro(std::min(info.micro_batch, batches->capacity()));
    result.epochs = checkpoint.snapshot.epochs;
    snapshot.epochs_done = result.epochs.size();
    announced_epochs = static_cast<std::int64_t>(result.epochs.size());
    restore(snapshot);
  }

  std::int64_t found_batch(const data::Dataset& train);
};

// The smallest batch that is within 5 % of the fastest, of those that fit into memory. Nothing is learned meanwhile.
std::int64_t Trainer::Inner::found_batch(const data::Dataset& train) {
  std::int64_t best_batch = 0;
  double best_rate = 0;
  for (std::int64_t batch = 16; batch <= 1024 && (batch == 16 || batch <= train.size()); batch *= 2) {
    begin(train, batch);
    batches->seek(0, 0);
    if (batch == 16) take(kept);
    std::int64_t samples = 0;
    double seconds = 0;
    try {
      for (int i = 0; i < 100 && (i < 3 || seconds < 0.25); ++i) {
        const data::HostBatch host = batches->next();
        steps.upload(host);
        const Clock::time_point start = Clock::now();
        steps.train(host.rows);
        steps.read_sums();
        if (i == 0) continue;  // made its plan
        seconds += seconds_since(start);
        samples += host.rows;
      }
    } catch (const OutOfMemory&) {
      break;
    }
    const double rate = static_cast<double>(samples) / seconds;
    if (best_batch == 0 || rate > 1.05 * best_rate) {
      best_batch = batch;
      best_rate = rate;
    }
  }
  restore(kept);
  steps.forget();
  if (best_batch == 0) best_batch = 16;  // in smaller pieces, as memory allows
  announce(cat("batch: ", best_batch, " samples, found by trying 16 to 1024"));
  return best_batch;
}

Trainer::Trainer(nn::Module& net, optim::Optimizer& optimizer, Loss loss, const TrainOptions& options)
    : inner_(std::make_unique<Inner>(net, optimizer, std::move(loss), options)) {
  require_at_least("epochs", options.epochs, 1);
  require_at_least("batch", options.batch, 0);
  require_at_least("micro_batch", options.micro_batch, 0);
  require_at_least("snapshot_every", options.snapshot_every, 1);
  require_at_least("checkpoint_every", options.checkpoint_every, 0);
  require_at_least("patience", options.patience, 0);
  if (!(options.clip_norm >= 0)) throw ArgumentError("Trainer", cat("clip_norm is ", options.clip_norm, "; wanted 0 or more"));
  if (!inner_->loss) throw ArgumentError("Trainer", "got no loss function; give it tp::cross_entropy, say");
}
Trainer::~Trainer() = default;

TrainResult Trainer::fit(const data::Dataset& train, const data::Dataset& test) {
  Inner& in = *inner_;
  if (train.size() == 0) throw ArgumentError("fit", "the training set has no samples");
  if (test.size() > 0 && (!(test.x_shape() == train.x_shape()) || !(test.y_shape() == train.y_shape()) ||
                          test.x_dtype() != train.x_dtype() || test.y_dtype() != train.y_dtype()))
    throw ShapeError("fit", cat("samples of the training set are ", train.x_shape(), " of ", train.x_dtype(), " with targets ",
                                train.y_shape(), " of ", train.y_dtype(), ", those of the test set ", test.x_shape(), " of ",
                                test.x_dtype(), " with ", test.y_shape(), " of ", test.y_dtype()));
  const InterruptScope interrupts(in.options.stop_on_interrupt);
  in.result = {};
  in.now = {};
  in.announced_epochs = 0;
  in.net.train();
  const std::int64_t batch = in.options.batch > 0 ? in.options.batch : in.resumed ? in.resumed->info.batch : in.found_batch(train);
  in.begin(train, batch);
  in.test_batches.reset();
  if (test.size() > 0) in.test_batches.emplace("fit", test, data::BatchOptions{.batch = in.batches->capacity()});
  in.epoch_start = Clock::now();
  if (in.resumed)
    in.go_on_from_checkpoint(train);
  else
    in.batches->seek(0, 0);
  if (!in.options.checkpoint.empty()) remove_abandoned(in.options.checkpoint);
  in.take(in.kept);
  for (;;) try {
      in.run();
      break;
    } catch (const DeviceLost& error) {
      in.recover(error);
    }
  in.progress.clear();
  if (in.options.keep_best && !in.result.interrupted && !in.best.empty()) upload_all(in.best, tensors_of(in.net));
  in.result.steps = in.now.step;
  in.result.best_epoch = in.now.best_epoch;
  in.result.micro_batch = in.steps.micro();
  in.batches.reset();
  in.test_batches.reset();
  in.kept_tensors.clear();
  return std::move(in.result);
}

EvalResult Trainer::evaluate(const data::Dataset& test) {
  Inner& in = *inner_;
  const std::int64_t batch = in.options.batch > 0 ? in.options.batch : 64;
  data::Batches from("evaluate", test, {.batch = batch});
  if (in.steps.micro() == 0) in.steps.set_micro(from.capacity());
  return in.evaluate_all(from);
}

void Trainer::resume(const std::string& path) {
  inner_->resumed = read_checkpoint(path);
  inner_->resumed_from = path;
}

void Trainer::stop() { inner_->stopping = true; }

}  // namespace tidepool::inline v0
