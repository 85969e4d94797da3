// Training that is interrupted and goes on ends with the same bits as training that is not.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>

#include <sys/wait.h>

#include "support/child.h"
#include "support/errors.h"
#include "support/logged.h"
#include "train/checkpoint.h"
#include "train/small_run.h"

namespace tidepool::inline v0 {
namespace {

class Resuming : public TrainTest {};

TEST_F(Resuming, FiftyStepsAreTheSameInTwoPartsCutWithinAnEpochOrAtItsEnd) {
  const data::Dataset train = two_classes(), test = two_classes(20);
  std::vector<std::vector<float>> straight;
  TrainResult whole;
  {
    SmallRun run({.epochs = 10, .batch = 16, .clip_norm = 1});
    whole = run.trainer.fit(train, test);
    EXPECT_EQ(whole.steps, 50);
    straight = run.bits();
  }
  for (const std::int64_t cut : {23, 25}) {  // epochs have 5 steps
    SCOPED_TRACE(cut);
    const std::string file = path("run-" + std::to_string(cut) + ".ckpt");
    {
      Trainer* trainer = nullptr;
      SmallRun run({.epochs = 10, .batch = 16, .checkpoint = file, .clip_norm = 1, .on_step = [&](const StepInfo& info) {
                      EXPECT_EQ(info.batches, 5);
                      if (info.step == cut) trainer->stop();
                    }});
      trainer = &run.trainer;
      const TrainResult part = run.trainer.fit(train, test);
      EXPECT_TRUE(part.interrupted);
      EXPECT_EQ(part.steps, cut);
      EXPECT_EQ(static_cast<std::int64_t>(part.epochs.size()), cut / 5);
      EXPECT_NE(run.bits(), straight);
    }
    SmallRun run({.epochs = 10, .batch = 16, .clip_norm = 1}, 99);  // other weights, which the checkpoint replaces
    run.trainer.resume(file);
    const TrainResult rest = run.trainer.fit(train, test);
    EXPECT_EQ(run.bits(), straight);
    ASSERT_EQ(rest.epochs.size(), whole.epochs.size());
    for (std::size_t i = 0; i < rest.epochs.size(); ++i) {
      EXPECT_EQ(rest.epochs[i].loss, whole.epochs[i].loss) << i;
      EXPECT_EQ(rest.epochs[i].test_accuracy, whole.epochs[i].test_accuracy) << i;
    }
    EXPECT_FALSE(rest.interrupted);
  }
}

TEST_F(Resuming, ASecondRunOfTheSameGivesTheSameBits) {
  const data::Dataset train = two_classes();
  std::vector<std::vector<float>> first;
  for (int i = 0; i < 2; ++i) {
    SmallRun run({.epochs = 3, .batch = 16});
    run.trainer.fit(train);
    if (i == 0)
      first = run.bits();
    else
      EXPECT_EQ(run.bits(), first);
  }
}

// A process of its own that trains from the checkpoint if there is one, and is killed at a random moment.
[[noreturn]] void train_in_child(const std::string& file, const std::string& done) {
  try {
    SmallRun run({.epochs = 12, .batch = 16, .checkpoint = file, .checkpoint_every = 3});
    if (std::filesystem::exists(file) || std::filesystem::exists(file + ".previous")) run.trainer.resume(file);
    run.trainer.fit(two_classes());
    save(run.net, done);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "child: %s\n", error.what());
    _exit(3);
  }
  _exit(0);
}

TEST_F(Resuming, ARunThatIsKilledAgainAndAgainEndsWithTheSameBits) {
  const auto in_child = [](auto&& function, int kill_after_us) {
    const pid_t child = started(fork());
    if (child == 0) function();
    if (kill_after_us >= 0) {
      usleep(static_cast<useconds_t>(kill_after_us));
      kill(child, SIGKILL);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status;
  };
  const std::string whole = path("whole.safetensors"), pieces = path("pieces.safetensors"), file = path("killed.ckpt");
  const auto start = std::chrono::steady_clock::now();
  ASSERT_EQ(in_child([&] { train_in_child(path("whole.ckpt"), whole); }, -1), 0);
  // Within how many microseconds a child is killed. The first run may have been slower than those that follow, so this follows what is
  // seen: shorter when a child ended first, longer when it was killed.
  auto within = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - start).count();
  unsigned seed = 3;
  int kills = 0;
  for (int round = 0; kills < 20; ++round) {
    ASSERT_LT(round, 200) << "only " << kills << " were killed before they ended";
    seed = seed * 1664525U + 1013904223U;
    const int status = in_child([&] { train_in_child(file, pieces); }, static_cast<int>((seed >> 8) % static_cast<unsigned>(within)));
    kills += WIFSIGNALED(status) ? 1 : 0;
    within = std::max<std::int64_t>(1000, WIFSIGNALED(status) ? within * 9 / 8 : within * 2 / 3);
    ASSERT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0) << "round " << round;
    if (!WIFSIGNALED(status)) std::filesystem::remove(file), std::filesystem::remove(file + ".previous");
  }
  ASSERT_EQ(in_child([&] { train_in_child(file, pieces); }, -1), 0);
  EXPECT_EQ(contents(pieces), contents(whole));
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(file).parent_path()))
    EXPECT_EQ(entry.path().string().find(".tmp"), std::string::npos) << entry.path() << " was left behind";
}

TEST_F(Resuming, ADamagedCheckpointIsPassedOverForTheOneBefore) {
  const std::string file = path("run.ckpt");
  {
    SmallRun run({.epochs = 2, .batch = 16, .checkpoint = file});
    run.trainer.fit(two_classes());
  }
  ASSERT_TRUE(std::filesystem::exists(file + ".previous"));
  {
    std::fstream damage(file, std::ios::in | std::ios::out | std::ios::binary);
    damage.seekp(-5, std::ios::end);
    damage.put('x');
  }
  SmallRun run({.epochs = 2, .batch = 16}, 1);
  run.trainer.resume(file);
  const TrainResult rest = run.trainer.fit(two_classes());
  EXPECT_EQ(rest.epochs.size(), 2U);
  SmallRun straight({.epochs = 2, .batch = 16});
  straight.trainer.fit(two_classes());
  EXPECT_EQ(run.bits(), straight.bits());
  std::filesystem::remove(file + ".previous");
  EXPECT_EQ(message_of<IoError>([&] { run.trainer.resume(file); }), "resume: " + file + ": the checksum is wrong; the file is damaged");
}

// Or both would be damaged, were the process killed in that moment.
TEST_F(Resuming, ADamagedCheckpointDoesNotTakeThePlaceOfTheGoodOneBefore) {
  const std::string file = path("run.ckpt"), other = path("other.ckpt");
  {
    SmallRun run({.epochs = 2, .batch = 16, .checkpoint = file});
    run.trainer.fit(two_classes());
  }
  const std::string good = contents(file + ".previous");
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 5);  // as a full disk may leave it
  const std::string damaged = contents(file);
  std::ofstream(other) << "somebody's";
  const auto go_on = [&](const std::string& to, const std::function<void(const StepInfo&)>& on_step) {
    const Logged log;
    SmallRun run({.epochs = 4, .batch = 16, .checkpoint = to, .on_step = on_step});
    run.trainer.resume(file);
    run.trainer.fit(two_classes());
    EXPECT_HAS(log.text, "; going on from " + file + ".previous");
  };
  go_on(other, [&](const StepInfo& info) {
    if (info.epoch != 3 || info.batch != 1) return;
    EXPECT_EQ(contents(other + ".previous"), "somebody's") << "of another file nothing is known";
  });
  go_on(file, [&](const StepInfo& info) {
    if (info.batch != 1) return;
    EXPECT_EQ(contents(file) == damaged, info.epoch == 2);
    EXPECT_EQ(contents(file + ".previous") == good, info.epoch <= 3) << info.epoch;
    EXPECT_EQ(read_checkpoint(file + ".previous").snapshot.epoch, info.epoch <= 3 ? 1 : 2) << "the first good one since";
  });
}

TEST_F(Resuming, BesideTheFileThatALinkLeadsToIsTheOneBefore) {
  const std::string link = path("run.ckpt"), file = path("elsewhere/real.ckpt");
  std::filesystem::create_directory(path("elsewhere"));
  const auto fit = [](std::int64_t epochs, const std::string& to, const std::string& from) {
    SmallRun run({.epochs = epochs, .batch = 16, .checkpoint = to});
    if (!from.empty()) run.trainer.resume(from);
    run.trainer.fit(two_classes());
    return run.bits();
  };
  fit(1, file, "");
  std::filesystem::create_symlink("elsewhere/real.ckpt", link);
  const std::vector<std::vector<float>> wanted = fit(2, link, link);
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(read_checkpoint(file).snapshot.epoch, 2);
  EXPECT_EQ(read_checkpoint(file + ".previous").snapshot.epoch, 1);
  EXPECT_FALSE(std::filesystem::exists(link + ".previous"));
  for (const bool damaged : {true, false}) {
    std::filesystem::remove(file);
    if (damaged) std::ofstream(file) << "no checkpoint";
    Logged log;
    EXPECT_EQ(fit(2, "", link), wanted) << damaged;
    EXPECT_HAS(log.text, "; going on from " + file + ".previous");
  }
  {
    const Logged log;
    EXPECT_EQ(fit(2, link, link), wanted) << "and the file is there again";
  }
  EXPECT_EQ(read_checkpoint(file).snapshot.epoch, 2);
  std::filesystem::remove_all(path("elsewhere"));
  EXPECT_HAS(message_of<IoError>([&] { read_checkpoint(link); }), "resume: " + link + ": ");
}

TEST_F(Resuming, BuffersOfEveryTypeGoOnAsTheyWere) {
  struct Run {
    Run(float value, const TrainOptions& options)
        : net{nn::Flatten(), EveryType(value)}, opt(net.parameters()), trainer(net, opt, cross_entropy, options) {}
    nn::Sequential net;
    optim::Adam opt;
    Trainer trainer;
  };
  const std::string file = path("run.ckpt");
  Run first(7, {.epochs = 1, .batch = 16, .checkpoint = file, .keep_best = true});
  first.trainer.fit(two_classes());
  Run second(0, {.epochs = 1, .batch = 16, .keep_best = true});
  second.trainer.resume(file);
  second.trainer.fit(two_classes());
  save(first.net, path("first.safetensors"));
  save(second.net, path("second.safetensors"));
  EXPECT_EQ(contents(path("second.safetensors")), contents(path("first.safetensors")));
}

TEST_F(Resuming, OtherSettingsAreTakenOrToldOf) {
  const std::string file = path("run.ckpt");
  {
    SmallRun run({.epochs = 1, .batch = 16, .checkpoint = file});
    run.trainer.fit(two_classes());
  }
  const auto resumed = [&](const TrainOptions& options) {
    Logged log;
    SmallRun run(options);
    run.trainer.resume(file);
    EXPECT_EQ(run.trainer.fit(two_classes()).epochs.size(), 2U);
    return log.text;
  };
  const std::string other = "resume: " + file + ": the bits will not be the same: the order of samples is another\n";
  EXPECT_EQ(resumed({.epochs = 2, .batch = 0}).find("the bits will not"), std::string::npos) << "the batch is the checkpoint's";
  EXPECT_HAS(resumed({.epochs = 2, .batch = 16, .seed = 12}), other);
  EXPECT_HAS(resumed({.epochs = 2, .batch = 16, .checkpoint = path("in_order.ckpt"), .shuffle = false}), other);
  EXPECT_FALSE(read_checkpoint(path("in_order.ckpt")).info.shuffle);
}

TEST_F(Resuming, WhatDoesNotFitIsNamed) {
  const std::string file = path("run.ckpt");
  {
    SmallRun run({.epochs = 1, .batch = 16, .checkpoint = file});
    run.trainer.fit(two_classes());
  }
  const auto message = [&](auto& run, const data::Dataset& dataset) {
    run.trainer.resume(file);
    return message_of<IoError>([&] { run.trainer.fit(dataset); });
  };
  SmallRun other_batch({.epochs = 1, .batch = 8});
  EXPECT_EQ(message(other_batch, two_classes()), "resume: " + file + ": was written with batches of 16; got 8; resume with a batch of 16");
  SmallRun same({.epochs = 1, .batch = 16});
  EXPECT_EQ(message(same, two_classes(60)),
            "resume: " + file + ": was written with 70 samples; the dataset has 60; resume with the same data");
  struct {
    nn::Sequential net = SmallRun::seeded(7);
    optim::SGD opt{net.parameters()};
    Trainer trainer{net, opt, cross_entropy, {.epochs = 1, .batch = 16}};
  } other_optimizer;
  EXPECT_EQ(
      message(other_optimizer, two_classes()),
      "resume: " + file + ": was written with 'Adam'; the optimizer is SGD; resume with the same optimizer, or begin without resume()");
  struct {
    nn::Sequential net{nn::Flatten(), nn::Linear(64, 2)};
    optim::Adam opt{net.parameters()};
    Trainer trainer{net, opt, cross_entropy, {.epochs = 1, .batch = 16}};
  } other;
  EXPECT_EQ(message(other, two_classes()), "resume: " + file + ": '1.weight' is [4] of f32; wanted [2, 64] of f32");
  save(other.net, path("model.safetensors"));
  EXPECT_EQ(message_of<IoError>([&] { same.trainer.resume(path("model.safetensors")); }),
            "resume: " + path("model.safetensors") + ": has no 'tidepool.checkpoint'; it is no checkpoint of Tidepool");
  EXPECT_EQ(message_of<IoError>([&] { load(same.net, path("model.safetensors")); }),
            "load: " + path("model.safetensors") + ": has no '0.weight', which the network wants as [4, 1, 3, 3]");
}

}  // namespace
}  // namespace tidepool::inline v0
