// `batch = 0`: the trainer finds one.
#include "train/small_run.h"

namespace tidepool::inline v0 {
namespace {

class FoundBatch : public TrainTest {};

TEST_F(FoundBatch, IsToldAndTrainedWith) {
  std::vector<std::string> messages;
  SmallRun run({.epochs = 1, .batch = 0, .on_message = [&](const std::string& m) { messages.push_back(m); }});
  const TrainResult r = run.trainer.fit(two_classes(200));
  ASSERT_FALSE(messages.empty());
  EXPECT_EQ(messages[0].find("batch: "), 0U) << messages[0];
  EXPECT_GE(r.micro_batch, 16);
  EXPECT_EQ(r.epochs.size(), 1U);
}

TEST_F(FoundBatch, FitsIntoMemoryWithItsSamples) {
  const data::Dataset wide = data::from_tensors(rand({1024, 4096}), zeros({1024, 1}));
  set_default_device(device("null"));
  nn::Sequential net{nn::Linear(4096, 1)};
  optim::SGD opt(net.parameters(), {.lr = 1e-4});
  configure({.memory_limit = 6_MiB});  // of 1,024 samples the numbers alone are 16 MiB
  Trainer trainer(net, opt, mse_loss, {.epochs = 1, .batch = 0});
  const TrainResult r = trainer.fit(wide);
  EXPECT_GE(r.micro_batch, 16);
  EXPECT_LE(r.micro_batch, 256);
}

}  // namespace
}  // namespace tidepool::inline v0
