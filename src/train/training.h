// What a Trainer does, over six files: the loop in training.cpp; snapshots and checkpoints in going_on.cpp; lost devices in
// recovery.cpp, slow ones in speed.cpp; the batch that is found by trying in found_batch.cpp; advice that is
// followed in auto_tune.cpp.
#pragma once

#include <tidepool/error.h>
#include <tidepool/log.h>

#include "monitor/training_watch.h"
#include "train/auto_tune.h"
#include "train/checkpoint.h"
#include "train/progress.h"
#include "train/speed.h"
#include "train/steps.h"

#include <atomic>
#include <chrono>
#include <optional>

namespace tidepool::inline v0 {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start);

class Training {
 public:
  Training(nn::Module& net, optim::Optimizer& optimizer, Trainer::Loss loss, const TrainOptions& options);

  TrainResult fit(const data::Dataset& train, const data::Dataset& test);
  EvalResult evaluate(const data::Dataset& test);
  void resume(const std::string& path);
  void stop() { stopping_ = true; }
  bool has_loss() const { return static_cast<bool>(loss_); }

 private:
  void announce(const std::string& message, LogLevel level = LogLevel::info);

  // The loop.
  void prepare(const data::Dataset& train, const data::Dataset& test);
  void begin(const data::Dataset& train, std::int64_t batch);
  void use_training_set();
  void run();
  void step();
  void train_step();
  void after_step();
  void finish_epoch();
  void announce_epoch(const EpochResult& epoch);
  EvalResult evaluate_all(data::Batches& from);
  double test_loss_of(std::int64_t epoch) const;
  bool better(std::int64_t epoch, std::int64_t than) const;
  bool patience_is_over() const;
  bool is_over() const { return now_.epoch >= options_.epochs || patience_is_over(); }
  bool stop_is_asked() const;
  void interrupt();
  void end_fit() noexcept;
  void show_progress();
  void begin_watch();
  void tell_watch();
  StepInfo step_info() const;
  std::int64_t samples_done() const;
  template <class Step>
  void within_memory(const Step& step);

  // Going on.
  bool snapshot_is_due() const;
  void take_snapshot();
  void restore(const Snapshot& snapshot);
  void write(const std::string& path);
  void write_kept(const std::string& path);
  void note_conditions();
  void require_finite(double sum);
  void over_losses(const std::function<void()>& work);
  void recover(const std::string& why);
  [[noreturn]] void give_up(const std::string& why);
  Device device_to_go_on_with(const Device& lost);
  void remake_on(const Device& device);
  void go_on_from_checkpoint(const data::Dataset& train);

  // Speed.
  void watch_speed();
  void leave_slow_device();
  void move_to(const Device& device, const std::string& why);

  // Tuning (auto_tune.cpp).
  struct Tuned {
    std::optional<Settings> settings = {};
    std::int64_t batch = 0;  // 0: as it is
    std::optional<Device> device = {};
  };
  void tune(double rate);
  void follow(const Tuned& tuned);
  void drop_trial();

  std::int64_t found_batch(const data::Dataset& train);

  nn::Module& net_;
  optim::Optimizer& optimizer_;
  Trainer::Loss loss_;
  TrainOptions options_;
  Steps steps_;
  Progress progress_;
  std::atomic<bool> stopping_{false};
  std::optional<Checkpoint> resumed_;
  std::string resumed_from_;
  std::string damaged_;  // the checkpoint that was passed over for the one before; it is not to take that one's place

  // Of one fit.
  std::optional<data::Batches> batches_, test_batches_;
  Snapshot now_;               // the counters; its tensors are on the device
  Snapshot kept_, spare_;      // the last one on the host, and where the next is made
  NamedTensors kept_tensors_;  // what a snapshot is of
  std::string conditions_;     // of "same bits"
  std::vector<SavedTensor> best_;
  TrainResult result_;
  std::int64_t announced_epochs_ = 0;
  std::int64_t resumed_epochs_ = 0, tested_from_ = 1;  // epochs of the checkpoint, and the first of them with a test set
  std::int64_t furthest_loss_ = -1, fruitless_ = 0;    // the last step at which a device was lost, and how often without getting further
  Speed speed_;
  monitor::TrainingWatch watch_;
  AutoTune tune_;
  Tuned untuned_;  // what was before the trial that is under way, or before the last one, if its batch is not to be gone on with
  bool prepared_ = false;
  bool complete_ = false;        // all epochs, or as many as patience has given
  bool batch_is_there_ = false;  // on the device, and the only one
  bool evaluated_ = false;       // since the last step, perhaps by a callback, on samples of another shape
  Clock::time_point start_, epoch_start_;
};

}  // namespace tidepool::inline v0
