// Forecasts, tried on runs that were recorded: at every moment the end was known to nobody, and now it is to us.
#include "monitor/forecast.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <random>
#include <sstream>

namespace tidepool::inline v0::monitor {
namespace {

// A recording: "run,task,epochs,batch,samples,batches,start", then "sample,time,steps" ten times a second,
// "epoch,time,number,seconds,samples a second" (of short ones a few), and "end,time,steps".
struct Recording {
  RunRecord whole;
  double end = 0;

  // The run as it was known at a time.
  RunRecord at(double time) const {
    RunRecord run;
    run.time = time;
    run.running = true;
    run.training = whole.training;
    for (const RunEpoch& epoch : whole.epochs)
      if (epoch.time <= time) run.epochs.push_back(epoch);
    for (const Sample& sample : whole.samples)
      if (sample.time <= time) run.samples.push_back(sample);
    if (run.samples.size() > 1000) run.samples.erase(run.samples.begin(), run.samples.end() - 1000);
    if (run.samples.empty()) return run;
    run.training->step = steps_at(time);
    run.training->epoch = (run.training->step - 1) / run.training->batches;
    if (!run.epochs.empty()) run.training->epoch = std::max(run.training->epoch, run.epochs.back().epoch);
    return run;
  }
  // Between two samples of an epoch steps go on; between the last of one and the first of the next is evaluation.
  std::int64_t steps_at(double time) const {
    const auto next = std::ranges::upper_bound(whole.samples, time, {}, &Sample::time);
    if (next == whole.samples.end() || next == whole.samples.begin()) return (next - 1)->steps;
    const Sample& last = *(next - 1);
    if (next->epoch != last.epoch && whole.training->batches > 100) return last.steps;
    const double share = (time - last.time) / (next->time - last.time);
    return last.steps + static_cast<std::int64_t>(share * static_cast<double>(next->steps - last.steps));
  }
};

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream text(line);
  for (std::string field; std::getline(text, field, ',');) fields.push_back(field);
  return fields;
}

Recording read_recording(const std::string& name) {
  std::ifstream file(std::string(TIDEPOOL_SOURCE_DIR) + "/tests/monitor/golden/run_" + name + ".csv");
  EXPECT_TRUE(file) << name;
  Recording recording;
  RunRecord& run = recording.whole;
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> f = fields_of(line);
    if (f[0] == "run") {
      RunTraining t{.task = f[1], .epochs = std::stoll(f[2]), .batch = std::stoll(f[3]), .samples = std::stoll(f[4])};
      t.batches = std::stoll(f[5]);
      t.started = std::stod(f[6]);
      run.training = t;
    } else if (f[0] == "epoch") {
      run.epochs.push_back(
          {.epoch = std::stoll(f[2]), .time = std::stod(f[1]), .seconds = std::stod(f[3]), .samples_per_second = std::stod(f[4])});
    } else if (f[0] == "sample") {
      Sample s;
      s.time = std::stod(f[1]);
      s.device = "cpu";
      s.steps = std::stoll(f[2]);
      s.epoch = (s.steps - 1) / run.training->batches;
      run.samples.push_back(s);
    } else {
      recording.end = std::stod(f[1]);
    }
  }
  return recording;
}

struct Tried {
  int moments = 0, held = 0;
};

// At 200 moments from a fifth of the run on.
Tried try_out(const Recording& recording) {
  const double start = recording.whole.training->started, length = recording.end - start;
  Tried tried;
  for (double share = 0.2; share < 0.999; share += 0.004, ++tried.moments) {
    const double time = start + share * length, truth = recording.end - time;
    const auto end = forecast_of(recording.at(time)).training_end;
    EXPECT_TRUE(end) << "after " << share;
    if (!end) continue;
    EXPECT_LE(end->low, end->seconds) << "after " << share;
    EXPECT_GE(end->high, end->seconds) << "after " << share;
    tried.held += end->low <= truth && truth <= end->high ? 1 : 0;
  }
  return tried;
}

class RecordedRuns : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Of, RecordedRuns, testing::Values("xor", "sine", "mlp", "one-epoch", "fashion-mnist"), [](const auto& info) {
  std::string name = info.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST_P(RecordedRuns, EndWhereTheForecastSaidAtFourOfFiveMoments) {
  const Tried tried = try_out(read_recording(GetParam()));
  EXPECT_GE(tried.held, 0.8 * tried.moments) << tried.held << " of " << tried.moments;
}

TEST_P(RecordedRuns, HaveAForecastAtHalfTimeThatIsWorthItsName) {
  const Recording recording = read_recording(GetParam());
  const double start = recording.whole.training->started, half = start + (recording.end - start) / 2;
  const auto end = forecast_of(recording.at(half)).training_end;
  ASSERT_TRUE(end);
  EXPECT_LT((end->high - end->low) / 2, 0.35 * (recording.end - half)) << end->message;
}

TEST(Forecast, OnACrowdedMachineTheIntervalIsAsWideAsItHasToBe) {
  // Six like epochs that took 32, 31, 2.4, 3, 29 and 11 seconds.
  const Recording recording = read_recording("crowded");
  const Tried tried = try_out(recording);
  EXPECT_GE(tried.held, 0.8 * tried.moments) << tried.held << " of " << tried.moments;
  const auto end = forecast_of(recording.at(50)).training_end;
  ASSERT_TRUE(end);
  EXPECT_GT(end->high, 3 * end->low);
}

// --- the end of training, made up ---

// Steps of 10 ms, epochs of 100 steps and half a second of evaluation.
RunRecord training_at(double time, std::int64_t resumed_at = 0) {
  RunRecord run;
  run.time = time;
  run.running = true;
  run.training = RunTraining{.task = "", .epochs = 20, .batch = 10, .samples = 1000};
  run.training->batches = 100;
  run.training->started = 1;
  const auto done = [&](double at) {  // steps since the start
    const double in = std::max(at - 1, 0.0), epoch = std::floor(in / 1.5);
    return static_cast<std::int64_t>(100 * epoch + std::min(100.0, std::floor((in - 1.5 * epoch) * 100 + 1e-6)));
  };
  const auto epochs = [&](double at) { return static_cast<std::int64_t>(std::max(at - 1, 0.0) / 1.5 + 1e-9); };
  for (int i = 1; 0.1 * i <= time + 1e-9; ++i) {
    Sample s;
    s.time = 0.1 * i;
    s.device = "cpu";
    s.steps = done(s.time);
    s.epoch = resumed_at + epochs(s.time);
    run.samples.push_back(s);
  }
  for (std::int64_t i = 1; i <= epochs(time); ++i) {
    RunEpoch epoch;
    epoch.epoch = resumed_at + i;
    epoch.time = 1 + 1.5 * static_cast<double>(i);
    epoch.seconds = 1.5;
    epoch.samples_per_second = 1000;
    run.epochs.push_back(epoch);
  }
  run.training->epoch = resumed_at + epochs(time);
  run.training->step = 100 * resumed_at + done(time);
  return run;
}

TEST(Forecast, EvaluationCountsByWhatItTookSoFar) {
  for (const double time : {9.0, 13.7, 20.9, 25.4, 28.0, 30.9}) {  // in steps, and within an evaluation
    const auto end = forecast_of(training_at(time)).training_end;
    ASSERT_TRUE(end) << time;
    EXPECT_NEAR(end->seconds, 31 - time, 0.05 * (31 - time) + 0.15) << time;
    EXPECT_LE(end->low, 31 - time) << time;
    EXPECT_GE(end->high, 31 - time) << time;
  }
}

TEST(Forecast, ATrainingThatWasResumedHasLessLeft) {
  const auto end = forecast_of(training_at(8.5, 10)).training_end;
  ASSERT_TRUE(end);
  EXPECT_NEAR(end->seconds, 7.5, 0.5);
}

TEST(Forecast, TheEndIsToldInWords) {
  RunRecord run = training_at(16);
  const std::string message = forecast_of(run).training_end->message;
  EXPECT_NE(message.find("training ends in about 15 s (1"), std::string::npos) << message;
  EXPECT_NE(message.find("after 20 epochs"), std::string::npos) << message;
}

TEST(Forecast, ThereIsNoEndToForeseeOutsideTrainingOrAtItsStart) {
  EXPECT_FALSE(forecast_of({}).training_end);
  RunRecord run = training_at(16);
  run.training->finished = true;
  EXPECT_FALSE(forecast_of(run).training_end);
  run.training->finished = false;
  EXPECT_TRUE(forecast_of(run).training_end);
  run.training->ended = true;  // it was interrupted
  EXPECT_FALSE(forecast_of(run).training_end);
  run.training.reset();
  EXPECT_FALSE(forecast_of(run).training_end);
  EXPECT_FALSE(forecast_of(training_at(1.2)).training_end);
  EXPECT_TRUE(forecast_of(training_at(2)).training_end);
  run = training_at(16);
  run.training->started = 15.9;  // another training: what came before says nothing of it
  EXPECT_FALSE(forecast_of(run).training_end);
}

// --- memory ---

constexpr double mb = 1e6;

// Half a minute of live bytes by a function of time, under a limit.
RunRecord memory_run(double limit, const std::function<double(double)>& live, int samples = 300, double noise = 0, std::uint32_t seed = 5) {
  std::mt19937 random(seed);
  RunRecord run;
  for (int i = 1; i <= samples; ++i) {
    Sample s;
    s.time = 0.1 * i;
    s.device = "cpu";
    s.limit = static_cast<std::size_t>(limit);
    s.live = static_cast<std::size_t>(live(s.time) + noise * std::normal_distribution<double>()(random));
    run.samples.push_back(s);
  }
  run.time = run.samples.back().time;
  return run;
}

TEST(Forecast, MemoryThatGrowsReachesItsLimit) {
  const auto leak = [](double t) { return 100 * mb + 2 * mb * t; };
  const auto full = forecast_of(memory_run(1000 * mb, leak)).memory_full;  // at 450 s; it is 30 s now
  ASSERT_TRUE(full);
  EXPECT_NEAR(full->seconds, 420, 5);
  EXPECT_LE(full->low, 420);
  EXPECT_GE(full->high, 420);
  EXPECT_LT(full->high - full->low, 0.5 * 420);
  EXPECT_NE(full->message.find("grows by 114.4 MiB a minute and reaches the limit of 953.7 MiB in about 7 min"), std::string::npos)
      << full->message;
}

TEST(Forecast, TheIntervalOfAFullMemoryHoldsUnderNoise) {
  int held = 0, moments = 0;
  const auto leak = [](double t) { return 100 * mb + 2 * mb * t; };
  const RunRecord whole = memory_run(1000 * mb, leak, 1000, 5 * mb);
  for (std::size_t count = 100; count <= 1000; count += 10, ++moments) {
    RunRecord run = whole;
    run.samples.resize(count);
    const double truth = 450 - run.samples.back().time;
    const auto full = forecast_of(run).memory_full;
    held += full && full->low <= truth && truth <= full->high ? 1 : 0;
  }
  EXPECT_GE(held, 0.8 * moments) << held << " of " << moments;
}

TEST(Forecast, MemoryThatDoesNotGrowOnIsNotForeseenToFillUp) {
  const auto absent = [](const char* what, double limit, const std::function<double(double)>& live) {
    const auto full = forecast_of(memory_run(limit, live, 600)).memory_full;
    EXPECT_FALSE(full) << what << ": " << (full ? full->message : "");
  };
  const auto leak = [](double t) { return 100 * mb + 2 * mb * t; };
  absent("no limit", 0, leak);
  absent("flat", 1000 * mb, [](double) { return 100 * mb; });
  absent("a stair", 1000 * mb, [](double t) { return t < 45 ? 100 * mb : 150 * mb; });
  absent("two stairs", 1000 * mb, [](double t) { return 100 * mb + (t < 40 ? 0 : 50 * mb) + (t < 50 ? 0 : 50 * mb); });
  absent("it falls", 1000 * mb, [](double t) { return 300 * mb - 2 * mb * t; });
  absent("it has settled", 1000 * mb, [](double t) { return 300 * mb - 200 * mb * std::exp(-t / 5); });
  absent("saw-teeth", 1000 * mb, [](double t) { return 100 * mb + 5 * mb * std::fmod(t, 29); });
  absent("a long way off", 1e15, leak);
  for (std::uint32_t seed = 0; seed < 200; ++seed)
    EXPECT_FALSE(forecast_of(memory_run(
                                 1000 * mb, [](double) { return 100 * mb; }, 60, 10 * mb, seed))
                     .memory_full)
        << "noise " << seed;
}

TEST(Forecast, AnotherDeviceOrAnotherLimitStartsAfresh) {
  const auto leak = [](double t) { return 100 * mb + 2 * mb * t; };
  RunRecord run = memory_run(1000 * mb, leak);
  for (std::size_t i = 0; i < 270; ++i) run.samples[i].device = "vulkan:0";
  EXPECT_FALSE(forecast_of(run).memory_full);
  run = memory_run(1000 * mb, leak);
  for (std::size_t i = 0; i < 270; ++i) run.samples[i].limit /= 2;
  EXPECT_FALSE(forecast_of(run).memory_full);
}

}  // namespace
}  // namespace tidepool::inline v0::monitor
