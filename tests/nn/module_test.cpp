// Modules: names, sharing and cloning, moving, and what layers compute.
#include <tidepool/tidepool.h>

#include <cmath>

#include "support/devices.h"
#include "support/errors.h"

namespace tidepool::inline v0 {
namespace {

using namespace nn;

class Modules : public LibraryTest {};

std::vector<std::string> names_of(const NamedTensors& tensors) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : tensors) names.push_back(name);
  return names;
}

// A layer of one's own, as module.h shows it.
struct Gate : Module {
  Linear inner = module("inner", Linear(4, 4));
  Parameter scale = parameter("scale", ones({4}));
  Parameter count = buffer("count", zeros({1}));
  Tensor forward(const Tensor& x) override { return x * sigmoid(inner(x)) * scale; }
  std::string kind() const override { return "Gate"; }
};

Sequential small_net() { return Sequential{Linear(3, 4), Tanh(), Gate(), BatchNorm2d(4), Linear(4, 2, {.bias = false})}; }

TEST_F(Modules, NameTheirTensorsAsPyTorchDoes) {
  const Sequential net = small_net();
  EXPECT_EQ(names_of(net.named_parameters()), (std::vector<std::string>{"0.weight", "0.bias", "2.scale", "2.inner.weight", "2.inner.bias",
                                                                        "3.weight", "3.bias", "4.weight"}));
  EXPECT_EQ(names_of(net.named_buffers()), (std::vector<std::string>{"2.count", "3.running_mean", "3.running_var"}));
  EXPECT_EQ(net.parameters().size(), 8U);
}

TEST_F(Modules, CopiesShareTheirParametersAndClonesDoNot) {
  Sequential net{Linear(3, 4), ReLU(), Gate()};
  const Tensor x = randn({5, 3});
  Sequential shared = net, own = net.clone();
  const auto before = net(x).to_host<float>();
  EXPECT_EQ(own(x).to_host<float>(), before);
  {
    const NoGrad guard;
    for (const Tensor& parameter : net.parameters()) fill_(parameter, 0.25F);
  }
  const auto after = net(x).to_host<float>();
  EXPECT_NE(after, before);
  EXPECT_EQ(shared(x).to_host<float>(), after);
  EXPECT_EQ(own(x).to_host<float>(), before) << "a layer of one's own and its parts are cloned too";
  EXPECT_TRUE(own.parameters()[0].wants_grad());
}

TEST_F(Modules, ThatAreConstComputeLikeThoseThatAreNot) {
  Sequential net{Linear(3, 4), Gate()};
  const Sequential& same = net;
  const auto captured = [net](const Tensor& x) { return net(x); };
  const Tensor x = randn({5, 3});
  EXPECT_EQ(same(x).to_host<float>(), net(x).to_host<float>());
  EXPECT_EQ(captured(x).to_host<float>(), net(x).to_host<float>());
  EXPECT_EQ(same.summary({1, 3}), net.summary({1, 3}));
}

// By the operators that are found for it, not by its name.
struct Line : Module {
  Parameter slope = parameter("slope", full({1}, 3)), offset = parameter("offset", full({1}, 4));
  Tensor forward(const Tensor& x) override { return slope * x + offset * 2.0F - 1.0F / offset + -slope * slope; }
};

TEST_F(Modules, ParametersCalculateAsTensorsDo) { EXPECT_FLOAT_EQ(Line()(full({1}, 2)).item(), 6 + 8 - 0.25F - 9); }

TEST_F(Modules, ClonesAreFrozenWhereTheOriginalIs) {
  const Sequential net{Linear(3, 4), ReLU(), Linear(4, 2)};
  for (const Tensor& parameter : net[0].parameters()) parameter.requires_grad(false);
  const auto trained = [](const Module& module) {
    std::vector<bool> all;
    for (const Tensor& parameter : module.parameters()) all.push_back(parameter.wants_grad());
    return all;
  };
  EXPECT_EQ(trained(net.clone()), (std::vector<bool>{false, false, true, true}));
  for (const Tensor& parameter : net[0].parameters()) parameter.requires_grad();
  EXPECT_EQ(trained(net.clone()), std::vector<bool>(4, true));
}

// As where a network's last layer reads words with the weights that its first one wrote them with.
struct Tied : Module {
  explicit Tied(const Tensor& shared) : weight(parameter("weight", shared)), mean(buffer("mean", zeros({3}))) {}
  Parameter weight, mean;
  Tensor forward(const Tensor& x) override { return matmul(x, weight); }
};
struct TiedNet : Module {
  Tied first = module("first", Tied(full({3, 3}, 2.0F)));
  Tied second = module("second", Tied(first.weight));
  Tensor forward(const Tensor& x) override { return second(first(x)); }
};

TEST_F(Modules, OneTensorInTwoPartsIsOneParameterWithTwoNames) {
  TiedNet net;
  EXPECT_EQ(net.parameters().size(), 1U);
  EXPECT_EQ(names_of(net.named_parameters()), (std::vector<std::string>{"first.weight", "second.weight"}));
  const std::string text = net.summary({1, 3});
  EXPECT_HAS(text, "\n9 parameters (36 B), 6 numbers");
  EXPECT_HAS(text, "second  Module  [1, 3]           3    12 B");
}

TEST_F(Modules, OneTensorInTwoPartsIsOneInTheirCloneToo) {
  const TiedNet net;
  TiedNet own = clone(net);
  EXPECT_EQ(own.parameters().size(), 1U);
  EXPECT_EQ(own.first.weight.tensor().node(), own.second.weight.tensor().node());
  EXPECT_NE(own.first.weight.tensor().node(), net.first.weight.tensor().node());
  sum(own(ones({1, 3}))).backward();
  optim::SGD(own.parameters(), {.lr = 0.1}).step();
  EXPECT_EQ(own.first.weight.tensor().to_host<float>(), own.second.weight.tensor().to_host<float>());
  EXPECT_EQ(net.first.weight.tensor().to_host<float>(), std::vector<float>(9, 2.0F));
}

TEST_F(Modules, TrainAndEvalReachEveryPart) {
  Sequential net{Dropout(0.5), Residual{Linear(4, 4), Dropout(0.5)}};
  const Tensor x = ones({100, 4});
  EXPECT_TRUE(net.training());
  EXPECT_NE(net(x).to_host<float>(), net(x).to_host<float>());
  net.eval();
  EXPECT_EQ(net(x).to_host<float>(), net(x).to_host<float>());
  EXPECT_FALSE(net[1].training());
}

TEST_F(Modules, BeginAsPyTorchsDo) {
  manual_seed(3);
  const Conv2d conv(4, 64, {.kernel = 3});
  const float limit = 1.0F / std::sqrt(4.0F * 9.0F);
  double square = 0;
  const auto values = conv.weight.tensor().to_host<float>();
  for (const float value : values) {
    EXPECT_LE(std::abs(value), limit);
    square += static_cast<double>(value) * static_cast<double>(value);
  }
  EXPECT_NEAR(std::sqrt(square / static_cast<double>(values.size())), limit / std::sqrt(3.0), limit * 0.03) << "evenly distributed";
  EXPECT_EQ(conv.bias.tensor().shape(), (Shape{64}));
  for (const float value : conv.bias.tensor().to_host<float>()) EXPECT_LE(std::abs(value), limit);
  const BatchNorm2d norm(3);
  EXPECT_EQ(norm.running_var.tensor().to_host<float>(), (std::vector<float>{1, 1, 1}));
}

TEST_F(Modules, JoinAnActivationWithTheLayerBeforeItWithoutAChange) {
  manual_seed(1);
  const Tensor x = randn({6, 2, 8, 8});
  Sequential net{Conv2d(2, 3, {.kernel = 3, .padding = 1}), ReLU(), MaxPool2d(2), Flatten(), Linear(48, 7), GELU(), Linear(7, 2), Tanh()};
  Tensor y = x;
  for (std::int64_t i = 0; i < net.size(); ++i) y = net[i](y);  // one by one
  const Tensor joined = net(x);
  EXPECT_EQ(joined.to_host<float>(), y.to_host<float>());
  sum(y).backward();
  std::vector<std::vector<float>> gradients;
  for (const Tensor& parameter : net.parameters()) {
    gradients.push_back(parameter.grad().to_host<float>());
    parameter.zero_grad();
  }
  sum(joined).backward();
  for (std::size_t i = 0; i < gradients.size(); ++i) EXPECT_EQ(net.parameters()[i].grad().to_host<float>(), gradients[i]) << i;
}

TEST_F(Modules, PoolFirstWhereAReluBeforeItGivesTheSame) {
  manual_seed(1);
  Sequential net{Conv2d(2, 3, {.kernel = 3, .padding = 1}), ReLU(), MaxPool2d(2)};
  const Tensor x = randn({6, 2, 8, 8});
  const Plan plan = capture([&] { net(x); });
  EXPECT_EQ(plan.launches(), 2);
}

TEST_F(Modules, MoveToAnotherDeviceWithEveryHandle) {
  SKIP_WITHOUT_DEVICE("vulkan:0");
  Sequential net{Linear(3, 2)};
  const Tensor weight = net.parameters()[0];
  const auto values = weight.to_host<float>();
  optim::Adam opt(net.parameters(), {.lr = 0.1});
  sum(net(ones({1, 3}))).backward();
  opt.step();
  const auto stepped = weight.to_host<float>();
  EXPECT_NE(stepped, values);
  net.to(device("vulkan:0"));
  EXPECT_EQ(weight.device().id(), "vulkan:0");
  EXPECT_EQ(weight.to_host<float>(), stepped);
  opt.step();  // with the gradient and the moments that it had
  const auto there = weight.to_host<float>();
  net.to(device("cpu"));
  EXPECT_EQ(weight.to_host<float>(), there);
  EXPECT_EQ(opt.steps(), 2);
  for (std::size_t i = 0; i < there.size(); ++i) EXPECT_NEAR(there[i], values[i] - 0.2F, 1e-5F);
}

TEST_F(Modules, StayWhereTheyAreWhenTheOtherDeviceHasNoRoomForAll) {
  Sequential net{Linear(64, 64), Linear(64, 64), Linear(64, 64)};
  sum(net(ones({1, 64}))).backward();
  const auto home_of_all = [&] {
    std::vector<std::string> homes;
    for (const Tensor& parameter : net.parameters()) {
      homes.push_back(parameter.device().id());
      homes.push_back(parameter.grad().device().id());
    }
    return homes;
  };
  configure({.memory_limit = 64 << 10});  // of some 100 KiB
  EXPECT_THROW(net.to(device("null")), OutOfMemory);
  EXPECT_EQ(home_of_all(), std::vector<std::string>(12, "cpu"));
  EXPECT_EQ(memory(device("null")).live_bytes, 0U);
  configure({.memory_limit = 0});
  net.to(device("null"));
  EXPECT_EQ(home_of_all(), std::vector<std::string>(12, "null"));
}

TEST_F(Modules, SayWhatTheyAreMadeOf) {
  Sequential net{Conv2d(1, 32, {.kernel = 3, .padding = 1}), ReLU(), MaxPool2d(2), Flatten(), Linear(6272, 10)};
  const std::string text = net.summary({1, 1, 28, 28});
  EXPECT_NE(text.find("[1, 32, 28, 28]"), std::string::npos) << text;
  EXPECT_NE(text.find("62,730"), std::string::npos) << text;
  EXPECT_NE(text.find("63,050 parameters"), std::string::npos) << text;
  EXPECT_TRUE(net.training()) << "as it was";
  Sequential words{Embedding(10, 4), Linear(4, 2)};
  EXPECT_NE(words.summary({3}).find("[3, 4]"), std::string::npos);
}

TEST_F(Modules, CountTheMemoryOfWhatTheyHoldByItsType) {
  struct Masked : Module {
    Parameter mask = buffer("mask", ones({1024}, {.dtype = DType::u8}));
    Tensor forward(const Tensor& x) override { return x; }
  };
  const std::string text = Sequential{Masked()}.summary({1, 4});
  EXPECT_NE(text.find("1,024   1 KiB"), std::string::npos) << text;
}

TEST_F(Modules, APartThatWasPutIntoEvalStaysThereWhenTheNetworkIsLookedAt) {
  Sequential net{Linear(4, 4), Dropout(0.5), Linear(4, 2)};
  net[1].eval();
  net.summary({1, 4});
  EXPECT_TRUE(net.training() && net[2].training());
  EXPECT_FALSE(net[1].training());
  EXPECT_THROW(net.summary({1, 5}), ShapeError);
  EXPECT_TRUE(net.training());
  EXPECT_FALSE(net[1].training()) << "after an error too";
}

TEST_F(Modules, APartInTwoPlacesHasItsParametersOnce) {
  const Linear shared(4, 4);
  Sequential net{shared, ReLU(), shared};
  EXPECT_EQ(net.parameters().size(), 2U);
  optim::SGD opt(net.parameters(), {.lr = 1});
  sum(net(ones({2, 4}))).backward();
  opt.step();
  EXPECT_EQ(opt.steps(), 1);
}

TEST_F(Modules, AWrongInputSaysInWhichLayerItWasNoticed) {
  Sequential net{Linear(4, 8), ReLU(), Linear(9, 2)};
  EXPECT_EQ(message_of<ShapeError>([&] {
              net(ones({1, 4}));
            }),
            "linear: inner sizes differ: x [1, 8] and w [2, 9]; wanted x [n, in] and w [out, in] (in layer 2, Linear)");
  EXPECT_HAS(message_of<ShapeError>([&] { net(ones({1, 5})); }), "(in layer 0, Linear)");
  Sequential pictures{Conv2d(1, 2), ReLU(), MaxPool2d(8)};
  EXPECT_HAS(message_of<ShapeError>([&] { pictures(ones({1, 1, 8, 8})); }), "(in layer 2, MaxPool2d)");
  Sequential outer{Residual(Linear(4, 3))};
  EXPECT_HAS(message_of<ShapeError>([&] { outer(ones({1, 4})); }), "(in layer 0, Residual)");
  Sequential words{Embedding(10, 4)};
  EXPECT_HAS(message_of<DTypeError>([&] { words(ones({2})); }), "wanted i32 (in layer 0, Embedding)");
  EXPECT_EQ(message_of<ArgumentError>([&] { net[3]; }), "Sequential: there is no layer 3; it has 3, counted from 0");
}

TEST_F(Modules, WrongSizesAreNamed) {
  EXPECT_EQ(message_of<ArgumentError>([] { Linear(0, 3); }), "Linear: in is 0; wanted 1 or more");
  EXPECT_EQ(message_of<ArgumentError>([] { Conv2d(3, 4, {.groups = 2}); }), "Conv2d: 3 and 4 channels do not divide into 2 groups");
  EXPECT_EQ(message_of<ArgumentError>([] { Dropout(1.5); }), "Dropout: p is 1.5; wanted 0 to 1");
  EXPECT_EQ(message_of<ArgumentError>([] { optim::Adam({ones({2})}); }),
            "Adam: a tensor of shape [2] is no parameter; mark it with requires_grad(), or leave it out where it is frozen");
  EXPECT_EQ(message_of<ArgumentError>([] { optim::Adam(std::vector<Tensor>()); }), "Adam: got no parameters; give it net.parameters()");
}

}  // namespace
}  // namespace tidepool::inline v0
