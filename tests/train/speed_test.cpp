// Devices that turn slow while a network trains on them.
#include "train/fault_runs.h"

namespace tidepool::inline v0 {
namespace {

class TrainingSpeed : public TrainTest {
 protected:
  void SetUp() override {
    TrainTest::SetUp();
    set_log_level(LogLevel::off);
  }
  void TearDown() override {
    set_log_level(LogLevel::warn);
    TrainTest::TearDown();
  }
};

TEST_F(TrainingSpeed, ThatDropsIsToldOnceAndWhenItIsAsBefore) {
  const EventLog log;
  const data::Dataset train = two_classes(320);
  Trainer* trainer = nullptr;
  std::int64_t slow_at = 0;
  const auto start = std::chrono::steady_clock::now();
  SmallRun run({.epochs = 1'000'000, .batch = 64, .on_step = [&](const StepInfo& info) {
                  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
                  if (!slow_at && seconds > 1.2) {
                    slow_at = info.step;
                    faults::set("slow@submit:every:1,slow@upload:every:1");
                  }
                  if (faults::happened() >= 180) faults::set("");
                  if (log.count(DeviceEvent::restored) > 0 || seconds > 20) trainer->stop();
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
  const auto start = std::chrono::steady_clock::now();
  SmallRun run({.epochs = 1'000'000, .batch = 64, .on_step = [&](const StepInfo&) {
                  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
                  const bool slow = log.count(DeviceEvent::slow) > log.count(DeviceEvent::restored);
                  faults::set(seconds > 1.2 && !slow ? "slow@submit:every:1,slow@upload:every:1" : "");
                  if (log.count(DeviceEvent::slow) >= 3 || seconds > 20) trainer->stop();
                }});
  trainer = &run.trainer;
  run.trainer.fit(two_classes(320));
  set_logger({});
  EXPECT_EQ(log.count(DeviceEvent::slow), 3);
  EXPECT_EQ(warnings, 1);
}

TEST_F(TrainingSpeed, ThatDropsMakesItLeaveForABetterDeviceWhenThatIsAskedFor) {
  set_default_device(device("null"));
  const EventLog log;
  const data::Dataset train = two_classes(320);
  Trainer* trainer = nullptr;
  const auto start = std::chrono::steady_clock::now();
  SmallRun run({.epochs = 1'000'000, .batch = 64, .leave_slow_device = true, .on_step = [&](const StepInfo&) {
                  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
                  if (seconds > 1.2 && faults::happened() == 0 && log.events().empty())
                    faults::set("slow@submit:every:1,slow@upload:every:1");
                  if (log.count(DeviceEvent::fallback) > 0) {
                    faults::set("");
                    trainer->stop();
                  }
                  if (seconds > 20) trainer->stop();
                }});
  trainer = &run.trainer;
  run.trainer.fit(train);
  EXPECT_EQ(log.count(DeviceEvent::slow), 1);
  ASSERT_EQ(log.count(DeviceEvent::fallback), 1);
  EXPECT_EQ(run.net.parameters()[0].device().id(), "cpu");
  EXPECT_EQ(default_device().id(), "cpu");
}

}  // namespace
}  // namespace tidepool::inline v0
