// Models in files: PyTorch's, ours, and those that are neither.
#include <fstream>

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
