// How a fit ends: what it says was best, and what it keeps where it is stopped or its device is lost for good.
#include <csignal>
#include <filesystem>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "platform/terminal.h"
#include "support/errors.h"
#include "support/logged.h"
#include "train/checkpoint.h"
#include "train/small_run.h"

namespace tidepool::inline v0 {
namespace {

class Ending : public TrainTest {
 protected:
  // Two epochs of five steps, stopped after the third.
  TrainResult stopped(
      TrainOptions options, const std::function<void()>& before = [] {}) {
    Trainer* trainer = nullptr;
    options.epochs = 2;
    options.batch = 16;
    options.on_step = [&](const StepInfo& info) {
      if (info.step != 3) return;
      before();
      trainer->stop();
    };
    SmallRun run(options);
    trainer = &run.trainer;
    return run.trainer.fit(two_classes());
  }
  // In a folder of its own, which can go while training writes to it.
  std::string file_in_folder() const {
    std::filesystem::create_directory(path("folder"));
    return path("folder/run.ckpt");
  }
  void remove_folder() const { std::filesystem::remove_all(path("folder")); }
};

// One weight, one step an epoch, and after each the weight that the test wants: the test loss is its square.
class OneWeight {
 public:
  OneWeight(std::vector<float> weights, TrainOptions options)
      : weights_(std::move(weights)), trainer_(net_, opt_, mse_loss, made(options)) {}
  Trainer& trainer() { return trainer_; }
  TrainResult fit() { return trainer_.fit(one_, one_); }
  float weight() const { return net_.parameters()[0].to_host<float>()[0]; }

 private:
  TrainOptions made(TrainOptions options) {
    options.batch = 1;
    options.epochs = static_cast<std::int64_t>(weights_.size());
    options.on_step = [this](const StepInfo& info) {
      const NoGrad guard;
      fill_(net_.parameters()[0], weights_[static_cast<std::size_t>(info.epoch - 1)]);
    };
    return options;
  }
  std::vector<float> weights_;
  data::Dataset one_ = data::from_tensors(ones({1, 1}), zeros({1, 1}));
  nn::Sequential net_{nn::Linear(1, 1, {.bias = false})};
  optim::SGD opt_{net_.parameters(), {.lr = 0}};
  Trainer trainer_;
};

TEST_F(Ending, ATestLossOfZeroIsTheBest) {
  const std::string file = path("run.ckpt");
  OneWeight run({1, 0, 2}, {.checkpoint = file, .keep_best = true});
  const TrainResult r = run.fit();
  EXPECT_EQ(r.epochs[1].test_loss, 0);
  EXPECT_EQ(r.best_epoch, 2);
  EXPECT_EQ(run.weight(), 0);
  OneWeight rest({1, 0, 2, 3}, {.keep_best = true});
  rest.trainer().resume(file);
  EXPECT_EQ(rest.fit().best_epoch, 2) << "of the checkpoint";
  EXPECT_EQ(rest.weight(), 0);
}

TEST_F(Ending, WhoStopsBeforeAFitOrAfterItStopsNothing) {
  SmallRun run({.epochs = 2, .batch = 16});
  for (int i = 0; i < 2; ++i) {
    run.trainer.stop();
    const TrainResult r = run.trainer.fit(two_classes());
    EXPECT_FALSE(r.interrupted) << i;
    EXPECT_EQ(r.steps, 10) << i;
    EXPECT_EQ(r.checkpoint, "") << i;
  }
}

TEST_F(Ending, TheResultNamesTheCheckpointToGoOnFrom) {
  const std::string periodic = path("periodic.ckpt"), interrupt = path("interrupt.ckpt");
  EXPECT_EQ(stopped({.interrupt_checkpoint = interrupt}).checkpoint, interrupt);
  EXPECT_EQ(read_checkpoint(interrupt).snapshot.step, 3);
  std::filesystem::remove(interrupt);
  EXPECT_EQ(stopped({.checkpoint = periodic, .interrupt_checkpoint = interrupt}).checkpoint, periodic);
  EXPECT_EQ(read_checkpoint(periodic).snapshot.step, 3);
  EXPECT_FALSE(std::filesystem::exists(interrupt));
  const TrainResult without = stopped({});
  EXPECT_TRUE(without.interrupted);
  EXPECT_EQ(without.checkpoint, "");
}

TEST_F(Ending, AnInterruptCheckpointThatCannotBeWrittenIsAWarning) {
  std::filesystem::create_directory(path("taken.ckpt"));
  for (const auto& [file, why] :
       {std::pair(path("gone/run.ckpt"), "cannot be written: there is no folder "), std::pair(path("taken.ckpt"), "is a directory")}) {
    Logged log;
    set_log_level(LogLevel::warn);
    const TrainResult r = stopped({.interrupt_checkpoint = file});
    EXPECT_TRUE(r.interrupted);
    EXPECT_EQ(r.steps, 3);
    EXPECT_EQ(r.checkpoint, "");
    EXPECT_HAS(log.text, "what was learned up to step 3 could not be kept: fit: " + file + ": " + why);
  }
}

TEST_F(Ending, APeriodicCheckpointThatCannotBeWrittenIsAnError) {
  const std::string file = file_in_folder();
  EXPECT_HAS(message_of<IoError>([&] { stopped({.checkpoint = file}, [&] { remove_folder(); }); }),
             "fit: " + file + ": cannot be written: there is no folder ");
}

TEST_F(Ending, ALossIsToldThoughNothingCouldBeKept) {
  for (const bool periodic : {true, false}) {
    const std::string file = file_in_folder();
    SmallRun run({.epochs = 2,
                  .batch = 16,
                  .checkpoint = periodic ? file : "",
                  .snapshot_every = 2,
                  .interrupt_checkpoint = periodic ? "" : file,
                  .max_recoveries = 0,
                  .snapshot_share = 1,
                  .on_step = [&](const StepInfo& info) {
                    if (info.step != 3) return;
                    remove_folder();
                    faults::set("device_lost@submit:1");
                  }});
    const std::string message = message_of<DeviceLost>([&] { run.trainer.fit(two_classes()); });
    faults::set("");
    EXPECT_HAS(message, "fit: lost 1 times in a row at step ");
    EXPECT_HAS(message, "; what was learned up to step 2 could not be kept: fit: " + file + ": cannot be written: ");
    reset(device("cpu"));
  }
}

// The scopes of two fits in two threads, which end in either order.
TEST_F(Ending, TheLastOfTwoFitsAtOnceGivesCtrlCBack) {
  struct sigaction now {};
  const auto before = std::signal(SIGINT, SIG_IGN);
  for (const bool first_ends_first : {true, false}) {
    auto first = std::make_optional<InterruptScope>(true), second = std::make_optional<InterruptScope>(true);
    (first_ends_first ? first : second).reset();
    sigaction(SIGINT, nullptr, &now);
    EXPECT_NE(now.sa_handler, SIG_IGN) << "the other one still runs";
    std::raise(SIGINT);
    { const InterruptScope third(true); }
    EXPECT_TRUE(InterruptScope::interrupted()) << "the other one is still to stop";
    (first_ends_first ? second : first).reset();
    sigaction(SIGINT, nullptr, &now);
    EXPECT_EQ(now.sa_handler, SIG_IGN);
    const InterruptScope next(true);
    EXPECT_FALSE(InterruptScope::interrupted()) << "that was for those before";
  }
  std::signal(SIGINT, before);
}

}  // namespace
}  // namespace tidepool::inline v0
