// Advice that is followed between epochs: tried for one, and kept only if that was faster.
#include <gtest/gtest.h>

#include "train/auto_tune.h"
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

}  // namespace
}  // namespace tidepool::inline v0
