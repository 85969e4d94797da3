// Runs of training with one fault in each, and how they ended.
#pragma once

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "train/small_run.h"

namespace tidepool::inline v0 {

using Weights = std::vector<std::vector<float>>;

// One way to train, with a fault in it: from nothing to the last bits. The fault is set when training begins.
struct FaultyRun {
  std::string name;
  Weights (*train)(const std::string& fault, TrainResult& result);
  bool mixes_batch = false;  // so that smaller parts of a batch change the results, and the trainer says so
};
// Training and the faults in it: set before, over before the weights are read. "count" stands for none.
inline std::map<std::string, std::int64_t> counted;
inline TrainResult fit_with(const std::string& fault, Trainer& trainer, const data::Dataset& train, const data::Dataset& test = {}) {
  fault == "count" ? faults::count() : faults::set(fault);
  TrainResult result = trainer.fit(train, test);
  if (fault == "count")
    for (const char* point : {"launch", "submit", "wait", "allocate", "upload", "download", "alloc"})
      counted[point] = faults::reached(point);
  faults::set("");
  return result;
}

inline Weights train_xor(const std::string& fault, TrainResult& result) {
  manual_seed(3);
  nn::Sequential net{nn::Linear(2, 8), nn::Tanh(), nn::Linear(8, 1)};
  optim::Adam opt(net.parameters(), {.lr = 0.05});
  Trainer trainer(net, opt, mse_loss, {.epochs = 12, .batch = 4, .snapshot_every = 5, .shuffle = false, .snapshot_share = 1});
  const data::Dataset four = data::from_tensors(tensor({0, 0, 0, 1, 1, 0, 1, 1}, {4, 2}), tensor({0, 1, 1, 0}, {4, 1}));
  result = fit_with(fault, trainer, four);
  Weights bits;
  for (const Tensor& parameter : net.parameters()) bits.push_back(parameter.to_host<float>());
  return bits;
}

inline Weights train_cnn(const std::string& fault, TrainResult& result) {
  const data::Dataset train = two_classes(40), test = two_classes(12);
  manual_seed(3);
  nn::Sequential net{nn::Conv2d(1, 4, {.kernel = 3, .padding = 1}),
                     nn::ReLU(),
                     nn::MaxPool2d(2),
                     nn::Flatten(),
                     nn::Dropout(0.25),
                     nn::LayerNorm(64),
                     nn::Linear(64, 2)};
  optim::SGD opt(net.parameters(), {.lr = 0.05, .momentum = 0.9});
  Trainer trainer(net, opt, cross_entropy, {.epochs = 2, .batch = 16, .snapshot_every = 2, .snapshot_share = 1});
  result = fit_with(fault, trainer, train, test);
  Weights bits;
  for (const Tensor& parameter : net.parameters()) bits.push_back(parameter.to_host<float>());
  return bits;
}

// With batch statistics.
inline Weights train_batch_norm(const std::string& fault, TrainResult& result) {
  const data::Dataset train = two_classes(40), test = two_classes(12);
  SmallRun run({.epochs = 2, .batch = 16, .snapshot_every = 2, .snapshot_share = 1});
  result = fit_with(fault, run.trainer, train, test);
  return run.bits();
}

inline double worst_difference(const Weights& a, const Weights& b) {
  if (a.size() != b.size()) return INFINITY;
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].size() != b[i].size()) return INFINITY;
    for (std::size_t j = 0; j < a[i].size(); ++j)
      worst = std::max(worst, std::abs(static_cast<double>(a[i][j]) - static_cast<double>(b[i][j])) /
                                  std::max(1.0, std::abs(static_cast<double>(b[i][j]))));
  }
  return worst;
}

struct Endings {
  std::int64_t runs = 0, same_bits = 0, close = 0, lost = 0, no_memory = 0, other_errors = 0;
};

class FaultRuns : public TrainTest, public testing::WithParamInterface<std::tuple<const char*, FaultyRun>> {
 protected:
  void SetUp() override {
    SKIP_WITHOUT_DEVICE(std::get<0>(GetParam()));
    TrainTest::SetUp();
    set_log_level(LogLevel::off);
  }
  void TearDown() override {
    set_log_level(LogLevel::warn);
    if (!IsSkipped()) TrainTest::TearDown();
  }
  static Device device_under_test() { return device(std::get<0>(GetParam())); }
  static const FaultyRun& run() { return std::get<1>(GetParam()); }

  // Every run begins with a device that was never opened.
  static void start_afresh() {
    faults::set("");
    set_default_device(device_under_test());
    reset(device_under_test());
    cleanup();
  }
  // Nothing may be left over, whatever happened.
  static void look_around(const std::string& fault) {
    for (DeviceSlot* slot : all_slots()) {
      EXPECT_EQ(slot->tensors.sum(), 0) << fault << ": tensors left on " << slot->id();
      const auto stream = slot->stream_if_open();
      if (!stream) continue;
      const StreamLock lock(*stream);
      EXPECT_EQ(PoolCheck::of(stream->pool()), "") << fault << ": " << slot->id();
    }
    EXPECT_EQ(validation_messages(), 0U) << fault;
  }

  static Weights calm_run() {
    start_afresh();
    TrainResult result;
    return run().train("count", result);
  }
  static void faulty_run(const std::string& fault, const Weights& wanted, Endings& endings) {
    start_afresh();
    // Vulkan's drivers may compile at the first launch.
    configure({.wait_limit = !fault.starts_with("hang") ? 30 : device_under_test().id() == "null" ? 0.01 : 0.5});
    ++endings.runs;
    try {
      TrainResult result;
      const auto bits = run().train(fault, result);
      if (bits == wanted) {
        ++endings.same_bits;
      } else if (run().mixes_batch && result.micro_batch < 16) {
        ++endings.close;
      } else {
        ++endings.close;
        EXPECT_LE(worst_difference(bits, wanted), 1e-5)
            << fault << " (micro-batch " << result.micro_batch << ", recoveries " << result.recoveries << ")";
      }
    } catch (const DeviceLost& error) {
      ++endings.lost;
      EXPECT_NE(std::string(error.what()).find("lost"), std::string::npos) << error.what();
    } catch (const OutOfMemory&) {
      ++endings.no_memory;
    } catch (const Error&) {
      ++endings.other_errors;
    }
    faults::set("");
    look_around(fault);
  }
};

}  // namespace tidepool::inline v0
