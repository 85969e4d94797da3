// Chains of elementwise launches in plans: done piece by piece, with the same bits as one by one.
#include <gtest/gtest.h>
#include <tidepool/raw.h>
#include <tidepool/tidepool.h>

#include <functional>
#include <random>
#include <vector>

#include "device/plan.h"
#include "support/devices.h"

namespace tidepool::inline v0 {
namespace {

class Joining : public LibraryTest {};

std::vector<std::int64_t> joined(const Plan& plan) {  // for each chain, how many launches it has
  std::vector<std::int64_t> chains;
  for (const Launch& launch : PlanAccess::state(plan).lowered())
    if (launch.joined) chains.push_back(launch.joined + 1);
  return chains;
}

// What a plan of the function writes to `out` is what the function writes.
void expect_same(const Tensor& out, const std::function<void()>& function, const std::vector<std::int64_t>& chains) {
  function();
  const auto eager = out.to_host<float>();
  fill_(out, -1.0F);
  const Plan plan = capture([&] { tidy(function); });
  EXPECT_EQ(joined(plan), chains);
  for (int run = 0; run < 2; ++run) plan.run();
  EXPECT_EQ(out.to_host<float>(), eager);
}

TEST_F(Joining, GivesTheBitsOfLaunchesOneByOne) {
  manual_seed(3);
  for (const std::int64_t n : {8192, 8193, 10007, 32768, 100003, 262144}) {
    SCOPED_TRACE(n);
    const Tensor x = randn({n}), y = rand({n}), out = zeros({n});
    expect_same(out, [&] { copy_(out, tanh(relu(x * 2.0F + y) - square(y)) * sigmoid(x) / (1.0F + abs(x))); }, {12});
  }
}

TEST_F(Joining, TakesNoMemoryForWhatLivesWithinAChain) {
  const Tensor x = rand({1 << 18}), out = zeros({1 << 18});
  const std::size_t before = memory().reserved_bytes;
  const Plan plan = capture([&] { tidy([&] { copy_(out, sqrt(exp(sin(x * 3.0F) + 1.0F) * 2.0F)); }); });
  plan.run();
  EXPECT_EQ(joined(plan), (std::vector<std::int64_t>{7}));
  EXPECT_EQ(memory().reserved_bytes, before);
}

TEST_F(Joining, WritesWhatIsUsedLaterToMemory) {
  const Tensor x = rand({200, 100}), out = zeros({100}), held = zeros({200, 100});
  expect_same(out,
              [&] {
                const Tensor h = x * 2.0F + 1.0F;
                copy_(held, relu(h) - x);
                copy_(out, sum(h, 0) + sum(held, 0));  // h is needed beyond the chain
              },
              {5});
  EXPECT_FLOAT_EQ(held.slice(7, 8).reshape({100}).slice(3, 4).item(), x.slice(7, 8).reshape({100}).slice(3, 4).item() + 1.0F);
}

TEST_F(Joining, EndsWithASum) {
  manual_seed(4);
  for (const std::int64_t n : {8192, 10007, 262144, 1000003}) {  // in parts, the last of them shorter
    SCOPED_TRACE(n);
    const Tensor x = randn({n}), out = zeros({});
    expect_same(out, [&] { copy_(out, mean(square(x))); }, {2});
  }
  for (const std::int64_t row : {1, 7, 100, 1024}) {  // of rows
    SCOPED_TRACE(row);
    const Tensor x = randn({20000 / row, row}), out = zeros({20000 / row});
    expect_same(out, [&] { copy_(out, sum(exp(x) + 1.0F, 1)); }, {3});
  }
}

TEST_F(Joining, StopsWhereTheNextLaunchWantsOtherElements) {
  const std::int64_t n = 20000;
  const Tensor x = rand({n}), line = zeros({n + 1}), out = zeros({n});
  const Tensor front = line.slice(0, n), back = line.slice(1, n + 1);
  expect_same(out,
              [&] {
                raw::activation_bwd(Activation::relu, x, x, front);   // writes 0 … n - 1
                raw::activation_bwd(Activation::relu, back, x, out);  // reads 1 … n
              },
              {});
}

TEST_F(Joining, LeavesSmallWorkAlone) {
  const Tensor x = rand({1000}), out = zeros({1000});
  expect_same(out, [&] { copy_(out, x * 2.0F + 1.0F); }, {});
}

TEST_F(Joining, KeepsAChainOfManyTemporariesThatAllLive) {
  const Tensor x = rand({9000}), out = zeros({9000});
  expect_same(out,
              [&] {
                std::vector<Tensor> all;
                for (int i = 0; i < 40; ++i) all.push_back(x * static_cast<float>(i));
                Tensor total = all[0];
                for (int i = 1; i < 40; ++i) total = total + all[static_cast<std::size_t>(i)];
                copy_(out, total);
              },
              {80});
}

TEST_F(Joining, TellsWhatEachLaunchOfAChainTook) {
  const Tensor x = rand({1 << 18}), out = zeros({1 << 18});
  const Plan plan = capture([&] { tidy([&] { copy_(out, pow(x * 3.0F, 1.7F)); }); });
  double slow = 0, quick = 0;
  for (int tries = 0; tries < 10 && slow <= quick; ++tries) {  // another program may come in between
    monitor::enable();
    for (int run = 0; run < 3; ++run) plan.run();
    sync();
    for (const auto& kernel : monitor::snapshot().kernels) {
      if (kernel.name == "pow_scalar") slow = kernel.device_ms;
      if (kernel.name == "mul_scalar") quick = kernel.device_ms;
    }
    monitor::disable();
    EXPECT_GT(quick, 0);
  }
  EXPECT_GT(slow, quick);
}

}  // namespace
}  // namespace tidepool::inline v0
