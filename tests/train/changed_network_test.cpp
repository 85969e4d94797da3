// What a trainer makes of a network that changed since: layers that were frozen, thawed or added.
#include <tidepool/tidepool.h>

#include <optional>
#include <vector>

#include "support/logged.h"
#include "train/small_run.h"

namespace tidepool::inline v0 {
namespace {

class ChangedNetworks : public TrainTest {};

// Two layers, of which the test freezes the first; without momentum and decay, so that it stays as it is.
struct TwoLayerRun {
  explicit TwoLayerRun(const TrainOptions& options) : trainer(net, opt, mse_loss, options) {}
  static nn::Sequential seeded() {
    manual_seed(5);
    return nn::Sequential{nn::Linear(4, 8), nn::ReLU(), nn::Linear(8, 1)};
  }
  static data::Dataset sums() {
    const Tensor x = rand({48, 4});
    return data::from_tensors(x, sum(x, 1, true));
  }
  void freeze(bool on = true) const {
    for (const Tensor& parameter : net[0].parameters()) parameter.requires_grad(!on);
  }
  std::vector<float> first() const { return net.parameters()[0].to_host<float>(); }
  std::vector<float> last() const { return net.parameters()[2].to_host<float>(); }

  nn::Sequential net = seeded();
  optim::SGD opt{net.parameters(), {.lr = 0.05}};
  data::Dataset train = sums();
  Trainer trainer;
};

TEST_F(ChangedNetworks, ALayerThatIsFrozenBetweenFitsStaysAndOneThatThawsTrains) {
  TwoLayerRun run({.epochs = 2, .batch = 16});
  run.freeze();
  const std::vector<float> untrained = run.first();
  run.trainer.fit(run.train);
  EXPECT_EQ(run.first(), untrained);
  run.freeze(false);
  run.trainer.fit(run.train);
  const std::vector<float> trained = run.first(), last = run.last();
  EXPECT_NE(trained, untrained);
  run.freeze();
  run.trainer.fit(run.train);
  EXPECT_EQ(run.first(), trained);
  EXPECT_NE(run.last(), last);
}

TEST_F(ChangedNetworks, ALayerThatThawsAfterAnEpochTrainsFromThenOnAlsoOverALoss) {
  const auto trained = [](const char* fault) {
    const TwoLayerRun* thawing = nullptr;
    std::vector<std::vector<float>> after;
    TwoLayerRun run({.epochs = 4, .batch = 16, .snapshot_share = 0, .on_epoch = [&](const EpochResult& epoch) {
                       thawing->freeze(epoch.epoch < 2);
                       after.push_back(thawing->first());
                     }});
    thawing = &run;
    run.freeze();
    faults::set(fault);
    const TrainResult result = run.trainer.fit(run.train);
    faults::set("");
    EXPECT_EQ(result.recoveries, *fault ? 1 : 0);
    EXPECT_EQ(after[1], after[0]);
    EXPECT_NE(after[2], after[1]);
    EXPECT_NE(after[3], after[2]);
    return run.last();
  };
  const std::vector<float> calm = trained("");
  const Logged log;
  EXPECT_EQ(trained("device_lost@upload:16"), calm) << "steps before the thaw are not done again with it";
}

TEST_F(ChangedNetworks, ANetworkThatGrewIsEvaluatedAndTrainedAsItIsNow) {
  TwoLayerRun run({.epochs = 1, .batch = 16});
  const double before = run.trainer.evaluate(run.train).loss;
  run.net.add(nn::Sigmoid());
  const double after = run.trainer.evaluate(run.train).loss;
  EXPECT_NE(after, before);
  EXPECT_EQ(after, Trainer(run.net, run.opt, mse_loss, {.batch = 16}).evaluate(run.train).loss);

  PlainRun wide({.epochs = 1, .batch = 16});
  EXPECT_EQ(wide.trainer.evaluate(two_classes()).classes, 2);
  wide.net.add(nn::Linear(2, 3));
  EXPECT_EQ(wide.trainer.evaluate(two_classes()).classes, 3);
}

}  // namespace
}  // namespace tidepool::inline v0
