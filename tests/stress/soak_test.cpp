// A million steps of training: nothing grows, and a second time gives the same bits.
#include <gtest/gtest.h>
#include <tidepool/tidepool.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "cli/networks.h"
#include "support/devices.h"

namespace tidepool::stress {
namespace {

std::size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t total = 0, resident = 0;
  file >> total >> resident;
  return resident * 4096;
}

// Figures taken now and then while something runs.
class Watch {
 public:
  void look(std::int64_t step) {
    seen_.push_back({static_cast<double>(step), static_cast<double>(resident_bytes()), memory().reserved_bytes});
  }
  // From the first look on: by then everything has been needed once.
  std::size_t pool_growth() const { return seen_.back().reserved - std::min(seen_.front().reserved, seen_.back().reserved); }
  // The straight line through the figures, by least squares: bytes in 100,000 steps.
  double resident_slope() const {
    double steps = 0, bytes = 0, above = 0, below = 0;
    for (const Seen& seen : seen_) {
      steps += seen.step / static_cast<double>(seen_.size());
      bytes += seen.resident / static_cast<double>(seen_.size());
    }
    for (const Seen& seen : seen_) {
      above += (seen.step - steps) * (seen.resident - bytes);
      below += (seen.step - steps) * (seen.step - steps);
    }
    return 100'000 * above / below;
  }
  std::size_t looks() const { return seen_.size(); }

 private:
  struct Seen {
    double step, resident;
    std::size_t reserved;
  };
  std::vector<Seen> seen_;
};

std::vector<float> weights_of(const nn::Sequential& net) {
  std::vector<float> all;
  for (const Tensor& parameter : net.parameters())
    for (const float weight : parameter.to_host<float>()) all.push_back(weight);
  return all;
}

class Soak : public LibraryTest {
 protected:
  void TearDown() override {
    manual_seed(0);
    LibraryTest::TearDown();
  }

  // XOR with the Trainer, which keeps a result for every epoch: so a thousand batches are an epoch.
  static std::vector<float> train_xor(std::int64_t steps, Watch& watch) {
    manual_seed(1);
    nn::Sequential net = cli::xor_network();
    optim::Adam opt(net.parameters(), {.lr = 0.05});
    std::vector<float> x, y;
    for (int i = 0; i < 4000; ++i) {
      const int a = i / 2 % 2, b = i % 2;
      x.insert(x.end(), {static_cast<float>(a), static_cast<float>(b)});
      y.push_back(static_cast<float>(a ^ b));
    }
    const data::Dataset samples = data::from_tensors(from_host(x, {4000, 2}), from_host(y, {4000, 1}));
    const std::int64_t every = std::max<std::int64_t>(steps / 100, 1000);
    Trainer trainer(net, opt, mse_loss, {.epochs = steps / 1000, .batch = 4, .on_step = [&](const StepInfo& info) {
                                           if (info.step >= steps / 10 && info.step % every == 0) watch.look(info.step);
                                         }});
    EXPECT_EQ(trainer.fit(samples).steps, steps);
    return weights_of(net);
  }

  // A small network of convolutions, step by step, without a plan.
  static std::vector<float> train_eagerly(std::int64_t steps, Watch& watch) {
    manual_seed(2);
    nn::Sequential net{nn::Conv2d(1, 4, {.kernel = 3, .padding = 1}),
                       nn::BatchNorm2d(4),
                       nn::ReLU(),
                       nn::MaxPool2d(2),
                       nn::Flatten(),
                       nn::Dropout(0.25),
                       nn::Linear(64, 2)};
    optim::Adam opt(net.parameters(), {.lr = 0.01});
    const Tensor x = rand({8, 1, 8, 8}), y = zeros({8}, {.dtype = DType::i32});
    for (std::int64_t step = 1; step <= steps; ++step) {
      tidy([&] {
        opt.zero_grad();
        cross_entropy(net(x), y).backward();
        opt.step();
      });
      commit();
      if (step >= steps / 10 && step % (steps / 50) == 0) watch.look(step);
    }
    return weights_of(net);
  }

  static void expect_flat(const Watch& watch, double most_per_100000) {
    EXPECT_GE(watch.looks(), 10U);
    EXPECT_EQ(watch.pool_growth(), 0U);
    EXPECT_LT(watch.resident_slope(), most_per_100000) << "bytes of resident memory in 100,000 steps";
    if (std::getenv("TIDEPOOL_SOAK_REPORT"))
      std::printf("pool growth %zu bytes, resident memory %+.0f bytes in 100,000 steps\n", watch.pool_growth(), watch.resident_slope());
  }
};

// A page or two that comes late weighs much in a short run, so short runs look at the pool, the bits and a gross leak.
constexpr double gross = 8.0 * (1 << 20), fine = 64.0 * (1 << 10);

TEST_F(Soak, TwentyThousandStepsTakeNothingMore) {
  Watch first, second;
  const std::vector<float> weights = train_xor(20'000, first);
  expect_flat(first, gross);
  EXPECT_EQ(train_xor(20'000, second), weights) << "other bits the second time";
}

TEST_F(Soak, AThousandEagerStepsTakeNothingMore) {
  Watch first, second;
  const std::vector<float> weights = train_eagerly(1'000, first);
  EXPECT_EQ(first.pool_growth(), 0U);
  EXPECT_EQ(train_eagerly(1'000, second), weights) << "other bits the second time";
}

TEST_F(Soak, SlowAMillionStepsTakeNothingMore) {
  Watch first, second;
  const std::vector<float> weights = train_xor(1'000'000, first);
  expect_flat(first, fine);
  EXPECT_EQ(train_xor(1'000'000, second), weights) << "other bits the second time";
}

TEST_F(Soak, SlowAHundredThousandEagerStepsTakeNothingMore) {
  Watch first, second;
  const std::vector<float> weights = train_eagerly(100'000, first);
  expect_flat(first, fine);
  EXPECT_EQ(train_eagerly(100'000, second), weights) << "other bits the second time";
}

}  // namespace
}  // namespace tidepool::stress
