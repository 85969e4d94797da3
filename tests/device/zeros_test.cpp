// Zeros that a plan would only add to are never written.
#include <gtest/gtest.h>
#include <tidepool/tidepool.h>

#include <string>
#include <vector>

#include "device/plan.h"
#include "support/devices.h"

namespace tidepool::inline v0 {
namespace {

class Zeros : public OnEveryDevice {};
INSTANTIATE_TEST_SUITE_P(On, Zeros, devices_that_compute(), device_name);

std::int64_t count(const Plan& plan, const std::string& kernel) {
  std::int64_t found = 0;
  for (const Launch& launch : PlanAccess::state(plan).lowered()) found += launch.kernel->name == kernel ? 1 : 0;
  return found;
}

struct Network {
  nn::Sequential net{nn::Linear(6, 5), nn::Tanh(), nn::Linear(5, 3)};
  optim::Adam opt{net.parameters(), {.lr = 0.1}};
  Tensor x = rand({4, 6});
  void backward() { sum(square(net(x))).backward(); }
};

TEST_P(Zeros, OfGradientsAreNotWrittenAndNothingIsAddedToThem) {
  manual_seed(1);
  Network n;
  n.backward();  // gradients are there now
  n.opt.zero_grad();
  n.backward();
  std::vector<std::vector<float>> eager;
  for (const Tensor& p : n.net.parameters()) eager.push_back(p.grad().to_host<float>());
  const Plan plan = capture([&] {
    tidy([&] {
      n.opt.zero_grad();
      n.backward();
    });
  });
  EXPECT_EQ(count(plan, "fill"), 1);  // the seed of the backward pass
  EXPECT_EQ(count(plan, "add"), 0);
  for (int run = 0; run < 3; ++run) {
    for (const Tensor& p : n.net.parameters()) fill_(p.grad(), 9.0F);
    plan.run();
    for (std::size_t i = 0; i < eager.size(); ++i) EXPECT_EQ(n.net.parameters()[i].grad().to_host<float>(), eager[i]) << i;
  }
}

TEST_P(Zeros, AreAddedToFromTheSecondTimeOn) {
  manual_seed(2);
  Network n;
  n.backward();
  n.opt.zero_grad();
  n.backward();
  n.backward();
  std::vector<std::vector<float>> eager;
  for (const Tensor& p : n.net.parameters()) eager.push_back(p.grad().to_host<float>());
  const Plan plan = capture([&] {
    tidy([&] {
      n.opt.zero_grad();
      n.backward();
      n.backward();
    });
  });
  EXPECT_EQ(count(plan, "add"), 4);
  plan.run();
  for (std::size_t i = 0; i < eager.size(); ++i) EXPECT_EQ(n.net.parameters()[i].grad().to_host<float>(), eager[i]) << i;
}

TEST_P(Zeros, StayWhereSomebodyReadsThem) {
  const Tensor total = ones({1000}), seen = ones({1000}), x = rand({1000});
  const Plan plan = capture([&] {
    tidy([&] {
      zero_(total);
      copy_(seen, total);
      copy_(total, total + x * 2.0F);
    });
  });
  plan.run();
  expect_all(seen, 0.0F);
  EXPECT_EQ(total.to_host<float>(), (x * 2.0F).to_host<float>());
}

TEST_P(Zeros, StayWhereOnlyAPartIsAddedTo) {
  manual_seed(3);
  Network n;
  n.backward();
  const Plan plan = capture([&] {
    tidy([&] {
      n.opt.zero_grad();
      sum(square(n.net[0](n.x))).backward();  // the second layer gets nothing
    });
  });
  for (const Tensor& p : n.net.parameters()) fill_(p.grad(), 9.0F);
  plan.run();
  const auto parameters = n.net.parameters();
  expect_all(parameters[2].grad(), 0.0F);
  expect_all(parameters[3].grad(), 0.0F);
  const auto planned = parameters[0].grad().to_host<float>();
  n.opt.zero_grad();
  sum(square(n.net[0](n.x))).backward();
  EXPECT_EQ(planned, parameters[0].grad().to_host<float>());
}

}  // namespace
}  // namespace tidepool::inline v0
