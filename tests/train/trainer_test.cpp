// What the trainer promises beyond the same bits: accumulation, memory, early stop and recovery.
#include <tidepool/tidepool.h>

#include <algorithm>
#include <cmath>

#include "support/errors.h"
#include "support/logged.h"
#include "train/checkpoint.h"
#include "train/small_run.h"

namespace tidepool::inline v0 {
namespace {

class Training : public TrainTest {};

double largest_difference(const std::vector<std::vector<float>>& a, const std::vector<std::vector<float>>& b) {
  double worst = 0, largest = 1e-9;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < a[i].size(); ++j) {
      worst = std::max(worst, std::abs(static_cast<double>(a[i][j]) - static_cast<double>(b[i][j])));
      largest = std::max(largest, std::abs(static_cast<double>(b[i][j])));
    }
  return worst / largest;
}

TEST_F(Training, LearnsAndSaysHowWell) {
  SmallRun run({.epochs = 8, .batch = 16});
  const TrainResult r = run.trainer.fit(two_classes(), two_classes(40));
  ASSERT_EQ(r.epochs.size(), 8U);
  EXPECT_LT(r.epochs.back().loss, 0.3 * r.epochs.front().loss);
  EXPECT_GT(r.epochs.back().test_accuracy, 0.95);
  EXPECT_GT(r.epochs.back().accuracy, 0.9);
  EXPECT_EQ(r.epochs.back().epoch, 8);
  EXPECT_GT(r.epochs.back().seconds, 0);
  const EvalResult e = run.trainer.evaluate(two_classes(40));
  EXPECT_EQ(e.accuracy, r.epochs.back().test_accuracy);
  EXPECT_NEAR(e.loss, r.epochs.back().test_loss, 1e-9);
  ASSERT_EQ(e.confusion.size(), 4U);
  EXPECT_EQ(e.confusion[0] + e.confusion[1], 20) << "rows are labels";
  EXPECT_NEAR(static_cast<double>(e.confusion[0] + e.confusion[3]) / 40, e.accuracy, 1e-9);
  EXPECT_TRUE(run.net.training());
}

TEST_F(Training, GradientsOfMicroBatchesAddUpToTheBatchsDropoutIncluded) {
  PlainRun whole({.epochs = 2, .batch = 32}), parts({.epochs = 2, .batch = 32, .micro_batch = 5});
  manual_seed(1);
  const TrainResult a = whole.trainer.fit(two_classes());
  manual_seed(1);
  const TrainResult b = parts.trainer.fit(two_classes());
  EXPECT_LE(largest_difference(parts.bits(), whole.bits()), 1e-5);
  EXPECT_EQ(b.micro_batch, 5);
  EXPECT_EQ(a.steps, b.steps);
  EXPECT_NEAR(a.epochs[1].loss, b.epochs[1].loss, 1e-5);
}

TEST_F(Training, WhenMemoryRunsOutTheBatchIsHalvedAndKeepsItsSize) {
  const data::Dataset train = two_classes();
  PlainRun free({.epochs = 1, .batch = 32});
  manual_seed(1);
  free.trainer.fit(train);
  const auto wanted = free.bits();
  std::vector<std::string> messages;
  for (std::size_t room = 100'000; messages.empty() && room > 4'000; room -= 2'000) {
    PlainRun bounded({.epochs = 1, .batch = 32, .on_message = [&](const std::string& m) { messages.push_back(m); }});
    cleanup();
    configure({.memory_limit = memory().live_bytes + room});
    reset_peak();
    manual_seed(1);
    const TrainResult r = bounded.trainer.fit(train);
    EXPECT_LE(memory().peak_bytes, memory().limit);
    configure({.memory_limit = 0});
    EXPECT_LE(largest_difference(bounded.bits(), wanted), 1e-5) << "with " << room << " bytes";
    EXPECT_EQ(r.micro_batch < 32, !messages.empty());
  }
  ASSERT_FALSE(messages.empty());
  EXPECT_EQ(messages[0], "out of memory: from now on 16 samples at once, and their gradients add up to a batch of 32");
}

TEST_F(Training, WhenMemoryRunsOutInAnEvaluationItGoesOnWithHalfOfTheSamplesAtOnce) {
  const data::Dataset test = two_classes();
  PlainRun run({.epochs = 1, .batch = 32});
  const EvalResult wanted = run.trainer.evaluate(test);
  std::vector<std::string> messages;
  for (std::size_t room = 60'000; messages.empty() && room > 2'000; room -= 1'000) {
    Trainer bounded(run.net, run.opt, cross_entropy,
                    {.epochs = 1, .batch = 32, .on_message = [&](const std::string& m) { messages.push_back(m); }});
    cleanup();
    configure({.memory_limit = memory().live_bytes + room});
    const EvalResult e = bounded.evaluate(test);
    configure({.memory_limit = 0});
    EXPECT_EQ(e.confusion, wanted.confusion) << "with " << room << " bytes";
    EXPECT_NEAR(e.loss, wanted.loss, 1e-6);
  }
  ASSERT_FALSE(messages.empty());
  EXPECT_EQ(messages[0], "out of memory: from now on 16 samples at once");
}

TEST_F(Training, ALimitThatNothingFitsIntoIsAnError) {
  PlainRun run({.epochs = 1, .batch = 32});
  const data::Dataset train = two_classes();
  cleanup();
  configure({.memory_limit = memory().live_bytes + 2000});
  EXPECT_NE(message_of<OutOfMemory>([&] { run.trainer.fit(train); }).find("limit"), std::string::npos);
  configure({.memory_limit = 0});
}

// What is evaluated may be larger than the batches of training, and of another shape.
TEST_F(Training, AnEvaluationAmidAnEpochChangesNothingOfIt) {
  const auto seeded = [] {
    manual_seed(3);
    return nn::Sequential{
        nn::Conv2d(1, 4, {.kernel = 3, .padding = 1}), nn::ReLU(), nn::AvgPool2d(4), nn::Dropout(0.25), nn::Flatten(), nn::Linear(16, 2)};
  };
  const data::Dataset train = two_classes();
  const data::Dataset wide = data::from_tensors(rand({9, 1, 4, 16}), from_host(std::vector<std::int32_t>(9, 1), {9}));
  std::vector<TrainResult> results;
  std::vector<std::vector<float>> weights;
  for (const bool disturbed : {false, true}) {
    nn::Sequential net = seeded();
    optim::Adam opt(net.parameters(), {.lr = 0.01});
    Trainer* trainer = nullptr;
    Trainer made(net, opt, cross_entropy,
                 {.epochs = 3, .batch = 16, .snapshot_every = 2, .snapshot_share = 1, .on_step = [&](const StepInfo& info) {
                    if (!disturbed || info.step % 3 != 1) return;
                    EXPECT_EQ(trainer->evaluate(train).samples, 70);
                    EXPECT_EQ(trainer->evaluate(wide).samples, 9);
                  }});
    trainer = &made;
    results.push_back(made.fit(train, train));
    weights.push_back(net.parameters()[0].to_host<float>());
  }
  EXPECT_EQ(weights[1], weights[0]);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(results[1].epochs[i].loss, results[0].epochs[i].loss) << i;
    EXPECT_EQ(results[1].epochs[i].accuracy, results[0].epochs[i].accuracy) << i;
    EXPECT_EQ(results[1].epochs[i].test_loss, results[0].epochs[i].test_loss) << i;
  }
}

TEST_F(Training, AnEvaluationLeavesEveryPartAsItWas) {
  SmallRun run({.epochs = 1, .batch = 16});
  run.net[1].eval();
  run.trainer.evaluate(two_classes());
  EXPECT_TRUE(run.net.training() && run.net[5].training());
  EXPECT_FALSE(run.net[1].training());
}

TEST_F(Training, SamplesOfAnotherShapeAndTheSameSizeAreReadAsTheyAre) {
  manual_seed(3);
  const auto labels = from_host(std::vector<std::int32_t>(12, 1), {12});
  const data::Dataset tall = data::from_tensors(rand({12, 1, 8, 4}), labels), wide = data::from_tensors(rand({12, 1, 4, 8}), labels);
  nn::Sequential net{nn::Conv2d(1, 4, {.kernel = 3, .padding = 1}), nn::ReLU(), nn::Flatten(), nn::Linear(128, 2)};
  optim::SGD opt(net.parameters());
  Trainer used(net, opt, cross_entropy, {.epochs = 1, .batch = 12});
  used.fit(tall);
  Trainer fresh(net, opt, cross_entropy, {.epochs = 1, .batch = 12});
  EXPECT_EQ(used.evaluate(wide).loss, fresh.evaluate(wide).loss);
}

TEST_F(Training, ADeviceThatIsLostIsMadeAnewAndTheBitsAreTheSame) {
  const data::Dataset train = two_classes();
  SmallRun calm({.epochs = 6, .batch = 16, .snapshot_every = 7});
  calm.trainer.fit(train);
  const auto wanted = calm.bits();
  for (const int at : {1, 9, 14, 28}) {
    SmallRun run(
        {.epochs = 6, .batch = 16, .snapshot_every = 7, .snapshot_share = 1, .on_step = [&, done = false](const StepInfo& info) mutable {
           if (info.step != at || done) return;
           done = true;
           faults::set("device_lost@submit:1");
         }});
    const TrainResult r = run.trainer.fit(train);
    faults::set("");
    EXPECT_EQ(r.recoveries, 1) << at;
    EXPECT_EQ(run.bits(), wanted) << "lost at step " << at;
    EXPECT_EQ(r.epochs.size(), 6U);
  }
}

// Labels that say nothing: the test loss grows while the network learns them by heart.
struct FruitlessRun {
  explicit FruitlessRun(TrainOptions options) : trainer(net, opt, cross_entropy, options) {
    std::vector<float> x;
    std::vector<std::int32_t> y;
    std::uint32_t seed = 9;
    for (int i = 0; i < 80 * 16; ++i) x.push_back(static_cast<float>((seed = seed * 1664525U + 1013904223U) >> 8) / 8388608.0F - 1);
    for (int i = 0; i < 80; ++i) y.push_back(static_cast<std::int32_t>((seed = seed * 1664525U + 1013904223U) >> 31));
    const data::Dataset all = data::from_tensors(from_host(x, {80, 16}), from_host(y, {80}));
    train = all.slice(0, 40);
    test = all.slice(40, 80);
  }
  TrainResult fit() { return trainer.fit(train, test); }
  // The network is that of the best epoch, and not of the last one.
  void expect_the_best(const TrainResult& r) {
    ASSERT_LT(r.best_epoch, static_cast<std::int64_t>(r.epochs.size()));
    EXPECT_NEAR(trainer.evaluate(test).loss, r.epochs[static_cast<std::size_t>(r.best_epoch - 1)].test_loss, 1e-9);
    EXPECT_GT(std::abs(r.epochs.back().test_loss - r.epochs[static_cast<std::size_t>(r.best_epoch - 1)].test_loss), 1e-3);
  }
  data::Dataset train, test;
  nn::Sequential net = (manual_seed(2), nn::Sequential{nn::Linear(16, 64), nn::Tanh(), nn::Linear(64, 2)});
  optim::Adam opt{net.parameters(), {.lr = 0.02}};
  Trainer trainer;
};

TEST_F(Training, StopsWhenNothingGetsBetterAndKeepsTheBest) {
  FruitlessRun run({.epochs = 200, .batch = 20, .patience = 4, .keep_best = true});
  const TrainResult r = run.fit();
  EXPECT_TRUE(r.stopped_early);
  EXPECT_EQ(static_cast<std::int64_t>(r.epochs.size()), r.best_epoch + 4);
  run.expect_the_best(r);
}

TEST_F(Training, WhoStopsTheLastStepStopsNothing) {
  Trainer* trainer = nullptr;
  const auto stop_at = [&](std::int64_t last) {
    return [&trainer, last](const StepInfo& info) {
      if (info.step == last) trainer->stop();
    };
  };
  FruitlessRun run({.epochs = 12, .batch = 20, .keep_best = true, .on_step = stop_at(24)});
  trainer = &run.trainer;
  const TrainResult r = run.fit();
  EXPECT_FALSE(r.interrupted);
  run.expect_the_best(r);
  FruitlessRun until({.epochs = 200, .batch = 20, .patience = 4, .keep_best = true});
  const std::int64_t steps = until.fit().steps;
  FruitlessRun patient({.epochs = 200, .batch = 20, .patience = 4, .keep_best = true, .on_step = stop_at(steps)});
  trainer = &patient.trainer;
  const TrainResult p = patient.fit();
  EXPECT_TRUE(p.stopped_early && !p.interrupted);
  patient.expect_the_best(p);
}

TEST_F(Training, TheBestOfAnEarlierFitIsNotThatOfTheNext) {
  // A checkpoint of an epoch that cannot be beaten, without its tensors.
  const std::string file = path("good.ckpt");
  FruitlessRun first({.epochs = 12, .batch = 20, .checkpoint = file});
  first.fit();
  const auto resumed = [&](FruitlessRun& run) {
    run.trainer.resume(file);
    const TrainResult r = run.fit();
    EXPECT_LE(r.best_epoch, 12) << "nothing after it is better";
    return run.net.parameters()[0].to_host<float>();
  };
  FruitlessRun fresh({.epochs = 14, .batch = 20, .keep_best = true}), used({.epochs = 14, .batch = 20, .keep_best = true});
  used.fit();
  EXPECT_EQ(resumed(used), resumed(fresh));
}

TEST_F(Training, ASecondFitLearnsFromItsOwnData) {
  nn::Sequential net{nn::Linear(2, 8), nn::Tanh(), nn::Linear(8, 1)};
  optim::Adam opt(net.parameters(), {.lr = 0.05});
  Trainer trainer(net, opt, mse_loss, {.epochs = 200, .batch = 4, .shuffle = false});  // one batch, which stays on the device
  const Tensor x = tensor({0, 0, 0, 1, 1, 0, 1, 1}, {4, 2});
  EXPECT_LT(trainer.fit(data::from_tensors(x, tensor({0, 1, 1, 0}, {4, 1}))).epochs.back().loss, 0.01);
  const TrainResult second = trainer.fit(data::from_tensors(x, tensor({1, 0, 0, 1}, {4, 1})));
  EXPECT_GT(second.epochs.front().loss, 0.5) << "the opposite of what it has learned";
  EXPECT_LT(second.epochs.back().loss, 0.01);
}

TEST_F(Training, ATestLossThatIsNoNumberIsToldAndBeatsNothing) {
  Logged log;
  const Tensor x = rand({40, 4}), y = sum(x, 1, true);
  Tensor spoiled = y.clone();
  fill_(spoiled.slice(3, 4), NAN);
  nn::Sequential net{nn::Linear(4, 1)};
  optim::SGD opt(net.parameters(), {.lr = 0.1});
  Trainer trainer(net, opt, mse_loss, {.epochs = 30, .batch = 8, .patience = 3, .keep_best = true});
  const TrainResult r = trainer.fit(data::from_tensors(x, y), data::from_tensors(x, spoiled));
  EXPECT_GT(r.best_epoch, 4) << "by the loss of training";
  EXPECT_HAS(log.text, "the test loss of epoch 1 is nan: look for such numbers in the test set");
}

TEST_F(Training, EpochsWithoutATestSetAreNotBetterThanThoseWithOne) {
  const std::string file = path("untested.ckpt");
  const Tensor x = rand({40, 4});
  const data::Dataset set = data::from_tensors(x, sum(x, 1, true));
  const auto fit = [&](std::int64_t epochs, bool tested) {
    nn::Sequential net{nn::Linear(4, 1)};
    optim::SGD opt(net.parameters(), {.lr = 0.02});
    Trainer trainer(net, opt, mse_loss, {.epochs = epochs, .batch = 8, .checkpoint = file});
    if (tested) trainer.resume(file);
    return trainer.fit(set, tested ? set : data::Dataset{});
  };
  EXPECT_EQ(fit(2, false).best_epoch, 2);
  EXPECT_EQ(fit(5, true).best_epoch, 5);
}

TEST_F(Training, TheBestEpochOfACheckpointIsKeptOrItIsSaidThatItIsNot) {
  const std::string with = path("with.ckpt"), without = path("without.ckpt");
  const auto fit = [&](const std::string& from, TrainOptions options) {
    Logged log;
    FruitlessRun run(std::move(options));
    if (!from.empty()) run.trainer.resume(from);
    const TrainResult r = run.fit();
    if (log.text.find("keep_best") == std::string::npos) run.expect_the_best(r);
    return log.text;
  };
  fit("", {.epochs = 12, .batch = 20, .checkpoint = with, .keep_best = true});
  EXPECT_EQ(fit(with, {.epochs = 14, .batch = 20, .keep_best = true}).find("keep_best"), std::string::npos);
  {
    FruitlessRun run({.epochs = 13, .batch = 20, .checkpoint = without});
    run.trainer.resume(with);
    run.fit();
  }
  EXPECT_HAS(fit(without, {.epochs = 14, .batch = 20, .keep_best = true}),
             without + ": was written without keep_best, so parameters of epoch ");
  EXPECT_TRUE(read_checkpoint(without).snapshot.best.empty());
  const std::string early = path("early.ckpt");  // before the first epoch's end there is no best one
  Trainer* trainer = nullptr;
  FruitlessRun first({.epochs = 12, .batch = 20, .checkpoint = early, .on_step = [&](const StepInfo&) { trainer->stop(); }});
  trainer = &first.trainer;
  EXPECT_TRUE(first.fit().interrupted);
  EXPECT_EQ(fit(early, {.epochs = 12, .batch = 20, .keep_best = true}).find("keep_best"), std::string::npos);
}

TEST_F(Training, BadLabelsAndShapesAreErrorsOfTheRightKind) {
  std::vector<std::int32_t> labels(70, 1);
  labels[33] = 7;
  const data::Dataset bad =
      data::from_tensors(from_host(std::vector<float>(std::size_t{70} * 64, 0.5F), {70, 1, 8, 8}), from_host(labels, {70}));
  SmallRun run({.epochs = 1, .batch = 16});
  EXPECT_NE(message_of<ArgumentError>([&] { run.trainer.fit(bad); }).find("cross_entropy"), std::string::npos);
  SmallRun other({.epochs = 1, .batch = 16});
  EXPECT_NE(message_of<ShapeError>([&] { other.trainer.fit(two_classes(), bad); }).find("those of the test set"), std::string::npos);
  EXPECT_EQ(message_of<ArgumentError>([&] { other.trainer.fit(data::Dataset()); }), "fit: the training set has no samples");
  EXPECT_EQ(message_of<ArgumentError>([&] { Trainer(other.net, other.opt, cross_entropy, {.epochs = 0}); }),
            "Trainer: epochs is 0; wanted 1 or more");
  SmallRun unwritable({.epochs = 1, .batch = 16, .checkpoint = "/no/such/folder/run.ckpt"});
  EXPECT_NE(message_of<IoError>([&] { unwritable.trainer.fit(two_classes()); }).find("/no/such/folder/run.ckpt"), std::string::npos);
}

TEST_F(Training, AScheduleFollowsTheStepsAndResumes) {
  PlainRun run({.epochs = 1, .batch = 32});
  optim::StepSchedule halves(run.opt, {.steps = 2, .gamma = 0.5});
  Trainer trainer(run.net, run.opt, cross_entropy, {.epochs = 1, .batch = 16, .schedule = &halves});
  trainer.fit(two_classes());  // 5 steps: the rates of 0 to 4
  EXPECT_DOUBLE_EQ(run.opt.lr(), 0.1 * 0.25);
}

TEST_F(Training, OnVulkanItLearnsAsOnTheCpu) {
  SKIP_WITHOUT_DEVICE("vulkan:0");
  const data::Dataset train = two_classes();
  std::vector<std::vector<EpochResult>> results;
  for (const char* id : {"cpu", "vulkan:0", "vulkan:0"}) {
    set_default_device(device(id));
    PlainRun run({.epochs = 4, .batch = 16});
    manual_seed(1);
    results.push_back(run.trainer.fit(train, train).epochs);
    EXPECT_EQ(run.net.parameters()[0].device().id(), id);
  }
  set_default_device(device("cpu"));
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(results[1][i].loss, results[0][i].loss, 1e-4);
    EXPECT_EQ(results[1][i].test_accuracy, results[0][i].test_accuracy);
    EXPECT_EQ(results[2][i].loss, results[1][i].loss) << "the same bits every time";
  }
}

TEST_F(Training, MovesWithTheNetworkBetweenFits) {
  PlainRun run({.epochs = 1, .batch = 16});
  run.trainer.fit(two_classes());
  const auto here = run.bits();
  SKIP_WITHOUT_DEVICE("vulkan:0");
  run.net.to(device("vulkan:0"));
  run.net.to(device("cpu"));
  EXPECT_EQ(run.bits(), here);
  run.trainer.fit(two_classes());
  EXPECT_NE(run.bits(), here);
}

}  // namespace
}  // namespace tidepool::inline v0
