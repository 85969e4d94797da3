// Advice that is followed between epochs: tried for one, and kept only if that was faster.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "support/errors.h"
#include "train/auto_tune.h"
#include "train/checkpoint.h"
#include "train/small_run.h"

namespace tidepool::inline v0 {
namespace {

using Verdict = AutoTune::Decision::Verdict;

monitor::Advice batch_advice(std::int64_t batch) {
  monitor::Advice advice;
  advice.setting = "--batch " + std::to_string(batch);
  advice.to_batch = batch;
  return advice;
}

monitor::Advice flush_advice() {
  monitor::Advice advice;
  advice.setting = "configure({.max_commands = 400})";
  advice.changes = Settings{.max_commands = 400};
  return advice;
}

TEST(AutoTune, TriesOnePieceAtATimeAndKeepsWhatIsFaster) {
  AutoTune tune;
  const AutoTune::Decision first = tune.after_epoch(1000, {batch_advice(128), flush_advice()});
  EXPECT_EQ(first.verdict, Verdict::nothing);
  ASSERT_TRUE(first.next);
  EXPECT_EQ(first.next->to_batch, 128);
  const AutoTune::Decision second = tune.after_epoch(1500, {flush_advice()});
  EXPECT_EQ(second.verdict, Verdict::kept);
  EXPECT_EQ(second.judged->to_batch, 128);
  EXPECT_EQ(second.before, 1000);
  EXPECT_EQ(second.after, 1500);
  ASSERT_TRUE(second.next) << "and the next one is tried";
  EXPECT_EQ(second.next->changes->max_commands, 400);
}

TEST(AutoTune, TakesBackWhatIsNotFasterAndDoesNotTryItAgain) {
  AutoTune tune;
  tune.after_epoch(1000, {batch_advice(128)});
  const AutoTune::Decision second = tune.after_epoch(1020, {batch_advice(128), flush_advice()});
  EXPECT_EQ(second.verdict, Verdict::taken_back) << "2 % may be chance";
  EXPECT_FALSE(second.next) << "an epoch as it was comes first";
  const AutoTune::Decision third = tune.after_epoch(1000, {batch_advice(128), flush_advice()});
  EXPECT_EQ(third.verdict, Verdict::nothing);
  ASSERT_TRUE(third.next);
  EXPECT_EQ(third.next->to_batch, 0) << "the other one";
}

TEST(AutoTune, LeavesAloneWhatItCannotChange) {
  AutoTune tune;
  monitor::Advice threads;
  threads.setting = "TIDEPOOL_THREADS=2";
  EXPECT_FALSE(tune.after_epoch(1000, {threads}).next);
}

TEST(AutoTune, ARunWithNothingToAdviseEndsWithTheSameBits) {
  const auto bits = [](bool auto_tune) {
    SmallRun small({.epochs = 3, .batch = 16, .auto_tune = auto_tune});
    small.trainer.fit(two_classes());
    return small.bits();
  };
  EXPECT_EQ(bits(true), bits(false));
  EXPECT_FALSE(monitor::enabled()) << "who turned it on turns it off";
}

// Training that gets its advice from the test.
class FollowingAdvice : public TrainTest {
 protected:
  void SetUp() override {
    TrainTest::SetUp();
    given = {};
    advice_to_follow = [] { return given; };
  }
  void TearDown() override {
    advice_to_follow = monitor::advice;
    TrainTest::TearDown();
  }

  // Epochs of five steps, and what was said in them.
  TrainResult fit(const TrainOptions& options) {
    SmallRun run(tuned(options));
    trainer = &run.trainer;
    return run.trainer.fit(two_classes());
  }
  TrainOptions tuned(TrainOptions options) {
    messages.clear();
    options.batch = 16;
    options.auto_tune = true;
    options.on_message = [this](const std::string& message) { messages.push_back(message); };
    return options;
  }
  std::ptrdiff_t said(const std::string& message) const { return std::ranges::count(messages, message); }
  bool tried() const {
    return std::ranges::any_of(messages, [](const std::string& message) { return message.starts_with("auto-tune tries"); });
  }

  static inline std::vector<monitor::Advice> given;
  std::vector<std::string> messages;
  Trainer* trainer = nullptr;  // of the fit that runs
};

constexpr const char* not_measured = "auto-tune takes back configure({.max_commands = 400}): training ended before it was measured";

TEST_F(FollowingAdvice, WhatIsNotMeasuredWhenTrainingIsStoppedIsTakenBack) {
  given = {flush_advice()};
  const TrainResult r = fit({.epochs = 3, .on_step = [&](const StepInfo& info) {
                               EXPECT_EQ(settings().max_commands, info.epoch == 1 ? 100 : 400);
                               if (info.step == 7) trainer->stop();
                             }});
  EXPECT_TRUE(r.interrupted);
  EXPECT_EQ(settings().max_commands, 100);
  EXPECT_EQ(said(not_measured), 1);
}

TEST_F(FollowingAdvice, WhatIsNotMeasuredWhenACallbackFailsIsTakenBack) {
  given = {flush_advice()};
  const auto fail = [](const StepInfo& info) {
    if (info.step == 7) throw std::runtime_error("enough");
  };
  EXPECT_EQ(message_of<std::runtime_error>([&] { fit({.epochs = 3, .on_step = fail}); }), "enough");
  EXPECT_EQ(settings().max_commands, 100);
  EXPECT_EQ(said(not_measured), 1);
}

TEST_F(FollowingAdvice, ACheckpointAmidATrialIsOfTheBatchBeforeIt) {
  given = {batch_advice(32)};
  for (const bool periodic : {true, false}) {
    SCOPED_TRACE(periodic);
    const std::string file = path(periodic ? "periodic.ckpt" : "interrupt.ckpt");
    const auto stop = [&](const StepInfo& info) {
      EXPECT_EQ(info.batches, info.epoch == 1 ? 5 : 3);
      if (info.step == 7) trainer->stop();
    };
    const TrainResult r = fit({.epochs = 3, .checkpoint = periodic ? file : "", .interrupt_checkpoint = file, .on_step = stop});
    EXPECT_TRUE(r.interrupted);
    EXPECT_EQ(said("auto-tune takes back --batch 32: training ended before it was measured"), 1);
    const Checkpoint written = read_checkpoint(file);
    EXPECT_EQ(written.info.batch, 16);
    EXPECT_EQ(written.snapshot.epoch, 1);
    EXPECT_EQ(written.snapshot.batch, 4) << "after two batches of 32";
    SmallRun rest({.epochs = 3, .batch = 16}, 99);
    rest.trainer.resume(file);
    EXPECT_EQ(rest.trainer.fit(two_classes()).steps, 7 + 1 + 5);
  }
}

TEST_F(FollowingAdvice, TheLastCheckpointIsOfATriedBatchOnlyIfThatWasFaster) {
  given = {batch_advice(32)};
  for (const std::int64_t slow : {1, 2}) {  // the epoch before the trial, or that of it
    const std::string file = path("slow-" + std::to_string(slow) + ".ckpt");
    fit({.epochs = 2, .checkpoint = file, .on_step = [&](const StepInfo& info) {
           if (info.epoch == slow && info.batch == 1) std::this_thread::sleep_for(std::chrono::milliseconds(350));
         }});
    EXPECT_HAS(messages.back(), slow == 1 ? "auto-tune keeps --batch 32: " : "auto-tune takes back --batch 32: ");
    EXPECT_EQ(read_checkpoint(file).info.batch, slow == 1 ? 32 : 16);
  }
}

TEST_F(FollowingAdvice, NothingIsTriedWhereNoEpochIsLeftForIt) {
  const auto advise_after_two = [](const EpochResult& epoch) {
    if (epoch.epoch == 2) given = {flush_advice()};
  };
  fit({.epochs = 3, .on_epoch = advise_after_two});
  EXPECT_TRUE(tried()) << "in the third";
  given = {};
  fit({.epochs = 2, .on_epoch = advise_after_two});
  EXPECT_FALSE(tried());
  given = {};
  const TrainResult stopped = fit({.epochs = 3, .on_epoch = [&](const EpochResult& epoch) {
                                     advise_after_two(epoch);
                                     if (epoch.epoch == 2) trainer->stop();
                                   }});
  EXPECT_TRUE(stopped.interrupted);
  EXPECT_FALSE(tried());
  given = {};
  nn::Sequential net{nn::Flatten(), nn::Linear(64, 2)};
  optim::SGD never_better(net.parameters(), {.lr = 0});
  Trainer impatient(net, never_better, cross_entropy, tuned({.epochs = 3, .shuffle = false, .patience = 1, .on_epoch = advise_after_two}));
  EXPECT_TRUE(impatient.fit(two_classes()).stopped_early);
  EXPECT_FALSE(tried());
}

TEST_F(FollowingAdvice, ADeviceLostWhileATrialOfABatchBeginsIsMadeUpFor) {
  advice_to_follow = [] {
    faults::set("device_lost@download:1");
    advice_to_follow = [] { return std::vector<monitor::Advice>(); };
    return std::vector{batch_advice(32)};
  };
  const TrainResult r = fit({.epochs = 3, .snapshot_every = 3, .snapshot_share = 1, .on_step = [](const StepInfo& info) {
                               if (info.batch > info.batches) throw std::runtime_error("an epoch without end");
                             }});
  EXPECT_EQ(r.recoveries, 1);
  EXPECT_EQ(r.epochs.size(), 3U);
}

TEST_F(FollowingAdvice, WhereADeviceIsLostForGoodWhileATrialBeginsTheCheckpointCanBeGoneOnFrom) {
  const std::string file = path("run.ckpt");
  advice_to_follow = [] {
    faults::set("device_lost@download:1");
    return std::vector{batch_advice(32)};
  };
  EXPECT_THROW(fit({.epochs = 3, .snapshot_every = 3, .interrupt_checkpoint = file, .max_recoveries = 0, .snapshot_share = 1}), DeviceLost);
  faults::set("");
  reset(device("cpu"));
  SmallRun rest({.epochs = 3, .batch = 16}, 99);
  rest.trainer.resume(file);
  EXPECT_EQ(rest.trainer.fit(two_classes()).epochs.size(), 3U);
}

}  // namespace
}  // namespace tidepool::inline v0
