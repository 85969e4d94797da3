// Training: epochs of steps that run from plans, evaluation, checkpoints, and going on after an interruption or a lost
// device.
//
//     tp::Trainer trainer(net, opt, tp::cross_entropy, {.epochs = 3, .batch = 64, .checkpoint = "run.ckpt"});
//     tp::TrainResult r = trainer.fit(train, test);      // r.epochs.back().test_accuracy
//
//     trainer.resume("run.ckpt");                        // in another process: ends with the same bits
//     trainer.fit(train, test);
#pragma once

#include <tidepool/data.h>
#include <tidepool/module.h>
#include <tidepool/optim.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tidepool::inline v0 {

struct EpochResult {
  std::int64_t epoch = 0;  // from 1
  double loss = 0;         // the mean over the epoch's samples, as they were trained on
  double accuracy = 0;     // likewise; 0 where targets are no labels
  double test_loss = 0;    // of the test set after the epoch; 0 without one
  double test_accuracy = 0;
  double seconds = 0;             // for training and evaluation
  double samples_per_second = 0;  // of training
};

struct StepInfo {
  std::int64_t step = 0;   // since the beginning, from 1
  std::int64_t epoch = 0;  // from 1
  std::int64_t batch = 0;  // of the epoch, from 1
  std::int64_t batches = 0;
};

struct TrainResult {
  std::vector<EpochResult> epochs;
  std::int64_t steps = 0;
  std::int64_t recoveries = 0;   // from lost devices
  std::int64_t best_epoch = 0;   // from 1: by test accuracy, or test loss, or loss
  std::int64_t micro_batch = 0;  // what a step took at once at the end
  std::int64_t snapshots = 0;    // copies on the host
  double snapshot_seconds = 0;   // that they took
  double seconds = 0;            // for everything
  bool interrupted = false;      // by stop() or Ctrl-C
  bool stopped_early = false;    // by patience
  std::string checkpoint = "";   // the file to resume from where it was interrupted; empty where none was written
};

struct EvalResult {
  double loss = 0;
  double accuracy = 0;
  std::int64_t samples = 0;
  std::int64_t classes = 0;
  std::vector<std::int32_t> confusion;  // [classes, classes], rows are labels
};

struct TrainOptions {
  std::int64_t epochs = 1;
  std::int64_t batch = 32;           // samples of a step; 0: found by trying, under the memory limit
  std::string checkpoint = "";       // a file that is written after every epoch and when training is interrupted
  std::int64_t snapshot_every = 50;  // steps between copies on the host, from which a lost device is made up for
  bool progress = false;             // a bar on standard error, if that is a terminal
  std::int64_t seed = 0;             // of the order of samples
  bool shuffle = true;
  std::int64_t micro_batch = 0;           // samples at once, whose gradients add up to the batch's; 0: the whole batch
  std::int64_t checkpoint_every = 0;      // steps between checkpoints within an epoch; 0: none
  std::int64_t patience = 0;              // epochs without a better result after which training stops; 0: it does not
  bool keep_best = false;                 // ends with the parameters of the best epoch
  double clip_norm = 0;                   // of all gradients together; 0: as they are
  bool stop_on_interrupt = false;         // Ctrl-C finishes the step and writes the checkpoint; a second one stops at once
  std::string interrupt_checkpoint = "";  // a file that is written only when training is interrupted
  std::int64_t max_recoveries = 3;        // in a row, without a step further than before
  bool leave_slow_device = false;         // for a better one, when it takes twice the time that it used to; back if that is none
  double snapshot_share = 0.01;           // of the time, for those copies: they are further apart where they would take more
  bool auto_tune = false;                 // between epochs: follows the monitor's advice, a piece at a time, and keeps what is faster
  std::string name = "";                  // of the run, for those who watch it
  optim::Schedule* schedule = nullptr;
  std::function<void(const StepInfo&)> on_step = nullptr;
  std::function<void(const EpochResult&)> on_epoch = nullptr;
  std::function<void(const std::string&)> on_message = nullptr;  // what was announced; also goes to the log
};

class TIDEPOOL_API Trainer {
 public:
  using Loss = std::function<Tensor(const Tensor& prediction, const Tensor& target)>;
  // The network and the optimizer must outlive the trainer.
  explicit Trainer(nn::Module& net, optim::Optimizer& optimizer, Loss loss, const TrainOptions& options = {});
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;
  ~Trainer();

  TrainResult fit(const data::Dataset& train, const data::Dataset& test = {});
  EvalResult evaluate(const data::Dataset& test);
  // The next fit goes on from there. A file that is damaged is passed over for the one before it, which is kept.
  void resume(const std::string& path);
  // From a callback or another thread, while fit runs: the step is finished, the checkpoint written. At other times it has no effect.
  void stop();

 private:
  struct Inner;
  std::unique_ptr<Inner> inner_;
};

// A network's parameters and buffers, in the safetensors format, under PyTorch's names.
TIDEPOOL_API void save(const nn::Module& net, const std::string& path);
TIDEPOOL_API void load(nn::Module& net, const std::string& path);

}  // namespace tidepool::inline v0
