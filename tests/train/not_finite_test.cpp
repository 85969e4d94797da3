// Losses that are not finite: when, and by what.
#include <tidepool/tidepool.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/errors.h"
#include "train/small_run.h"

namespace tidepool::inline v0 {
namespace {

class NotFinite : public TrainTest {};

TEST_F(NotFinite, ALossThatIsNotFiniteIsOfTheEpochThatItIsNamedWith) {
  nn::Sequential net{nn::Linear(4, 1)};
  optim::SGD opt(net.parameters(), {.lr = 1e3});
  Trainer trainer(net, opt, mse_loss, {.epochs = 50, .batch = 8, .snapshot_share = 0});
  const Tensor x = rand({16, 4});
  const std::string message = message_of<Error>([&] { trainer.fit(data::from_tensors(x, sum(x, 1, true))); });
  const std::size_t at = message.find(" at step ");
  ASSERT_NE(at, std::string::npos) << message;
  const std::int64_t step = std::stoll(message.substr(at + 9));
  EXPECT_GT(step, 2);
  EXPECT_HAS(message, " (epoch " + std::to_string((step + 1) / 2) + ")");
}

TEST_F(NotFinite, ALossThatIsNotFiniteOnlyOnceIsNotBlamedOnTheNetwork) {
  bool spoiled = false;
  std::optional<Tensor> parameter;
  SmallRun run({.epochs = 4, .batch = 16, .snapshot_every = 2, .snapshot_share = 1, .on_step = [&](const StepInfo& info) {
                  if (info.step != 7 || std::exchange(spoiled, true)) return;
                  const NoGrad guard;
                  fill_(*parameter, std::numeric_limits<float>::quiet_NaN());
                }});
  parameter = run.net.parameters()[0];
  const std::string message = message_of<Error>([&] { run.trainer.fit(two_classes()); });
  EXPECT_HAS(message, "fit: the loss is nan at step ");
  EXPECT_HAS(message, " on, it is finite: something else writes to the network or its data, or the device computes wrongly");
}

// Steps are done again as they were done: with the rates that the callback set.
TEST_F(NotFinite, ALossThatDivergesByTheRatesOfACallbackIsBlamedOnTheNetwork) {
  for (const double share : {0.0, 1.0}) {  // without copies after the first, so that epochs are gone over again as well
    nn::Sequential net{nn::Linear(4, 1)};
    optim::SGD opt(net.parameters(), {.lr = 0.01});
    std::vector<StepInfo> seen;
    Trainer trainer(net, opt, mse_loss, {.epochs = 100, .batch = 8, .snapshot_share = share, .on_step = [&](const StepInfo& info) {
                                           seen.push_back(info);
                                           opt.set_lr(0.01 * std::pow(1.3, static_cast<double>(info.step)));
                                         }});
    const Tensor x = rand({40, 4});
    const std::string message = message_of<Error>([&] { trainer.fit(data::from_tensors(x, sum(x, 1, true))); });
    EXPECT_HAS(message, "): every layer's output is finite, the loss function's is not");
    for (const StepInfo& info : seen) {  // again as well
      EXPECT_EQ(info.epoch, (info.step - 1) / 5 + 1) << info.step;
      EXPECT_EQ(info.batch, (info.step - 1) % 5 + 1) << info.step;
    }
    EXPECT_GT(seen.size(), 2 * static_cast<std::size_t>(std::ranges::max(seen, {}, &StepInfo::step).step) - 60);
  }
}

TEST_F(NotFinite, ALossThatIsNotFiniteNamesTheFirstLayer) {
  manual_seed(4);
  nn::Sequential net{nn::Flatten(), nn::Linear(64, 8), nn::Tanh(), nn::Linear(8, 2)};
  struct Exploding : nn::Module {
    nn::Parameter scale = parameter("scale", ones({1}));
    Tensor forward(const Tensor& x) override { return exp(x * 1000.0F * scale) * 0.0F + x; }
    std::string kind() const override { return "Exploding"; }
  };
  nn::Sequential bad{nn::Flatten(), nn::Linear(64, 8), Exploding(), nn::Linear(8, 2)};
  optim::SGD bad_opt(bad.parameters(), {.lr = 0.1});
  Trainer trainer(bad, bad_opt, cross_entropy, {.epochs = 1, .batch = 16});
  const std::string message = message_of<Error>([&] { trainer.fit(two_classes()); });
  EXPECT_NE(message.find("at step 1 (epoch 1): the first output that is not finite is of layer 2 (Exploding), [16, 8]"), std::string::npos)
      << message;
  optim::SGD wild(net.parameters(), {.lr = 1e38});
  Trainer diverging(net, wild, cross_entropy, {.epochs = 3, .batch = 16});
  const std::string other = message_of<Error>([&] { diverging.fit(two_classes()); });
  EXPECT_NE(other.find("lower the learning rate"), std::string::npos) << other;
}

}  // namespace
}  // namespace tidepool::inline v0
