// In steady state a step takes nothing from the heap and nothing from the device.
#include "cli/networks.h"
#include "support/allocations.h"
#include "support/environment.h"
#include "train/small_run.h"

namespace tidepool::inline v0 {
namespace {

class Steady : public TrainTest {};

// On the CPU, and on Vulkan with memory that the host can reach and that it cannot.
class SteadyOn : public Steady, public testing::WithParamInterface<const char*> {};
INSTANTIATE_TEST_SUITE_P(Devices, SteadyOn, testing::Values("cpu", "vulkan", "vulkan_staged"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(SteadyOn, AStepTakesNothingFromHeapOrDevice) {
  const std::string where = GetParam();
  const Environment staging("TIDEPOOL_VULKAN_STAGING", where == "vulkan_staged" ? "1" : "0");
  if (where != "cpu") {
    SKIP_WITHOUT_DEVICE("vulkan:0");
    if (std::getenv("TIDEPOOL_VALIDATION")) GTEST_SKIP() << "the validation layers take from the heap too: unset TIDEPOOL_VALIDATION";
    set_default_device(device("vulkan:0"));
  }
  const data::Dataset train = two_classes(150);
  struct Seen {
    std::int64_t epoch, batch;
    std::size_t heap, device;
  };
  std::vector<Seen> seen;
  seen.reserve(1000);
  // Snapshots whenever they are due: those that are put off, because they take long, would first be made in the middle of a later epoch.
  SmallRun run({.epochs = 6, .batch = 16, .snapshot_every = 7, .snapshot_share = 1, .on_step = [&](const StepInfo& info) {
                  seen.push_back({info.epoch, info.batch, HeapCount::count, memory().allocations});
                }});
  run.trainer.fit(train);
  std::size_t compared = 0;
  for (std::size_t i = 1; i < seen.size(); ++i) {
    if (seen[i].epoch < 3 || seen[i].batch == 1) continue;  // between epochs results are noted down
    EXPECT_EQ(seen[i].heap - seen[i - 1].heap, 0U) << "epoch " << seen[i].epoch << ", batch " << seen[i].batch;
    EXPECT_EQ(seen[i].device - seen[i - 1].device, 0U);
    ++compared;
  }
  EXPECT_GT(compared, 30U);
}

TEST_F(Steady, LittleIsReservedBeyondWhatTrainingAsksFor) {
  const Device cpu = device("cpu");
  nn::Sequential net = cli::fashion_network();
  optim::Adam opt(net.parameters());
  const Tensor x = rand({64, 1, 28, 28}), y = zeros({64}, {.dtype = DType::i32});
  cleanup();  // what making the first weights left behind
  reset_peak();
  Trainer trainer(net, opt, cross_entropy, {.epochs = 2, .batch = 64});
  trainer.fit(data::from_tensors(x, y));
  const PoolStats planned = pool_stats(cpu);
  EXPECT_LE(static_cast<double>(planned.peak), 1.10 * static_cast<double>(planned.peak_asked));
}

TEST_F(Steady, MemoryIsFlatOverTwentyThousandSteps) {
  manual_seed(1);
  nn::Sequential net = cli::xor_network();
  optim::Adam opt(net.parameters(), {.lr = 0.05});
  const data::Dataset samples = data::from_tensors(tensor({0, 0, 0, 1, 1, 0, 1, 1}, {4, 2}), tensor({0, 1, 1, 0}, {4, 1}));
  std::size_t heap_at_1000 = 0, device_at_1000 = 0;
  Trainer trainer(net, opt, mse_loss, {.epochs = 20'000, .batch = 4, .shuffle = false, .on_step = [&](const StepInfo& info) {
                                         if (info.step != 1000) return;
                                         heap_at_1000 = HeapCount::now;
                                         device_at_1000 = memory().reserved_bytes;
                                       }});
  const TrainResult r = trainer.fit(samples);
  EXPECT_EQ(r.steps, 20'000);
  EXPECT_EQ(memory().reserved_bytes, device_at_1000);
  EXPECT_LE(HeapCount::now, heap_at_1000 + 3 * 20'000 * sizeof(EpochResult)) << "but for the results themselves";
  EXPECT_LT(r.epochs.back().loss, 1e-3);
}

}  // namespace
}  // namespace tidepool::inline v0
