// Models in files: PyTorch's, ours, and those that are neither.
#include <fstream>
#include <limits>

#include "support/errors.h"
#include "train/small_run.h"

namespace tidepool::inline v0 {
namespace {

class ModelFile : public TrainTest {
 protected:
  // The network of golden/make.py.
  static nn::Sequential pytorchs() {
    return nn::Sequential{nn::Conv2d(2, 4, {.kernel = 3, .padding = 1}),         nn::BatchNorm2d(4), nn::ReLU(),         nn::MaxPool2d(2),
                          nn::ConvTranspose2d(4, 3, {.kernel = 2, .stride = 2}), nn::Flatten(),      nn::Linear(108, 5), nn::LayerNorm(5)};
  }
  static Tensor input() {
    std::vector<float> values;
    for (int i = 0; i < 144; ++i) values.push_back(static_cast<float>(i * 37 % 101) / 64.0F - 0.75F);
    return from_host(values, {2, 2, 6, 6});
  }
  static std::string golden(const std::string& name) { return TIDEPOOL_SOURCE_DIR "/tests/train/golden/" + name; }
};

const std::vector<float> pytorch_says{
#include "train/golden/model.inc"
};

TEST_F(ModelFile, AStateDictOfPyTorchLoadsAndSaysTheSame) {
  for (const char* name : {"model.safetensors", "model_bf16.safetensors"}) {
    nn::Sequential net = pytorchs();
    load(net, golden(name));
    net.eval();
    const NoGrad guard;
    const auto said = net(input()).to_host<float>();
    ASSERT_EQ(said.size(), pytorch_says.size());
    for (std::size_t i = 0; i < said.size(); ++i) EXPECT_NEAR(said[i], pytorch_says[i], 2e-6F) << name << ", " << i;
  }
}

TEST_F(ModelFile, WhatIsSavedLoadsBitByBit) {
  SmallRun run({.epochs = 1, .batch = 16}), other({}, 3);
  run.trainer.fit(two_classes());
  save(run.net, path("net.safetensors"));
  load(other.net, path("net.safetensors"));
  const Tensor x = rand({3, 1, 8, 8});
  run.net.eval();
  other.net.eval();
  EXPECT_EQ(other.net(x).to_host<float>(), run.net(x).to_host<float>());
}

TEST_F(ModelFile, BuffersOfEveryTypeAreSavedAndLoaded) {
  const EveryType net(7);
  EveryType other;
  save(net, path("net.safetensors"));
  load(other, path("net.safetensors"));
  const nn::NamedTensors loaded = other.named_buffers();
  ASSERT_EQ(loaded.size(), 3U);
  EXPECT_EQ(loaded[0].second.to_host<std::int32_t>(), (std::vector<std::int32_t>{7, 7}));
  EXPECT_EQ(loaded[1].second.to_host<std::uint8_t>(), (std::vector<std::uint8_t>{7, 7, 7}));
  EXPECT_EQ(loaded[2].second.to_host<float>(), (std::vector<float>{0.875F, 0.875F}));
  EXPECT_EQ(other.parameters()[0].to_host<float>(), net.parameters()[0].to_host<float>());
}

TEST_F(ModelFile, NumbersThatDoNotFitABuffersTypeChangeNothing) {
  struct Odd : nn::Module {
    Odd(const Tensor& count, const Tensor& flags, const Tensor& small) {
      buffer("count", count);
      buffer("flags", flags);
      buffer("small", small);
    }
    Tensor forward(const Tensor& x) override { return inner(x); }
    nn::Linear inner = module("inner", nn::Linear(64, 2));
  };
  EveryType net;
  const auto before = net.parameters()[0].to_host<float>();
  const std::string file = path("odd.safetensors");
  const auto message = [&](const Odd& odd) {
    save(odd, file);
    const std::string said = message_of<IoError>([&] { load(net, file); });
    EXPECT_EQ(net.parameters()[0].to_host<float>(), before);
    return said;
  };
  const Tensor one = ones({2}, {.dtype = DType::i32}), two = ones({3}, {.dtype = DType::u8}), three = ones({2});
  const auto whole = [](std::int32_t value) { return full({3}, static_cast<float>(value), {.dtype = DType::i32}); };
  EXPECT_EQ(message({one, whole(256), three}), "load: " + file + ": 'flags' has 256, which does not fit into the network's u8");
  EXPECT_EQ(message({one, whole(-1), three}), "load: " + file + ": 'flags' has -1, which does not fit into the network's u8");
  EXPECT_EQ(message({one, two, full({2}, 70000.0F)}), "load: " + file + ": 'small' has 70000, which does not fit into the network's f16");
  EXPECT_HAS(message({three, two, three}), ": key 'count': is F32; wanted I32, I64, I16, I8, U8 or BOOL");
  save(Odd(two.slice(0, 2), whole(255), full({2}, std::numeric_limits<float>::infinity())), file);
  load(net, file);  // other types, whose numbers fit
  EXPECT_EQ(net.named_buffers()[0].second.to_host<std::int32_t>(), (std::vector<std::int32_t>{1, 1}));
  EXPECT_EQ(net.named_buffers()[1].second.to_host<std::uint8_t>(), (std::vector<std::uint8_t>{255, 255, 255}));
}

TEST_F(ModelFile, AFileThatDoesNotFitChangesNothing) {
  SmallRun run;
  const auto before = run.bits();
  const auto message = [&](const std::string& file) { return message_of<IoError>([&] { load(run.net, file); }); };
  EXPECT_EQ(message(golden("model.safetensors")), "load: " + golden("model.safetensors") + ": has '4.bias' [3], which the network has not");
  nn::Sequential other{nn::Conv2d(1, 4, {.kernel = 5, .padding = 2}),
                       nn::BatchNorm2d(4),
                       nn::ReLU(),
                       nn::MaxPool2d(2),
                       nn::Flatten(),
                       nn::Dropout(),
                       nn::Linear(64, 2)};
  save(other, path("other.safetensors"));
  EXPECT_EQ(message(path("other.safetensors")),
            "load: " + path("other.safetensors") + ": '0.weight' is [4, 1, 5, 5]; the network wants [4, 1, 3, 3]");
  EXPECT_NE(message(path("none.safetensors")).find("none.safetensors"), std::string::npos);
  EXPECT_EQ(run.bits(), before);
}

}  // namespace
}  // namespace tidepool::inline v0
