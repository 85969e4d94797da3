// Lines longer than a shader's loops may be on some drivers, on every device as on the CPU.
#include <tidepool/tidepool.h>

#include "support/devices.h"

namespace tidepool {
namespace {

class LongLines : public LibraryTest {
 protected:
  static constexpr std::int64_t length = 100'003;

  // Numbers without two alike, of which the largest stands at 77,777.
  static Tensor line(const Device& on) {
    std::vector<float> values(length);
    for (std::int64_t i = 0; i < length; ++i) values[static_cast<std::size_t>(i)] = static_cast<float>(i * 7919 % length) / length;
    values[77'777] = 2;
    return from_host(values, {1, length}, on);
  }
  template <class Function>
  static void compare(const Function& function) {
    SKIP_WITHOUT_DEVICE("vulkan:0");
    const std::vector<float> wanted = function(device("cpu")).template to_host<float>();
    const std::vector<float> got = function(device("vulkan:0")).template to_host<float>();
    ASSERT_EQ(got.size(), wanted.size());
    for (std::size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], wanted[i], 1e-6F + 2e-5F * std::abs(wanted[i])) << "element " << i;
  }
};

TEST_F(LongLines, VulkanSoftmax) {
  compare([](const Device& on) { return softmax(line(on), 1); });
  compare([](const Device& on) { return log_softmax(line(on), 1); });
  compare([](const Device& on) {
    const Tensor x = line(on).requires_grad();
    sum(softmax(x, 1) * x.detach()).backward();
    return x.grad();
  });
}

TEST_F(LongLines, VulkanArgmaxAndTheFirstOfSeveral) {
  compare([](const Device& on) { return argmax(line(on), 1).to(DType::f32); });
  compare([](const Device& on) { return argmax(full({3, length}, 1.0F, {.device = on}), 1).to(DType::f32); });
  compare([](const Device& on) {
    const Tensor x = line(on).requires_grad();
    sum(max(x, 1)).backward();
    return x.grad();
  });
  compare([](const Device& on) {
    const Tensor x = maximum(line(on) - 2.0F, zeros({1}, {.device = on})).detach().requires_grad();  // 0 everywhere
    sum(max(x, 1)).backward();
    return x.grad();
  });
}

TEST_F(LongLines, VulkanClasses) {
  const auto labels = [](const Device& on) { return full({1}, 77'777.0F, {.device = on}).to(DType::i32); };
  compare([&](const Device& on) { return cross_entropy(line(on), labels(on)); });
  compare([&](const Device& on) { return accuracy(line(on), labels(on)); });
  compare([&](const Device& on) {
    const Tensor x = line(on).requires_grad();
    cross_entropy(x, labels(on)).backward();
    return x.grad();
  });
}

TEST_F(LongLines, VulkanConfusionOfManySamples) {
  compare([](const Device& on) {
    const Tensor labels = (line(on) * 3.0F).reshape({length}).to(DType::i32);
    return confusion_matrix(labels, labels, 7).to(DType::f32);
  });
}

// Ones, so that the sum is exact in any order.
TEST_F(LongLines, VulkanProducts) {
  constexpr std::int64_t longer = 12 * length;
  compare([](const Device& on) { return matmul(ones({1, longer}, {.device = on}), ones({longer, 1}, {.device = on})); });
  compare([](const Device& on) {
    return matmul(ones({120, length}, {.device = on}), ones({length, 40}, {.device = on}));
  });  // many blocks, so no parts
}

TEST_F(LongLines, VulkanConvolutions) {
  compare([](const Device& on) { return conv2d(ones({1, length, 1, 1}, {.device = on}), ones({2, length, 1, 1}, {.device = on})); });
  compare([](const Device& on) {
    const Tensor x = ones({1, 3, 1, 1}, {.device = on}).requires_grad();
    sum(conv2d(x, ones({length, 3, 1, 1}, {.device = on}))).backward();
    return x.grad();
  });
  compare([](const Device& on) {
    const Tensor w = ones({2, 1, 1, 1}, {.device = on}).requires_grad();
    sum(conv2d(ones({1, 1, 1, 3 * length}, {.device = on}), w)).backward();
    return w.grad();
  });
}

}  // namespace
}  // namespace tidepool
