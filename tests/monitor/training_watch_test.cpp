// What the monitor sees of a Trainer.
#include <tidepool/monitor.h>

#include <gtest/gtest.h>

#include "monitor/monitor.h"
#include "support/allocations.h"
#include "support/devices.h"
#include "train/small_run.h"

namespace tidepool::inline v0 {
namespace {

class WatchedTraining : public OnEveryDevice {
 protected:
  void TearDown() override {
    monitor::disable();
    OnEveryDevice::TearDown();
  }
};
INSTANTIATE_TEST_SUITE_P(On, WatchedTraining, devices_that_compute(), device_name);

TEST_P(WatchedTraining, StepsEpochsAndLossesAreInTheRecord) {
  monitor::enable({.period = 0.01});
  SmallRun small({.epochs = 40, .batch = 16, .name = "two classes"});
  const TrainResult result = small.trainer.fit(two_classes(), two_classes(20));
  monitor::Monitor::only().take_sample();
  const monitor::RunRecord run = monitor::run_record(true);
  ASSERT_TRUE(run.training);
  EXPECT_EQ(run.training->task, "two classes");
  EXPECT_TRUE(run.training->finished);
  EXPECT_EQ(run.training->step, result.steps);
  EXPECT_EQ(run.training->epoch, 40);
  EXPECT_EQ(run.training->batches, 5);
  ASSERT_FALSE(run.epochs.empty());
  EXPECT_EQ(run.epochs.back().epoch, 40);
  EXPECT_DOUBLE_EQ(run.epochs.back().loss, result.epochs.back().loss);
  EXPECT_TRUE(run.epochs.back().has_test);
  EXPECT_EQ(run.samples.back().steps, result.steps);
  EXPECT_FALSE(monitor::log().values("step_ms").empty());
  EXPECT_EQ(run.device.id, default_device().id());
  EXPECT_FALSE(run.kernels.empty());
}

TEST_P(WatchedTraining, WhatWasStoppedHasEndedAndIsNotFinished) {
  monitor::enable({.period = 3600});
  Trainer* trainer = nullptr;
  SmallRun small({.epochs = 40, .batch = 16, .on_epoch = [&](const EpochResult& epoch) {
                    if (epoch.epoch == 2) trainer->stop();
                  }});
  trainer = &small.trainer;
  EXPECT_TRUE(small.trainer.fit(two_classes()).interrupted);
  const monitor::RunRecord run = monitor::run_record(true);
  ASSERT_TRUE(run.training);
  EXPECT_TRUE(run.training->ended);
  EXPECT_FALSE(run.training->finished);
  EXPECT_LT(run.training->epoch, 40);
}

TEST_P(WatchedTraining, TheBitsAreTheSameAsUnwatched) {
  const auto bits = [] {
    SmallRun small({.epochs = 3, .batch = 16});
    small.trainer.fit(two_classes());
    return small.bits();
  };
  const auto unwatched = bits();
  monitor::enable({.period = 0.005, .every_operation = true});
  EXPECT_EQ(bits(), unwatched);
}

TEST_P(WatchedTraining, TheLossOfEverySampleIsThatOfItsOwnSteps) {
  monitor::enable({.period = 0.005});
  SmallRun small({.epochs = 300, .batch = 16});
  small.trainer.fit(two_classes());
  std::vector<double> losses = monitor::log().values("loss");
  ASSERT_GE(losses.size(), 2U);
  for (const double loss : losses) {
    EXPECT_GE(loss, 0.0);
    EXPECT_LT(loss, 3.0);
  }
}

// The background thread may allocate; the thread that trains takes no more than it does unwatched (an operation's node, with sanitizers).
TEST(WatchedSteps, TakeNothingFromTheHeap) {
  set_default_device(device("cpu"));
  const Tensor x = zeros({16, 16});
  const Plan plan = capture([&] { copy_(x, relu(x)); });
  monitor::TrainingWatch watch;
  const auto taken = [&] {
    const auto work = [&] {
      for (int i = 0; i < 1000; ++i) {
        plan.run();
        relu(x);
        watch.step(1e-5, 0, 4);
      }
    };
    work();
    const std::size_t before = HeapCount::count;
    work();
    return HeapCount::count - before;
  };
  const std::size_t unwatched = taken();
  monitor::enable({.period = 3600});
  watch.begin({});
  EXPECT_EQ(taken(), unwatched);
  monitor::disable();
}

TEST(WatchedSteps, AShortFitHasAFigureToo) {
  monitor::enable({.period = 3600});
  monitor::TrainingWatch watch;
  watch.begin({});
  watch.end();
  EXPECT_EQ(monitor::log().percentile("step_ms", 0.99), 0) << "nothing was done";
  watch.begin({});
  watch.step(0.001, 0, 4);
  watch.step(0.003, 0, 4);
  EXPECT_TRUE(monitor::log().values("step_ms").empty());
  watch.end();
  EXPECT_DOUBLE_EQ(monitor::log().percentile("step_ms", 0.99), 2.0);
  watch.begin({});
  watch.step(0.008, 0, 4);
  watch.end();
  EXPECT_EQ(monitor::log().values("step_ms").size(), 2U) << "nothing is told twice";
  monitor::disable();
}

TEST(WatchedSteps, ATrainingIsOverWhenItEndsAndFinishedWhenItIsComplete) {
  monitor::enable({.period = 3600});
  monitor::TrainingWatch watch;
  const auto is = [](bool ended, bool finished) {
    const monitor::RunTraining training = *monitor::run_record(false).training;
    return training.ended == ended && training.finished == finished && training.over() == ended;
  };
  watch.begin({});
  EXPECT_TRUE(is(false, false));
  watch.end(false);
  EXPECT_TRUE(is(true, false)) << "interrupted";
  watch.begin({});
  EXPECT_TRUE(is(false, false)) << "another has begun";
  watch.end();
  EXPECT_TRUE(is(true, true));
  monitor::disable();
}

TEST(WatchedSteps, ABatchThatChangesChangesHowManyStepsThereAre) {
  monitor::enable();
  monitor::TrainingWatch watch;
  watch.begin({.task = "batches", .epochs = 10, .batch = 64, .samples = 640, .batches = 10});
  const auto training = [] { return *monitor::run_record(false).training; };
  EXPECT_EQ(training().steps_of(10), 100);
  watch.at(2, 20);
  const double started = training().started;
  watch.batch(320, 2);
  EXPECT_EQ(training().batch, 320);
  EXPECT_EQ(training().batches, 2);
  EXPECT_EQ(training().steps_of(2), 20) << "those that are done";
  EXPECT_EQ(training().steps_of(10), 20 + 8 * 2);
  EXPECT_GT(training().started, started);
  monitor::disable();
  watch.batch(64, 10);  // unwatched: nothing
}

}  // namespace
}  // namespace tidepool::inline v0
