// Optimizers against PyTorch's, their schedules, and what they do with plans and memory.
#include <tidepool/tidepool.h>

#include <cmath>
#include <limits>

#include "optim/state.h"
#include "support/broken_backend.h"
#include "support/devices.h"
#include "support/errors.h"

namespace tidepool::inline v0 {
namespace {

namespace reference {
#include "optim/reference.inc"
}  // namespace reference

std::vector<float> numbers(std::size_t count, std::uint32_t seed) {
  std::vector<float> values(count);
  for (float& value : values) {
    seed = seed * 1664525U + 1013904223U;
    value = static_cast<float>(seed >> 8) / 8388608.0F - 1.0F;
  }
  return values;
}

class Optimizers : public LibraryTest {
 protected:
  Tensor x = from_host(numbers(64, 1), {16, 4}), y = from_host(numbers(16, 2), {16, 1});
  std::vector<Tensor> parameters{from_host(numbers(32, 3), {8, 4}).requires_grad(), from_host(numbers(8, 4), {8}).requires_grad(),
                                 from_host(numbers(8, 5), {1, 8}).requires_grad(), from_host(numbers(1, 6), {1}).requires_grad()};

  void TearDown() override {
    parameters.clear();
    x = y = {};
    LibraryTest::TearDown();
  }
  void backward() const {
    tidy([&] {
      const Tensor hidden = tanh(linear(x, parameters[0], parameters[1]));
      mse_loss(linear(hidden, parameters[2], parameters[3]), y).backward();
    });
  }
  std::vector<float> values() const {
    std::vector<float> all;
    for (const Tensor& parameter : parameters)
      for (const float value : parameter.to_host<float>()) all.push_back(value);
    return all;
  }
  void expect_after_200_steps(optim::Optimizer& opt, const std::vector<float>& wanted) const {
    const Plan plan = capture([&] {
      opt.zero_grad();
      backward();
      opt.step();
    });
    for (int step = 0; step < 200; ++step) plan.run();
    const std::vector<float> got = values();
    ASSERT_EQ(got.size(), wanted.size());
    double largest = 0, worst = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
      largest = std::max(largest, std::abs(static_cast<double>(wanted[i])));
      worst = std::max(worst, std::abs(static_cast<double>(got[i]) - static_cast<double>(wanted[i])));
    }
    EXPECT_LE(worst / largest, 1e-5);
    EXPECT_EQ(opt.steps(), 200);
  }
};

TEST_F(Optimizers, AdamAgreesWithPyTorch) {
  optim::Adam opt(parameters, {.lr = 1e-2});
  expect_after_200_steps(opt, reference::adam);
}
TEST_F(Optimizers, AdamWithDecayAgreesWithPyTorch) {
  optim::Adam opt(parameters, {.lr = 1e-2, .weight_decay = 0.05});
  expect_after_200_steps(opt, reference::adam_decay);
}
TEST_F(Optimizers, AdamWAgreesWithPyTorch) {
  optim::AdamW opt(parameters, {.lr = 1e-2, .weight_decay = 0.1});
  expect_after_200_steps(opt, reference::adamw);
}
TEST_F(Optimizers, SgdAgreesWithPyTorch) {
  optim::SGD opt(parameters, {.lr = 5e-2, .weight_decay = 0.01});
  expect_after_200_steps(opt, reference::sgd);
}
TEST_F(Optimizers, MomentumAgreesWithPyTorch) {
  optim::SGD opt(parameters, {.lr = 1e-2, .momentum = 0.9});
  expect_after_200_steps(opt, reference::momentum);
}
TEST_F(Optimizers, NesterovAgreesWithPyTorch) {
  optim::SGD opt(parameters, {.lr = 1e-2, .momentum = 0.9, .nesterov = true});
  expect_after_200_steps(opt, reference::nesterov);
}
TEST_F(Optimizers, RmspropAgreesWithPyTorch) {
  optim::RMSprop opt(parameters, {.lr = 1e-3, .alpha = 0.95, .momentum = 0.5});
  expect_after_200_steps(opt, reference::rmsprop);
}

TEST_F(Optimizers, OneLaunchServesAllParameters) {
  optim::SGD opt(parameters);
  const Plan plan = capture([&] { opt.step(); });
  EXPECT_EQ(plan.launches(), 2) << "one that counts the step, one that updates";
}

TEST_F(Optimizers, APlanSeesTheRateThatIsSetLater) {
  optim::SGD opt(parameters, {.lr = 0});
  backward();
  const Plan plan = capture([&] { opt.step(); });
  const auto before = values();
  plan.run();
  EXPECT_EQ(values(), before);
  opt.set_lr(0.5);
  plan.run();
  EXPECT_NE(values(), before);
}

TEST_F(Optimizers, TwoMayTakeTheSameParametersInTurn) {
  optim::SGD first(parameters, {.lr = 0.1}), second(parameters, {.lr = 0.1});
  for (int i = 0; i < 3; ++i) {
    first.zero_grad();
    backward();
    const auto before = values();
    first.step();
    const auto between = values();
    second.step();
    const auto after = values();
    for (std::size_t at = 0; at < before.size(); ++at) EXPECT_NEAR(after[at] - between[at], between[at] - before[at], 1e-6F);
  }
}

TEST_F(Optimizers, GoOnWhereAGradientWasReleased) {
  optim::SGD opt(parameters, {.lr = 0.1});
  const auto step = [&] {
    opt.zero_grad();
    backward();
    opt.step();
  };
  step();
  const auto before = values();
  for (const Tensor& parameter : parameters) parameter.grad().release();
  opt.step();
  EXPECT_EQ(values(), before) << "the new gradients are zero";
  parameters[0].grad().release();
  step();
  EXPECT_NE(parameters[0].to_host<float>(), std::vector<float>(before.begin(), before.begin() + 32));
}

TEST_F(Optimizers, MadeAnewAfterALossHaveAGradientWhereOneWasReleased) {
  optim::SGD opt(parameters);
  parameters[0].grad().release();
  optim::OptimizerAccess::state(opt).remake(default_device());
  for (const Tensor& parameter : parameters)
    EXPECT_EQ(parameter.grad().to_host<float>(), std::vector<float>(static_cast<std::size_t>(parameter.numel()), 0.0F));
  backward();
  opt.step();
}

TEST_F(Optimizers, MomentsMoveTogetherOrNotAtAll) {
  nn::Linear net(512, 512);
  optim::Adam opt(net.parameters());
  sum(square(net(ones({1, 512})))).backward();
  opt.step();
  const auto moments = [&] {
    std::vector<std::vector<float>> all;
    for (const char* name : {"mean", "square"})
      for (const auto& [known, tensor] : opt.state())
        if (known == name) all.push_back(tensor.to_host<float>());
    return all;
  };
  const auto devices = [&] {
    std::vector<std::string> all;
    for (const auto& [known, tensor] : opt.state()) all.push_back(tensor.device().id());
    return all;
  };
  const auto before = moments();
  int flat_blocks = 0, most = 3;  // the weights, the gradients, the first moment
  open_broken_backend({.refuses = [&](std::size_t bytes) { return bytes > 1_MiB && ++flat_blocks > most; }});
  net.to(device("null"));
  EXPECT_THROW(opt.step(), OutOfMemory);
  EXPECT_EQ(devices(), std::vector<std::string>(3, "cpu"));
  EXPECT_THROW(opt.step(), OutOfMemory) << "they are still elsewhere";
  most = 1000;
  opt.step();
  EXPECT_EQ(devices(), std::vector<std::string>(3, "null"));
  EXPECT_EQ(moments(), before) << "null computes nothing";
  reopen_null({});  // before what the broken one counts with is gone
}

TEST_F(Optimizers, GradientsAreClippedToTheirCommonNorm) {
  optim::SGD opt(parameters);
  backward();
  const auto norm_of = [&] {
    double square = 0;
    for (const Tensor& parameter : parameters)
      for (const float g : parameter.grad().to_host<float>()) square += static_cast<double>(g) * static_cast<double>(g);
    return std::sqrt(square);
  };
  const double before = norm_of();
  ASSERT_GT(before, 0.1);
  EXPECT_NEAR(optim::clip_grad_norm(parameters, 0.1).item(), before, 1e-5);
  EXPECT_NEAR(norm_of(), 0.1, 1e-5);
  optim::clip_grad_norm(parameters, 10);
  EXPECT_NEAR(norm_of(), 0.1, 1e-5) << "smaller ones stay";
}

TEST_F(Optimizers, ClippingCountsAndScalesAParameterThatIsGivenTwiceOnce) {
  const Tensor w = tensor({1, 1}, {2}).requires_grad();
  sum(w * tensor({3, 4}, {2})).backward();
  EXPECT_NEAR(optim::clip_grad_norm({w, w}, 1).item(), 5.0, 1e-5);
  const auto clipped = w.grad().to_host<float>();
  EXPECT_NEAR(clipped[0], 0.6F, 1e-5F);
  EXPECT_NEAR(clipped[1], 0.8F, 1e-5F);
}

TEST_F(Optimizers, TakeOnlyWhatTrainsAndLeaveWhatIsFrozenAsItIs) {
  const nn::Sequential net{nn::Linear(4, 3), nn::Linear(3, 1)};
  for (const Tensor& parameter : net[0].parameters()) parameter.requires_grad(false);
  EXPECT_HAS(message_of<ArgumentError>([&] { optim::SGD opt(net.parameters()); }), "leave it out where it is frozen");
  const auto frozen = net.parameters()[0].to_host<float>(), trained = net.parameters()[2].to_host<float>();
  optim::SGD opt(net[1].parameters(), {.lr = 0.1, .weight_decay = 0.1});
  nn::Sequential same = net;
  mse_loss(same(x), y).backward();
  opt.step();
  EXPECT_EQ(net.parameters()[0].to_host<float>(), frozen);
  EXPECT_NE(net.parameters()[2].to_host<float>(), trained);
}

TEST_F(Optimizers, SchedulesFollowTheStep) {
  optim::SGD opt(parameters, {.lr = 0.2});
  optim::StepSchedule stairs(opt, {.steps = 2, .gamma = 0.5});
  std::vector<double> rates;
  for (int i = 0; i < 5; ++i) {
    rates.push_back(opt.lr());
    stairs.step();
  }
  EXPECT_EQ(rates, (std::vector<double>{0.2, 0.2, 0.1, 0.1, 0.05}));
  opt.set_lr(1);
  optim::CosineSchedule cosine(opt, {.steps = 10, .warmup = 2, .last = 0.1});
  EXPECT_DOUBLE_EQ(opt.lr(), 0.5);
  cosine.step();
  EXPECT_DOUBLE_EQ(opt.lr(), 1);
  cosine.set(6);
  EXPECT_DOUBLE_EQ(opt.lr(), 0.55);
  cosine.set(100);
  EXPECT_DOUBLE_EQ(opt.lr(), 0.1);
}

TEST_F(Optimizers, ARateThatCannotBeSetIsNotSaidToBe) {
  optim::SGD opt(parameters, {.lr = 0.2});
  capture([&] {
    opt.zero_grad();
    EXPECT_THROW(opt.set_lr(0.1), Error);
  });
  EXPECT_DOUBLE_EQ(opt.lr(), 0.2);
  opt.set_lr(0.1);
  EXPECT_DOUBLE_EQ(opt.lr(), 0.1);
}

TEST_F(Optimizers, WrongOptionsAreNamed) {
  EXPECT_EQ(message_of<ArgumentError>([&] { optim::Adam(parameters, {.beta1 = 1}); }),
            "Adam: beta1 is 1; wanted 0 or more and less than 1");
  EXPECT_EQ(message_of<ArgumentError>([&] { optim::SGD(parameters, {.lr = -1}); }), "SGD: lr is -1; wanted 0 or more");
  EXPECT_EQ(message_of<ArgumentError>([&] { optim::SGD(parameters, {.nesterov = true}); }),
            "SGD: nesterov is set, and momentum is 0; wanted more");
  EXPECT_EQ(message_of<ArgumentError>([&] { optim::clip_grad_norm(parameters, 0); }), "clip_grad_norm: the norm is 0; wanted more than 0");
}

class OptimizersEverywhere : public OnEveryDevice {
 protected:
  // After a gradient of infinity and weights as they were, a step with a gradient of 1.
  static std::vector<float> after_a_bad_gradient(const Tensor& w, optim::Optimizer& opt) {
    const std::vector<float> before = w.to_host<float>();
    for (const float slope : {std::numeric_limits<float>::infinity(), 1.0F}) {
      w.detach().copy_from(before);
      opt.zero_grad();
      sum(w * slope).backward();
      opt.step();
    }
    return w.to_host<float>();
  }
};

TEST_P(OptimizersEverywhere, ForgetABadGradientWithoutMomentum) {
  const Tensor w = tensor({1, 2, 3}, {3}).requires_grad();
  optim::SGD sgd({w}, {.lr = 0.5});
  EXPECT_EQ(after_a_bad_gradient(w, sgd), (std::vector<float>{0.5F, 1.5F, 2.5F}));
  w.detach().copy_from(std::vector<float>{1, 2, 3});
  optim::RMSprop rmsprop({w}, {.lr = 0.5});
  EXPECT_EQ(after_a_bad_gradient(w, rmsprop), (std::vector<float>{1, 2, 3})) << "squares stay infinite, as in PyTorch";
}
TEST_P(OptimizersEverywhere, KeepABadGradientInTheirMomentum) {
  const Tensor w = tensor({1, 2, 3}, {3}).requires_grad();
  optim::SGD sgd({w}, {.lr = 0.5, .momentum = 0.5});
  for (const float weight : after_a_bad_gradient(w, sgd)) EXPECT_EQ(weight, -std::numeric_limits<float>::infinity());
}
INSTANTIATE_TEST_SUITE_P(On, OptimizersEverywhere, devices_that_compute(), device_name);

}  // namespace
}  // namespace tidepool::inline v0
