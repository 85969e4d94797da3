// Devices that turn slow while a network trains on them.
#include <chrono>
#include <cmath>

#include "backend/cpu/instructions.h"
#include "train/fault_runs.h"

namespace tidepool::inline v0 {
namespace {

class TrainingSpeed : public TrainTest {
 protected:
  void SetUp() override {
    TrainTest::SetUp();
    set_log_level(LogLevel::off);
    // With one thread: two, of which another program keeps one waiting, would be slow and stay so.
    slot_for("cpu").replace_open([] { return open_cpu(1, best_instructions()); });
    reset(device("cpu"));
  }
  void TearDown() override {
    slot_for("cpu").replace_open([] { return open_cpu(); });
    reset(device("cpu"));
    set_log_level(LogLevel::warn);
    TrainTest::TearDown();
  }
  // Half a second in three in which the device is slow, if it is to be: on a busy machine it takes some time until it is known what is
  // usual.
  void be_slow_at_times(bool wanted) const {
    faults::set(wanted && std::fmod(seconds(), 3.0) > 2.5 ? "slow@submit:every:1,slow@upload:every:1" : "");
  }
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

TEST_F(TrainingSpeed, ThatDropsIsToldOnceAndWhenItIsAsBefore) {
  const EventLog log;
  const data::Dataset train = two_classes(320);
  Trainer* trainer = nullptr;
  SmallRun run({.epochs = 1'000'000, .batch = 64, .on_step = [&](const StepInfo&) {
                  be_slow_at_times(log.count(DeviceEvent::slow) == 0);
                  if (log.count(DeviceEvent::restored) > 0 || seconds() > 40) trainer->stop();
                }});
  trainer = &run.trainer;
  run.trainer.fit(train);
  ASSERT_GE(log.count(DeviceEvent::slow), 1);
  EXPECT_EQ(log.count(DeviceEvent::restored), log.count(DeviceEvent::slow));
  for (const DeviceEvent& event : log.events())
    if (event.kind == DeviceEvent::slow) {
      EXPECT_HAS(event.message, "cpu has become slow: a sample takes ");
    }
}

TEST_F(TrainingSpeed, ThatDropsAgainAndAgainIsWarnedOfOnce) {
  const EventLog log;
  int warnings = 0;
  set_log_level(LogLevel::warn);
  set_logger([&](LogLevel, std::string_view) { ++warnings; });
  Trainer* trainer = nullptr;
  SmallRun run({.epochs = 1'000'000, .batch = 64, .on_step = [&](const StepInfo&) {
                  be_slow_at_times(log.count(DeviceEvent::slow) == log.count(DeviceEvent::restored));
                  if (log.count(DeviceEvent::slow) >= 2 || seconds() > 40) trainer->stop();
                }});
  trainer = &run.trainer;
  run.trainer.fit(two_classes(320));
  set_logger({});
  EXPECT_EQ(log.count(DeviceEvent::slow), 2);
  EXPECT_EQ(warnings, 1);
}

TEST_F(TrainingSpeed, ThatDropsMakesItLeaveForABetterDeviceWhenThatIsAskedFor) {
  set_default_device(device("null"));
  const EventLog log;
  const data::Dataset train = two_classes(320);
  Trainer* trainer = nullptr;
  SmallRun run({.epochs = 1'000'000, .batch = 64, .leave_slow_device = true, .on_step = [&](const StepInfo&) {
                  be_slow_at_times(log.events().empty());
                  if (log.count(DeviceEvent::fallback) > 0 || seconds() > 40) trainer->stop();
                }});
  trainer = &run.trainer;
  run.trainer.fit(train);
  EXPECT_EQ(log.count(DeviceEvent::slow), 1);
  ASSERT_EQ(log.count(DeviceEvent::fallback), 1);
  EXPECT_EQ(run.net.parameters()[0].device().id(), "cpu");
  EXPECT_EQ(default_device().id(), "cpu");
}

// The move's snapshot is where the loss goes back to.
TEST_F(TrainingSpeed, ADeviceThatIsLostAfterAMoveAtAnEpochsEndIsGoneOnFrom) {
  set_default_device(device("null"));
  const EventLog log;
  Trainer* trainer = nullptr;
  std::int64_t epoch_of_loss = 0, furthest = 0;
  SmallRun run(
      {.epochs = 1'000'000, .batch = 2048, .snapshot_every = 1'000'000, .leave_slow_device = true, .on_step = [&](const StepInfo& info) {
         furthest = std::max(furthest, info.epoch);
         be_slow_at_times(log.events().empty());
         if (log.count(DeviceEvent::fallback) > 0 && epoch_of_loss == 0) {
           epoch_of_loss = info.epoch;
           faults::set("device_lost@submit:1");
         }
         if ((epoch_of_loss > 0 && info.epoch > epoch_of_loss + 1) || seconds() > 40) trainer->stop();
       }});
  trainer = &run.trainer;
  const TrainResult result = run.trainer.fit(two_classes(2048));  // every step is an epoch's end
  faults::set("");
  ASSERT_GT(epoch_of_loss, 0);
  EXPECT_EQ(result.recoveries, 1);
  EXPECT_GT(furthest, epoch_of_loss + 1);
}

}  // namespace
}  // namespace tidepool::inline v0
