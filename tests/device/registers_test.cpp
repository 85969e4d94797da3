// Chains in registers: the same bits as launches one by one, whatever the operations, the sizes, the instruction set.
#include <gtest/gtest.h>
#include <tidepool/tidepool.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "backend/cpu/chain.h"
#include "backend/cpu/cpu_backend.h"
#include "backend/cpu/instructions.h"
#include "device/plan.h"
#include "support/devices.h"

namespace tidepool::inline v0 {
namespace {

struct Variant {
  const char* name;
  int threads, instructions;
};
class Registers : public LibraryTest, public testing::WithParamInterface<Variant> {
 protected:
  void SetUp() override {
    if (GetParam().instructions > best_instructions())
      GTEST_SKIP() << "this processor has no " << name_of_instructions(GetParam().instructions) << ": run it on one that has";
    LibraryTest::SetUp();
    device("cpu").slot().replace_open([] { return open_cpu(GetParam().threads, GetParam().instructions); });
    reset(device("cpu"));
    manual_seed(5);
  }
  void TearDown() override {
    if (IsSkipped()) return;
    device("cpu").slot().replace_open([] { return open_cpu(); });
    reset(device("cpu"));
    LibraryTest::TearDown();
  }
};
INSTANTIATE_TEST_SUITE_P(With, Registers,
                         testing::Values(Variant{"baseline", 1, baseline}, Variant{"avx2", 1, avx2}, Variant{"avx2_2threads", 2, avx2},
                                         Variant{"avx512", 1, avx512}, Variant{"avx512_2threads", 2, avx512}),
                         [](const auto& info) { return std::string(info.param.name); });

// The kernels of a plan's chains that are done in registers.
std::vector<std::string> in_registers(const Plan& plan, int instructions) {
  std::vector<std::string> names;
  const std::vector<Launch> launches = PlanAccess::state(plan).lowered();
  for (std::size_t i = 0; i < launches.size(); i += launches[i].joined + std::size_t{1}) {
    std::vector<ChainStep> steps;
    for (const Launch& launch : std::span(launches).subspan(i, launches[i].joined + std::size_t{1})) {
      ChainStep& step = steps.emplace_back(ChainStep{launch.kernel, launch.params.data(), {}});
      for (std::size_t b = 0; b < launch.binding_count; ++b) {
        const Binding& binding = launch.bindings[b];
        step.bindings[b] = {binding.memory ? binding.memory->host + binding.offset : reinterpret_cast<std::byte*>(binding.offset),
                            !binding.memory};
      }
    }
    if (steps.size() > 1 && chain_in_registers(steps, instructions).usable())
      for (const ChainStep& step : steps) names.emplace_back(step.kernel->name);
  }
  return names;
}

// All NaN are one.
std::vector<std::uint32_t> bits_of(const Tensor& tensor) {
  std::vector<std::uint32_t> bits;
  for (const float value : tensor.to_host<float>()) bits.push_back(std::isnan(value) ? 0x7FC00000U : std::bit_cast<std::uint32_t>(value));
  return bits;
}

// What a plan of the function writes to `out` is what the function writes. Returns the kernels that were done in registers.
std::vector<std::string> expect_same(const std::vector<Tensor>& out, const std::function<void()>& function) {
  const auto start = [&] {
    for (const Tensor& tensor : out) fill_(tensor, -1.0F);
  };
  std::vector<std::vector<std::uint32_t>> eager;
  start();
  function();
  for (const Tensor& tensor : out) eager.push_back(bits_of(tensor));
  const Plan plan = capture([&] { tidy(function); });
  for (int run = 0; run < 2; ++run) {
    start();
    plan.run();
    for (std::size_t i = 0; i < out.size(); ++i) EXPECT_EQ(bits_of(out[i]), eager[i]) << "output " << i << ", run " << run;
  }
  return in_registers(plan, Registers::GetParam().instructions);
}

Tensor with_corners(std::int64_t n) {  // numbers of all sizes, and those that are none
  std::vector<float> values = (randn({n}) * 3.0F).to_host<float>();
  const float infinity = std::numeric_limits<float>::infinity();
  const float corners[] = {0.0F, -0.0F, infinity, -infinity, std::nanf(""), 1e-40F, -1e-40F, 3e38F, -3e38F, 1e5F, -1e5F, 20.0F, 104.5F};
  for (std::size_t i = 0; i < values.size(); i += 23) values[i] = corners[i / 23 % std::size(corners)];
  return from_host(values, {n});
}

struct Unary {
  const char* name;
  std::function<Tensor(const Tensor&)> apply;
};
const std::vector<Unary>& unaries() {
  static const std::vector<Unary> all{
#define UNARY_WITH(op, f, df)
#define UNARY(op, f, df) {#op, [](const Tensor& x) { return op(x); }},
#include "ops/elementwise/unary.def"
      {"leaky_relu", [](const Tensor& x) { return leaky_relu(x, 0.1F); }},
      {"add_scalar", [](const Tensor& x) { return x + 0.7F; }},
      {"mul_scalar", [](const Tensor& x) { return x * 1.7F; }},
      {"div_scalar", [](const Tensor& x) { return x / 3.0F; }},
      {"rsub_scalar", [](const Tensor& x) { return 1.5F - x; }},
      {"rdiv_scalar", [](const Tensor& x) { return 1.5F / x; }},
      {"pow_scalar", [](const Tensor& x) { return pow(x, 3.0F); }},
      {"clamp", [](const Tensor& x) { return clamp(x, -1.0F, 2.0F); }}};
  return all;
}
struct Binary {
  const char* name;
  std::function<Tensor(const Tensor&, const Tensor&)> apply;
};
const std::vector<Binary>& binaries() {
  static const std::vector<Binary> all{
#define BINARY(op, f, dfx, dfy) {#op, [](const Tensor& x, const Tensor& y) { return op(x, y); }},
#include "ops/elementwise/binary.def"
  };
  return all;
}

TEST_P(Registers, DoEveryOperationOfTheTables) {
  const std::int64_t n = 8192 + 37;
  const Tensor x = with_corners(n), y = with_corners(n - 1).reshape({n - 1}), out = zeros({n}), other = zeros({n});
  const Tensor shifted = concat({zeros({1}), y}, 0);
  for (const Unary& op : unaries()) {
    SCOPED_TRACE(op.name);
    const auto names = expect_same({out}, [&] { copy_(out, op.apply(x) * 0.5F); });
    EXPECT_EQ(names, (std::vector<std::string>{op.name, "mul_scalar", "copy"}));
  }
  for (const Binary& op : binaries()) {
    SCOPED_TRACE(op.name);
    const auto names = expect_same({out, other}, [&] {
      copy_(out, op.apply(x * 0.5F, shifted));    // from the chain and from memory
      copy_(other, op.apply(shifted, x * 0.5F));  // the other way round
    });
    EXPECT_EQ(names, (std::vector<std::string>{"mul_scalar", op.name, "copy", "mul_scalar", op.name, "copy"}));
    expect_same({out}, [&] {
      const Tensor h = x * 0.5F;
      copy_(out, op.apply(h, h));
    });
  }
}

TEST_P(Registers, DoEveryGradientOfTheTables) {
  const std::int64_t n = 8192 + 11;
  const Tensor out = zeros({n}), other = zeros({n}), weights = randn({n});
  const auto leaf = [&] {
    Tensor x = with_corners(n);
    x.requires_grad();
    sum(x * 1.0F).backward();
    return x;
  };
  const Tensor x = leaf(), y = leaf();
  std::set<std::string> seen;
  const auto check = [&](const std::function<Tensor()>& forward) {
    const auto names = expect_same({out, other}, [&] {
      fill_(x.grad(), 0.0F);
      fill_(y.grad(), 0.0F);
      sum(forward() * weights).backward();
      copy_(out, x.grad() + 0.0F);  // plans do not add gradients to zeros, so -0 may be either there
      copy_(other, y.grad() + 0.0F);
    });
    seen.insert(names.begin(), names.end());
  };
  for (const Unary& op : unaries()) {
    SCOPED_TRACE(op.name);
    check([&] { return op.apply(x * 0.5F); });
  }
  for (const Binary& op : binaries()) {
    SCOPED_TRACE(op.name);
    check([&] { return op.apply(x * 0.5F, y * 0.5F); });
  }
  std::set<std::string> all;
  for (const Unary& op : unaries()) all.insert(std::string(op.name) + "_grad");
  for (const Binary& op : binaries())
    for (const char* side : {"_grad_x", "_grad_y"}) all.insert(std::string(op.name) + side);
  for (const char* free : {"add_grad_x", "add_grad_y", "sub_grad_x", "add_scalar_grad"}) all.erase(free);  // d itself
  for (const std::string& name : all) EXPECT_TRUE(seen.contains(name)) << name;
}

TEST_P(Registers, LeaveNoTailOut) {
  for (std::int64_t n = 8192; n <= 8192 + 65; ++n) {
    SCOPED_TRACE(n);
    const Tensor x = with_corners(n), out = zeros({n});
    expect_same({out}, [&] { copy_(out, relu(x * 2.0F - 1.0F) + x); });
  }
  for (const std::int64_t n : {65535, 65536, 65537, 98304 + 63, 200003}) {  // for several threads
    SCOPED_TRACE(n);
    const Tensor x = with_corners(n), out = zeros({n});
    expect_same({out}, [&] { copy_(out, sin(x * 2.0F - 1.0F) + x); });
  }
}

TEST_P(Registers, EndWithSumsInTheOrderOfASumAlone) {
  for (const std::int64_t n : {8192, 8193, 8192 + 1023, 10007, 131072, 262144 + 64, 500003}) {
    SCOPED_TRACE(n);
    const Tensor x = randn({n}), out = zeros({}), held = zeros({n});
    const auto names = expect_same({out}, [&] { copy_(out, mean(square(x))); });
    EXPECT_EQ(names, (std::vector<std::string>{"square", "sum"}));
    expect_same({out, held}, [&] {  // what is summed up is wanted too
      copy_(held, exp(-x));
      copy_(out, sum(held));
    });
  }
  for (const std::int64_t row : {64, 128, 192, 960, 1024}) {
    SCOPED_TRACE(row);
    const Tensor x = randn({70000 / row, row}), out = zeros({70000 / row});
    const auto names = expect_same({out}, [&] { copy_(out, sum(abs(x) + 1.0F, 1)); });
    if (row % static_cast<std::int64_t>(group_elements(GetParam().instructions)) == 0) {
      EXPECT_EQ(names, (std::vector<std::string>{"abs", "add_scalar", "sum"}));
    }
  }
}

TEST_P(Registers, SumWhatEveryOperationMakes) {
  const std::int64_t n = 16384 + 37;
  const Tensor x = rand({n}) * 3.0F - 1.0F, out = zeros({});
  for (const Unary& op : unaries()) {
    SCOPED_TRACE(op.name);
    const auto names = expect_same({out}, [&] { copy_(out, sum(op.apply(x))); });
    EXPECT_EQ(names, (std::vector<std::string>{op.name, "sum"}));
  }
}

TEST_P(Registers, WriteWhereTheyRead) {
  const std::int64_t n = 9001;
  const Tensor x = with_corners(n), a = zeros({n}), b = zeros({n}), c = zeros({n});
  const auto names = expect_same({a, b, c}, [&] {
    copy_(a, x * 2.0F);
    copy_(b, a + x);
    copy_(a, a * b);  // reads and writes a, and later steps see it
    copy_(c, a - b);
    copy_(b, c + a);
  });
  EXPECT_EQ(names.size(), 10U);
}

TEST_P(Registers, DoAnyChain) {
  std::mt19937 random(static_cast<std::uint32_t>(GetParam().threads * 10 + GetParam().instructions + 2));
  const auto below = [&](std::size_t end) { return random() % end; };
  for (int chain = 0; chain < 60; ++chain) {
    SCOPED_TRACE(chain);
    const auto n = static_cast<std::int64_t>(8192 + below(chain % 10 == 0 ? 100000 : 400));
    const std::vector<Tensor> in{with_corners(n), randn({n}), rand({n})};
    const std::vector<Tensor> out{zeros({n}), zeros({n}), zeros({n})};
    const std::size_t seed = random();
    const std::size_t length = 1 + below(30);
    const auto names = expect_same(out, [&] {
      std::mt19937 choice(static_cast<unsigned>(seed));
      std::vector<Tensor> known = in;
      const auto any = [&]() -> const Tensor& {  // mostly what is new
        return choice() % 2 ? known.back() : known[choice() % known.size()];
      };
      for (std::size_t i = 0; i < length; ++i) {
        if (choice() % 2)
          known.push_back(unaries()[choice() % unaries().size()].apply(any()));
        else
          known.push_back(binaries()[choice() % binaries().size()].apply(any(), any()));
        if (choice() % 5 == 0) {
          const Tensor& to = out[choice() % out.size()];
          copy_(to, known.back());
          if (choice() % 2) known.push_back(to * 1.0F);
        }
      }
      for (const Tensor& to : out) copy_(to, any() + to * 0.0F);
    });
    EXPECT_GE(names.size(), length);
  }
}

}  // namespace
}  // namespace tidepool::inline v0
