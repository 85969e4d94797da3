// Chains of elementwise launches in plans on Vulkan: one launch each, of a shader made for it, with the same bits as one by one.
#ifdef TIDEPOOL_VULKAN

#include <gtest/gtest.h>
#include <tidepool/raw.h>
#include <tidepool/tidepool.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "device/fused_kernel.h"
#include "device/fusing.h"
#include "device/plan.h"
#include "support/broken_backend.h"
#include "support/devices.h"
#include "support/environment.h"
#include "support/hazard_model.h"
#include "support/logged.h"

namespace tidepool::inline v0 {
namespace {

// Of numbers that are none, processors keep the sign of whichever operand comes first, which compilers choose: they are all the same here.
using Bits = std::vector<std::uint32_t>;
Bits bits_of(const Tensor& tensor) {
  Bits bits;
  for (const float value : tensor.to_host<float>()) bits.push_back(std::isnan(value) ? 0x7fc00000U : std::bit_cast<std::uint32_t>(value));
  return bits;
}

class VulkanFusion : public LibraryTest {
 protected:
  void SetUp() override {
    SKIP_WITHOUT_DEVICE("vulkan:0");
    LibraryTest::SetUp();
    set_default_device(device("vulkan:0"));
  }
  void TearDown() override {
    if (!IsSkipped()) LibraryTest::TearDown();
  }

  // What a plan of the function leaves in `outs`, which it writes anew, is what the function leaves there by itself.
  static void expect_same(const std::vector<Tensor>& outs, const std::function<void()>& function,
                          std::optional<std::int64_t> launches = {}) {
    function();
    std::vector<Bits> eager;
    for (const Tensor& out : outs) eager.push_back(bits_of(out));
    const Plan plan = capture([&] { tidy(function); });
    if (launches) {
      EXPECT_EQ(plan.launches(), *launches);
    }
    for (int run = 0; run < 2; ++run) {
      for (const Tensor& out : outs) fill_(out, -1.0F);
      plan.run();
    }
    for (std::size_t i = 0; i < outs.size(); ++i) expect_equal(bits_of(outs[i]), eager[i]);
  }
  static void expect_equal(const Bits& fused, const Bits& eager) {
    ASSERT_EQ(fused.size(), eager.size());
    for (std::size_t i = 0; i < fused.size(); ++i)
      ASSERT_EQ(fused[i], eager[i]) << "element " << i << ": " << std::bit_cast<float>(fused[i]) << " and "
                                    << std::bit_cast<float>(eager[i]);
  }

  Environment no_cache{"TIDEPOOL_CACHE", "off"};
};

constexpr std::int64_t many = 1 << 17;  // elements: a value that is not stored and read again saves a mebibyte

// Numbers of all sizes, and those that are none.
Tensor odd_numbers(std::int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> usual;
  constexpr float infinite = std::numeric_limits<float>::infinity(), none = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> odd{0.0F,  -0.0F, 1.0F,   -1.0F, 0.5F,   2.0F,  infinite,  -infinite, none,     1e-40F, -1e-40F,
                               3e38F, 88.0F, -88.0F, 20.0F, 1e-20F, 1e20F, 123456.0F, -0.75F,    16777216, -1e-3F, 104.0F};
  std::vector<float> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = i % 5 == 0 ? odd[random() % odd.size()] : 3.0F * usual(random);
  return from_host(values, {count});
}

struct Function {
  const char* name;
  std::function<Tensor(const Tensor&, const Tensor&)> make;
};
// Every line of the tables.
std::vector<Function> all_functions() {
  using T = const Tensor&;
  std::vector<Function> all{
      {"leaky_relu", [](T x, T) { return leaky_relu(x, 0.1F); }},
      {"add_scalar", [](T x, T) { return x + 0.3F; }},
      {"mul_scalar", [](T x, T) { return x * 1.7F; }},
      {"div_scalar", [](T x, T) { return x / 3.0F; }},
      {"rsub_scalar", [](T x, T) { return 0.7F - x; }},
      {"rdiv_scalar", [](T x, T) { return 2.0F / x; }},
      {"pow_scalar", [](T x, T) { return pow(x, 1.7F); }},
      {"pow_scalar", [](T x, T) { return pow(x, -3.0F); }},
      {"clamp", [](T x, T) { return clamp(x, -0.5F, 0.7F); }},
  };
  std::set<std::string> with{"leaky_relu", "add_scalar", "mul_scalar", "div_scalar", "rsub_scalar", "rdiv_scalar", "pow_scalar", "clamp"};
#define UNARY_WITH(op, f, df) EXPECT_EQ(with.erase(#op), 1U) << #op " is new in the table: add it here";
#define UNARY(op, f, df) all.push_back({#op, [](T x, T) { return op(x); }});
#include "ops/elementwise/unary.def"
#define BINARY(op, f, dfx, dfy) all.push_back({#op, [](T x, T y) { return op(x, y); }});
#include "ops/elementwise/binary.def"
  return all;
}

// They take drivers seconds to compile together with anything else, and stand alone.
bool is_sine(const Function& function) { return function.name == std::string("sin") || function.name == std::string("cos"); }

TEST_F(VulkanFusion, GivesTheBitsOfEveryOperationByItself) {
  const Tensor x = odd_numbers(many + 3, 1), y = odd_numbers(many + 3, 2), out = zeros({many + 3});
  for (const Function& function : all_functions()) {
    SCOPED_TRACE(function.name);
    expect_same(
        {out}, [&] { copy_(out, abs(function.make(x, -y)) * 0.5F); }, is_sine(function) ? 3 : 1);
  }
}

TEST_F(VulkanFusion, GivesTheBitsOfEveryGradientByItself) {
  for (const Function& function : all_functions()) {
    SCOPED_TRACE(function.name);
    const Tensor x = odd_numbers(many, 3).requires_grad(), y = odd_numbers(many, 4).requires_grad(), seed = odd_numbers(many, 5);
    const auto step = [&] {
      x.zero_grad();
      y.zero_grad();
      (function.make(x * 1.25F, y * 0.75F) * y).backward(seed);
    };
    step();  // so that there are gradients to write to
    // What plans do with zeros is another matter (zeros_test.cpp): both are plans.
    const auto launch = [&] {
      const Plan plan = capture([&] { tidy(step); });
      plan.run();
      return std::tuple(plan.launches(), bits_of(x.grad()), bits_of(y.grad()));
    };
    const auto [launches, dx, dy] = launch();
    const Environment no_library("TIDEPOOL_SHADERC", "0");
    forget_fused_kernels();
    const auto [launches_before, dx_before, dy_before] = launch();
    EXPECT_GT(launches_before, launches);
    EXPECT_LE(launches, is_sine(function) ? 6 : 3);
    expect_equal(dx, dx_before);
    expect_equal(dy, dy_before);
  }
}

// Values are made of earlier ones by any functions, some of them are kept, and what is kept is used again.
void random_program(unsigned seed, const std::vector<Function>& functions, std::vector<Tensor> values, const std::vector<Tensor>& outs) {
  std::mt19937 random(seed);
  const auto pick = [&]() -> const Tensor& { return values[random() % values.size()]; };
  std::size_t kept = 0;
  for (std::size_t i = 0, steps = 6 + random() % 12; i < steps || kept < outs.size(); ++i) {
    const Tensor &x = random() % 2 ? values.back() : pick(), &y = pick();
    Tensor made = functions[random() % functions.size()].make(x, y);
    if (i % 4 == 3 && kept < outs.size()) {
      copy_(outs[kept], made);
      made = outs[kept++];
    }
    values.push_back(made);
  }
}

TEST_F(VulkanFusion, GivesTheBitsOfRandomChains) {
  std::vector<Function> functions = all_functions();
  std::erase_if(functions, is_sine);
  const Tensor x = odd_numbers(many + 1, 6), y = odd_numbers(many + 1, 7), z = odd_numbers(many + 1, 8);
  const std::vector<Tensor> outs{zeros({many + 1}), zeros({many + 1})};
  for (unsigned seed = 0; seed < 16; ++seed) {
    SCOPED_TRACE(seed);
    expect_same(
        outs,
        [&] {
          random_program(seed, functions, {x, y, z}, outs);
        },
        1);
    if (HasFailure()) break;
  }
}

// The number of elements is no multiple of four, and neither is where they begin.
TEST_F(VulkanFusion, TreatsEveryElementWhereverItLies) {
  const Tensor x = odd_numbers(many + 64, 9), y = odd_numbers(many + 64, 10), out = zeros({many + 64});
  for (const std::int64_t count : {many - 1, many, many + 1, many + 2, many + 3})
    for (const std::int64_t begin : {0, 1, 3, 4}) {
      SCOPED_TRACE(testing::Message() << count << " from " << begin);
      const Tensor from = x.slice(begin, begin + count), other = y.slice(5, 5 + count), to = out.slice(8 - begin, 8 - begin + count);
      fill_(out, -1.0F);
      expect_same(
          {out}, [&] { copy_(to, (from * 2.0F + other) * 0.5F); }, 1);
    }
}

TEST_F(VulkanFusion, StoresWhatIsUsedLater) {
  const Tensor x = rand({512, 256}), out = zeros({256}), held = zeros({512, 256});
  expect_same(
      {out, held},
      [&] {
        const Tensor h = x * 2.0F + 1.0F;
        copy_(held, relu(h) - x);
        copy_(out, sum(h, 0) + sum(held, 0));  // h is needed beyond the chain
      },
      5);
}

TEST_F(VulkanFusion, TakesNoMemoryForWhatLivesWithinAChain) {
  const Tensor x = rand({1 << 18}), out = zeros({1 << 18});
  const std::size_t before = memory(x.device()).reserved_bytes;
  const Plan plan = capture([&] { tidy([&] { copy_(out, sqrt(exp(tanh(x * 3.0F) + 1.0F) * 2.0F)); }); });
  plan.run();
  EXPECT_EQ(plan.launches(), 1);
  EXPECT_EQ(memory(x.device()).reserved_bytes, before);
}

TEST_F(VulkanFusion, WorksInPlace) {
  const Tensor start = odd_numbers(many, 11), y = odd_numbers(many, 12), x = start.clone(), out = zeros({many});
  const auto step = [&] {
    copy_(out, x * 2.0F);  // of what x was
    copy_(x, x + y);
    copy_(x, x * out);
    copy_(out, out - x);
  };
  step();
  step();
  const Bits eager_x = bits_of(x), eager_out = bits_of(out);
  copy_(x, start);
  const Plan plan = capture([&] { tidy(step); });
  EXPECT_EQ(plan.launches(), 1);
  plan.run();
  plan.run();
  expect_equal(bits_of(x), eager_x);
  expect_equal(bits_of(out), eager_out);
}

TEST_F(VulkanFusion, StopsWhereTheNextLaunchWantsOtherElements) {
  const Tensor x = rand({many}), line = zeros({many + 1}), out = zeros({many});
  const Tensor front = line.slice(0, many), back = line.slice(1, many + 1);
  expect_same(
      {out},
      [&] {
        copy_(front, abs(x - 0.5F) * 2.0F);  // writes 0 … n - 1
        copy_(out, sqrt(back + 1.0F));       // reads 1 … n
      },
      2);
}

TEST_F(VulkanFusion, LeavesSmallWorkAlone) {
  const Tensor x = rand({1000}), out = zeros({1000});
  expect_same(
      {out}, [&] { copy_(out, tanh(x * 2.0F + 1.0F) * 0.5F); }, 5);
  EXPECT_EQ(fused_kernels(), 0U);
}

TEST_F(VulkanFusion, NeverHasMoreThanADeviceBinds) {
  std::vector<Tensor> in;
  for (unsigned i = 0; i < 20; ++i) in.push_back(odd_numbers(many, 20 + i));
  const Tensor out = zeros({many});
  expect_same(
      {out},
      [&] {
        Tensor sum = in[0];
        for (std::size_t i = 1; i < in.size(); ++i) sum = sum + in[i];
        copy_(out, sum);
      },
      4);  // of 20 inputs and 3 values that pass from one to the next
}

TEST_F(VulkanFusion, KeepsTheBitsOfWholeNumbers) {
  std::vector<std::int32_t> numbers(2 * many);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::int32_t>(i * 2654435761U);
  const Tensor x = from_host(numbers, {2 * many}), y = zeros({2 * many}, {.dtype = DType::i32}),
               z = zeros({2 * many}, {.dtype = DType::i32});
  const Plan plan = capture([&] {
    copy_(y, x);
    copy_(z, y);
  });
  EXPECT_EQ(plan.launches(), 1);
  plan.run();
  EXPECT_EQ(y.to_host<std::int32_t>(), numbers);
  EXPECT_EQ(z.to_host<std::int32_t>(), numbers);
}

TEST_F(VulkanFusion, UsesAShaderAgainForOtherNumbersAndShapes) {
  const auto kernel_for = [](std::int64_t count, float a, float b) {
    const Tensor x = rand({count}), out = zeros({count});
    expect_same(
        {out}, [&] { copy_(out, clamp(x * a, b, 0.75F) + b); }, 1);
    const Plan plan = capture([&] { tidy([&] { copy_(out, clamp(x * a, b, 0.75F) + b); }); });
    return PlanAccess::state(plan).lowered().at(0).kernel;
  };
  const KernelDef* const first = kernel_for(many, 2.0F, 0.25F);
  EXPECT_EQ(kernel_for(many, 3.0F, 0.5F), first);
  EXPECT_EQ(kernel_for(2 * many + 1, -1.0F, 0.125F), first);
  EXPECT_EQ(fused_kernels(), 1U);
}

constexpr ElementText twice{.glsl = "x + x", .inputs = "x"}, wrong{.glsl = "x +", .inputs = "x"};

ChainShader chain_of(std::size_t length, const ElementText& element) {
  ChainShader chain{.name = "chain", .stages = {}, .bindings = {{.loaded = 0}, {.stored = static_cast<int>(length)}}};
  for (int i = 0; i < static_cast<int>(length); ++i) chain.stages.push_back({.element = &element, .inputs = {i}, .made = i + 1});
  return chain;
}

TEST_F(VulkanFusion, RemembersNoMoreShadersThanItMay) {
  for (std::size_t length = 1; length <= most_fused_kernels + 5; ++length) ASSERT_NE(fused_kernel(chain_of(length, twice)), nullptr);
  EXPECT_EQ(fused_kernels(), most_fused_kernels);
  const auto latest = fused_kernel(chain_of(most_fused_kernels, twice));
  EXPECT_EQ(fused_kernel(chain_of(most_fused_kernels, twice)), latest);
  cleanup();
  EXPECT_EQ(fused_kernels(), 0U);
}

TEST_F(VulkanFusion, OfAShaderThatIsForgottenDoesNotTroubleThePlanThatHasIt) {
  const Tensor x = rand({many}), out = zeros({many});
  const Plan plan = capture([&] { tidy([&] { copy_(out, sqrt(x + 1.0F)); }); });
  forget_fused_kernels();
  for (int i = 0; i < 3; ++i) {
    const Plan other = capture([&] { tidy([&] { copy_(out, sqrt(x + 1.0F)); }); });
    other.run();
    forget_fused_kernels();
  }
  plan.run();
  EXPECT_EQ(plan.launches(), 1);
  EXPECT_FLOAT_EQ(out.slice(3, 4).item(), std::sqrt(x.slice(3, 4).item() + 1.0F));
}

TEST_F(VulkanFusion, WithoutACompilerLaunchesGoOneByOneToTheSameBits) {
  const Tensor x = odd_numbers(many, 13), out = zeros({many});
  const auto step = [&] { copy_(out, gelu(x * 2.0F) + log(x)); };
  expect_same({out}, step, 1);
  const Environment no_library("TIDEPOOL_SHADERC", "0");
  forget_fused_kernels();
  expect_same({out}, step, 5);
}

TEST_F(VulkanFusion, WhatDoesNotCompileIsLaunchedOneByOneAndTheLogSaysWhy) {
  Logged log;
  EXPECT_EQ(fused_kernel(chain_of(2, wrong)), nullptr);
  EXPECT_HAS(log.text, "launches are not fused: chain: the GLSL does not compile");
  log.text.clear();
  EXPECT_EQ(fused_kernel(chain_of(2, wrong)), nullptr);
  EXPECT_EQ(log.text, "") << "it is known by now";
}

TEST_F(VulkanFusion, WhatTheDriverDoesNotTakeIsLaunchedOneByOne) {
  const Tensor x = odd_numbers(many, 14), out = zeros({many});
  const auto step = [&] { copy_(out, softsign(x * 2.0F) - x); };
  step();
  sync();  // all the kernels by themselves are made
  Logged log;
  faults::set("VK_ERROR_OUT_OF_HOST_MEMORY@vkCreateComputePipelines:1");
  expect_same({out}, step, 4);
  EXPECT_EQ(faults::happened(), 1);
  EXPECT_HAS(log.text, "vulkan:0 does without a kernel: ");
  faults::set("");
  expect_same({out}, step, 1);
}

TEST_F(VulkanFusion, IsOrderedByItsBindingsAsEveryLaunchIs) {
  const Tensor x = rand({512, 256}), w = rand({256, 256}), a = zeros({512, 256}), b = zeros({512, 256});
  const Plan plan = capture([&] {
    tidy([&] {
      copy_(a, sqrt(x + 1.0F) * 0.5F);
      copy_(b, matmul(a, w));
      copy_(a, a * 2.0F + b);
      copy_(b, relu(matmul(a, w)) - a);
    });
  });
  EXPECT_EQ(plan.launches(), 5);
  const std::vector<Launch> launches = PlanAccess::state(plan).lowered();
  EXPECT_EQ(find_hazard(launches), std::nullopt);
  EXPECT_EQ(find_needless_barrier(launches), std::nullopt);
  EXPECT_GT(barriers(launches), 3);
}

TEST_F(VulkanFusion, SaysInTablesWhatItIsMadeOf) {
  const Tensor x = rand({many}), out = zeros({many});
  const Plan plan = capture([&] { tidy([&] { copy_(out, tanh(x * 3.0F)); }); });
  monitor::enable();
  for (int run = 0; run < 3; ++run) plan.run();
  sync();
  const monitor::Snapshot seen = monitor::snapshot(x.device());
  monitor::disable();
  ASSERT_EQ(seen.kernels.size(), 1U);
  EXPECT_EQ(seen.kernels[0].name, "chain of 3 (mul_scalar to copy)");
  EXPECT_GT(seen.kernels[0].device_ms, 0);
  ASSERT_EQ(seen.operations.size(), 1U);
  EXPECT_EQ(seen.operations[0].name, "chain of 3 (mul_scalar to copy)");
}

// Fused kernels are Vulkan's alone, but what loses the device here need not be.
TEST_F(VulkanFusion, ALossWhileTheKernelIsLoadedIsALossOfThePlan) {
  open_broken_backend({.breaks =
                           [](const BackendCall& call) {
                             return call.kind == BackendCall::load && std::string_view(call.kernel->name).starts_with("chain of ");
                           },
                       .describe = [](BackendInfo& info) { info.shaders = true; }});
  const EventLog log;
  const Tensor x = ones({many});
  Tensor y;
  EXPECT_THROW(capture([&] { tidy([&] { y = keep(relu(x * 2.0F + 1.0F) - 3.0F); }); }), DeviceLost);
  EXPECT_EQ(log.count(DeviceEvent::lost), 1);
}

}  // namespace
}  // namespace tidepool::inline v0

#endif
