// Lines longer than a shader's loops may be on some drivers, on every device as on the CPU.
#include <tidepool/tidepool.h>

#include <cmath>

#include "conformance/checks.h"
#include "ops/pool/pool.h"
#include "support/devices.h"

namespace tidepool {
namespace {

class LongLines : public LibraryTest {
 protected:
  static constexpr std::int64_t length = 100'003;

  // More than a workgroup's lanes can go over once, twice or three times.
  static constexpr std::int64_t once = 4'300'001, twice = 2'200'001, thrice = 1'450'001;

  // Numbers below 1, but for a 2 at 77,777, or near the end of longer lines.
  static Tensor line(const Device& on, std::int64_t count = length) {
    std::vector<float> values(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i)
      values[static_cast<std::size_t>(i)] = static_cast<float>(i * 7919 % count) / static_cast<float>(count);
    values[count == length ? 77'777 : static_cast<std::size_t>(count - 9)] = 2;
    return from_host(values, {1, count}, on);
  }
  static Tensor image(const Device& on, const Shape& shape) {  // from -1 to 1
    std::vector<float> values(static_cast<std::size_t>(shape.numel()));
    std::uint32_t seed = 5;
    for (float& value : values) value = static_cast<float>((seed = seed * 1664525U + 1013904223U) >> 8) / 8388608.0F - 1.0F;
    return from_host(values, shape, on);
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

TEST_F(LongLines, VulkanSoftmaxOfLinesThatWorkgroupsCannotGoOver) {
  constexpr auto count = static_cast<float>(thrice);  // most results are near 1 / count
  compare([](const Device& on) { return softmax(line(on, thrice), 1) * count; });
  compare([](const Device& on) { return log_softmax(line(on, thrice), 1); });
}

// Against double precision: the CPU's sums of so many numbers are less exact than those in parts.
TEST_F(LongLines, VulkanGradientsOfSoftmaxOfLinesThatWorkgroupsCannotGoOver) {
  SKIP_WITHOUT_DEVICE("vulkan:0");
  const Tensor x = line(device("vulkan:0"), twice).reshape({twice, 1}).detach().requires_grad();
  const std::vector<float> numbers = x.to_host<float>();
  double powers = 0, products = 0, all = 0;
  for (const double number : numbers) {
    powers += std::exp(number);
    products += std::exp(number) * number;
    all += number;
  }
  const auto check = [&](Tensor (*function)(const Tensor&, std::int64_t), double usual, auto&& wanted) {
    x.zero_grad();
    sum(function(x, 0) * x.detach()).backward();
    const std::vector<float> got = x.grad().to_host<float>();
    for (std::size_t i = 0; i < got.size(); ++i) {
      const double number = numbers[i], value = wanted(number, std::exp(number) / powers);
      ASSERT_NEAR(double{got[i]}, value, 2e-5 * std::abs(value) + 1e-6 * usual) << "element " << i;
    }
  };
  check(softmax, 1 / double{twice}, [&](double number, double share) { return share * (number - products / powers); });
  check(log_softmax, 1, [&](double number, double share) { return number - share * all; });
}

TEST_F(LongLines, VulkanArgmaxOfLinesThatWorkgroupsCannotGoOver) {
  compare([](const Device& on) { return argmax(line(on, once), 1).to(DType::f32); });
  compare([](const Device& on) { return argmax((line(on, once) * 100.0F).to(DType::i32), 1).to(DType::f32); });
  compare([](const Device& on) {  // NaN is the largest, and the first of several is meant
    const Tensor x = line(on, once);
    return argmax(where(gt(x, 0.99F), full({1}, NAN, {.device = on}), x).reshape({once, 1}), 0).to(DType::f32);
  });
  compare([](const Device& on) {
    const Tensor x = line(on, twice).requires_grad();
    sum(max(x, 1) * 3.0F).backward();
    return x.grad();
  });
  compare([](const Device& on) {
    const Tensor x = (-line(on, twice)).reshape({twice, 1}).detach().requires_grad();
    sum(min(x, 0) * 3.0F).backward();
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

TEST_F(LongLines, VulkanClassesThatWorkgroupsCannotGoOver) {
  const auto labels = [](const Device& on) { return full({1}, twice - 9, {.device = on}).to(DType::i32); };
  compare([&](const Device& on) { return cross_entropy(line(on, twice), labels(on)); });
  compare([&](const Device& on) { return accuracy(line(on, once), full({1}, once - 9, {.device = on}).to(DType::i32)); });
  compare([&](const Device& on) {
    const Tensor x = line(on, twice).requires_grad();
    cross_entropy(x, labels(on)).backward();
    return x.grad() * static_cast<float>(twice);
  });
  compare([&](const Device& on) {
    const Tensor x = line(on, twice), dx = empty({1, twice}, {.device = on});
    raw::cross_entropy_grad(x, labels(on), static_cast<double>(twice), dx);
    return dx;
  });
}

TEST_F(LongLines, VulkanNamesTheOperationOfAWrongLabelAmongManyClasses) {
  SKIP_WITHOUT_DEVICE("vulkan:0");
  const Device on = device("vulkan:0");
  const Tensor logits = zeros({1, twice}, {.device = on}), labels = full({1}, twice, {.device = on}).to(DType::i32);
  const auto complaint = [&](const auto& function) { return message_of<ArgumentError>([&] { function(logits, labels).item(); }); };
  EXPECT_EQ(complaint(cross_entropy), "cross_entropy: got the label 2200001; wanted 0 or more and less than 2200001");
  EXPECT_EQ(complaint(accuracy), "accuracy: got the label 2200001; wanted 0 or more and less than 2200001");
  EXPECT_EQ(message_of<ShapeError>([&] { cross_entropy(logits, zeros({2}, {.dtype = DType::i32, .device = on})); }),
            "cross_entropy: got labels of shape [2] for logits of shape [1, 2200001]; wanted [1]");
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

TEST_F(LongLines, VulkanWindowsWithManyElements) {
  using Pool = Tensor (*)(const Tensor&, const PoolOptions&);
  struct Windows {
    Pool pool;
    Shape shape;
    PoolOptions options;
  };
  const std::vector<Windows> all{
      {avg_pool2d, {1, 1, 300, 300}, {.kernel = 300}},                              // the whole image
      {avg_pool2d, {2, 2, 270, 300}, {.kernel = 260, .stride = 9, .padding = 20}},  // in part beyond it
      {max_pool2d, {2, 2, 270, 300}, {.kernel = 260, .stride = 9, .padding = 20}},
      {max_pool2d_relu, {1, 2, 300, 270}, {.kernel = 260, .stride = 9, .padding = 20}},
      {avg_pool2d, {1, 1, 3, 29'000}, {.kernel = 29'000, .stride = 1'000, .padding = 14'500}},
      {max_pool2d, {1, 1, 29'000, 3}, {.kernel = 29'000, .stride = 1'000, .padding = 14'500}},
      {max_pool2d, {1, 2, 182, 364}, {.kernel = 182}},            // side by side: the gradient goes over windows twice
      {max_pool2d, {1, 1, 40, 33}, {.kernel = 16, .stride = 1}},  // small ones of which each element is in many
  };
  for (const Windows& windows : all) {
    SCOPED_TRACE(testing::Message() << windows.shape << " by " << windows.options.kernel);
    compare([&](const Device& on) { return windows.pool(image(on, windows.shape), windows.options); });
    compare([&](const Device& on) {
      const Tensor x = image(on, windows.shape).requires_grad();
      const Tensor y = windows.pool(x, windows.options);
      sum(y * image(on, y.shape())).backward();
      return x.grad();
    });
  }
}

TEST_F(LongLines, VulkanIndicesOfWindowsWithManyElements) {
  const PoolOptions options{.kernel = 260, .stride = 9, .padding = 20};
  compare([&](const Device& on) {
    Tensor x = image(on, {2, 1, 270, 300});
    x = where(gt(x, 0.9F), full({1}, 0.9F, {.device = on}), x);  // the first of several is meant
    const Shape shape = max_pool2d(x, options).shape();
    const Tensor y = empty(shape, {.device = on}), indices = empty(shape, {.dtype = DType::i32, .device = on});
    raw::maxpool2d_fwd(x, options, y, indices);
    return indices.to(DType::f32);
  });
}

// While it lives, the device counts as one whose loops end after so few rounds.
class ShortLoops {
 public:
  ShortLoops(const Device& device, std::size_t rounds)
      : stream_(stream_on(device)), info_(const_cast<BackendInfo&>(stream_->info())), before_(info_.max_loop) {
    info_.max_loop = rounds;
  }
  ~ShortLoops() { info_.max_loop = before_; }
  ShortLoops(const ShortLoops&) = delete;
  ShortLoops& operator=(const ShortLoops&) = delete;

 private:
  std::shared_ptr<Stream> stream_;
  BackendInfo& info_;
  std::size_t before_;
};

TEST_F(LongLines, VulkanWindowsAFewRoundsAtATime) {
  SKIP_WITHOUT_DEVICE("vulkan:0");
  const Device on = device("vulkan:0");
  int checked = 0;
  for (const std::size_t rounds : {9U, 12U, 30U, 100U}) {
    const ShortLoops loops(on, rounds);
    for (const auto& cases : conformance::all_cases()) {
      if (cases.op != "max_pool2d" && cases.op != "avg_pool2d") continue;
      for (const auto& c : cases.over) {
        EXPECT_TRUE(values_agree(cases, c, on)) << rounds;
        if (has_gradients(cases, c)) {
          EXPECT_TRUE(gradients_agree(cases, c, on)) << rounds;
        }
        ++checked;
      }
    }
  }
  EXPECT_GT(checked, 100);
}

TEST_F(LongLines, VulkanRefusesWindowsWithLongerSidesThanItsLoops) {
  SKIP_WITHOUT_DEVICE("vulkan:0");
  const Device on = device("vulkan:0");
  if (stream_on(on)->info().max_loop > 100'000) GTEST_SKIP() << "this device's loops do not end: there is nothing to refuse";
  const Tensor x = zeros({1, 1, 1, length}, {.device = on});
  for (const auto pool : {max_pool2d, avg_pool2d})
    EXPECT_HAS(message_of<DeviceError>([&] { pool(x, {.kernel = length, .stride = 1, .padding = length / 2}); }),
               "windows reach over 100003 elements along a side; this device's loops end after 60000; move the tensors with");
}

}  // namespace
}  // namespace tidepool
