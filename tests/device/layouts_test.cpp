// Images in plans: they lie in blocks of channels where oneDNN is faster for it, and nobody sees a difference.
#include <gtest/gtest.h>
#include <tidepool/tidepool.h>

#include <bit>
#include <cstring>
#include <limits>
#include <vector>

#include "backend/cpu/team.h"
#include "device/plan.h"
#include "ops/conv/conv.h"
#include "ops/pool/pool.h"
#include "support/devices.h"

namespace tidepool::inline v0 {
namespace {

class Layouts : public LibraryTest {
 protected:
  void SetUp() override {
    LibraryTest::SetUp();
    if (!stream_on(default_device())->backend().channel_block())
      GTEST_SKIP() << "oneDNN is not there, or has no blocks on this processor: install Debian's libdnnl2";
  }
};

// A kernel of the CPU by itself, with two threads and the plainest instructions.
template <class Params>
void run_kernel(void (*kernel)(const CpuCall&), const Params& params, std::vector<std::vector<float>>& buffers) {
  CpuTeam team(2);
  CpuCall call{};
  for (std::size_t i = 0; i < buffers.size(); ++i) call.buffers[i] = reinterpret_cast<std::byte*>(buffers[i].data());
  call.param_bytes = reinterpret_cast<const std::byte*>(&params);
  call.team = &team;
  call.instructions = 0;
  kernel(call);
}

struct Blocked {
  int images = 0, launches = 0;  // bindings that lie in blocks; launches that could have some
};
Blocked blocked_in(const Plan& plan) {
  Blocked found;
  for (const Launch& launch : PlanAccess::state(plan).lowered()) {
    if (!launch.kernel->images) continue;
    ChannelBlocks blocks;
    std::memcpy(&blocks, launch.params.data() + launch.kernel->images->at, sizeof blocks);
    found.images += std::popcount(blocks.bindings);
    ++found.launches;
  }
  return found;
}

struct Step {
  nn::Sequential net;
  Tensor x, loss = zeros({});
  explicit Step(nn::Sequential network, const Shape& shape) : net(std::move(network)), x(randn(shape)) {}
  void run() const {
    nn::Sequential same = net;
    tidy([&] {
      for (const Tensor& parameter : net.parameters()) parameter.zero_grad();
      const Tensor out = mean(square(same(x)));
      out.backward();
      copy_(loss, out);
    });
  }
  std::vector<std::vector<float>> results() const {
    std::vector<std::vector<float>> all{loss.to_host<float>()};
    for (const Tensor& parameter : net.parameters()) all.push_back(parameter.grad().to_host<float>());
    return all;
  }
};

// Of a step forward and back: the same bits in a plan, and so many images in blocks.
void expect_same(const Step& step, int images) {
  step.run();
  step.run();
  const auto eager = step.results();
  const Plan plan = capture([&] { step.run(); });
  EXPECT_EQ(blocked_in(plan).images, images);
  for (const Tensor& parameter : step.net.parameters()) fill_(parameter.grad(), 7.0F);
  plan.run();
  const auto planned = step.results();
  ASSERT_EQ(planned.size(), eager.size());
  for (std::size_t i = 0; i < eager.size(); ++i) EXPECT_EQ(planned[i], eager[i]) << i;
}

TEST_F(Layouts, OfAConvolutionalNetworkAreBlocksFromTheFirstConvolutionToTheLastPooling) {
  manual_seed(1);
  using namespace nn;
  const Step step(Sequential{Conv2d(1, 32, {.kernel = 3, .padding = 1}), ReLU(), MaxPool2d(2), Conv2d(32, 64, {.kernel = 3, .padding = 1}),
                             ReLU(), MaxPool2d(2), Flatten(), Linear(64 * 49, 10)},
                  {32, 1, 28, 28});
  // Forward: conv y; pool x, y; conv x, y; pool x. Back: pool x, dx; weights dy, x; input dy, dx; pool x, dy, dx; weights dy.
  expect_same(step, 16);
}

TEST_F(Layouts, PassThroughElementwiseWork) {
  manual_seed(2);
  using namespace nn;
  const Step step(Sequential{Conv2d(16, 32, {.kernel = 3, .padding = 1}), SiLU(), Conv2d(32, 16, {.kernel = 3, .stride = 2, .padding = 1}),
                             LeakyReLU(0.1), MaxPool2d(PoolOptions{.kernel = 3, .stride = 2, .padding = 1}), Flatten(), Linear(16 * 16, 3)},
                  {32, 16, 16, 16});
  expect_same(step, 11);
}

TEST_F(Layouts, StayPlainWhereSomebodyLooks) {
  manual_seed(3);
  const Tensor x = randn({8, 16, 20, 20}), w = randn({32, 16, 3, 3}) * 0.1F;
  Tensor seen;
  const Plan plan = capture([&] { seen = conv2d(x, w, {}, {.padding = 1}); });
  EXPECT_EQ(blocked_in(plan).images, 0);
  plan.run();
  EXPECT_EQ(seen.to_host<float>(), conv2d(x, w, {}, {.padding = 1}).to_host<float>());
}

TEST_F(Layouts, StayPlainWhereAViewHasAnotherShape) {
  manual_seed(4);
  const Tensor x = randn({8, 16, 20, 20}), w = randn({32, 16, 3, 3}) * 0.1F, out = zeros({8, 32, 40, 20});
  const Tensor v = randn({32, 16, 3, 3}) * 0.1F;
  const auto function = [&] {
    tidy([&] { copy_(out, conv2d(conv2d(x, w, {}, {.padding = 1}).reshape({8, 16, 40, 20}), v, {}, {.padding = 1})); });
  };
  function();
  const auto eager = out.to_host<float>();
  const Plan plan = capture(function);
  EXPECT_EQ(blocked_in(plan).images, 0);
  plan.run();
  EXPECT_EQ(out.to_host<float>(), eager);
}

// Where oneDNN fails after all, our own kernels get plain copies.
TEST_F(Layouts, AreTurnedBackForOurOwnKernels) {
  manual_seed(5);
  constexpr std::uint32_t n = 2, c = 16, o = 32, side = 6, block = 8;
  const auto values = [](const Tensor& t) { return t.to_host<float>(); };
  const Tensor x = randn({n, c, side, side}), w = randn({o, c, 3, 3}), b = randn({o}), dy = randn({n, o, side, side});
  const auto in_blocks = [&](const Tensor& t) {
    return values(permute(t.reshape({n, t.shape()[1] / block, block, side, side}), {0, 1, 3, 4, 2}));
  };
  const auto stream = stream_on(default_device());
  const auto run = [&](void (*kernel)(const CpuCall&), std::uint32_t bits, std::vector<std::vector<float>>& buffers) {
    const ConvParams p{.shifts = {},
                       .n = n,
                       .c = c,
                       .h = side,
                       .w = side,
                       .o = o,
                       .oh = side,
                       .ow = side,
                       .kh = 3,
                       .kw = 3,
                       .stride = 1,
                       .padding = 1,
                       .dilation = 1,
                       .groups = 1,
                       .activation = 0,
                       .blocks = {.size = block, .bindings = bits}};
    run_kernel(kernel, p, buffers);
  };
  const std::size_t images = std::size_t{n} * side * side;
  const std::vector<float> room(1 << 16);
  std::vector<std::vector<float>> plain{values(x), values(w), std::vector<float>(images * o), room, values(b)};
  std::vector<std::vector<float>> blocked = plain;
  run(conv2d_bias_cpu, 0, plain);
  blocked[0] = in_blocks(x);
  run(conv2d_bias_cpu, 0b101, blocked);
  EXPECT_EQ(blocked[2], in_blocks(from_host(plain[2], {n, o, side, side})));

  plain = {values(dy), values(w), std::vector<float>(images * c), room};
  blocked = plain;
  run(conv2d_input_cpu, 0, plain);
  blocked[0] = in_blocks(dy);
  run(conv2d_input_cpu, 0b101, blocked);
  EXPECT_EQ(blocked[2], in_blocks(from_host(plain[2], {n, c, side, side})));

  plain = {values(dy), values(x), std::vector<float>(std::size_t{o} * c * 9), std::vector<float>(1 << 20), std::vector<float>(o)};
  blocked = plain;
  run(conv2d_weights_bias_cpu, 0, plain);
  blocked[0] = in_blocks(dy);
  blocked[1] = in_blocks(x);
  run(conv2d_weights_bias_cpu, 0b011, blocked);
  EXPECT_EQ(blocked[2], plain[2]);
  EXPECT_EQ(blocked[4], plain[4]);
}

// Every way that the images of a pooling may lie beside each other, windows that overlap and values that are not numbers.
TEST_F(Layouts, OfAPoolingMayDiffer) {
  manual_seed(6);
  constexpr std::uint32_t n = 2, c = 16, h = 7, w = 9, block = 8;
  std::vector<float> x = randn({n, c, h, w}).to_host<float>();
  x[5] = x[6] = std::numeric_limits<float>::quiet_NaN();
  for (const std::uint32_t kernel : {2U, 3U})
    for (const std::uint32_t relu : {0U, 1U}) {
      const std::uint32_t stride = 2, padding = kernel / 2 - 1 + kernel % 2, oh = (h + 2 * padding - kernel) / stride + 1,
                          ow = (w + 2 * padding - kernel) / stride + 1;
      const auto turned = [&](const std::vector<float>& values, std::int64_t height, std::int64_t width) {
        return permute(from_host(values, {n, c / block, block, height, width}), {0, 1, 3, 4, 2}).to_host<float>();
      };
      const auto run = [&](void (*function)(const CpuCall&), std::uint32_t bits, std::vector<std::vector<float>>& buffers) {
        const PoolParams p{.shifts = {},
                           .planes = n * c,
                           .h = h,
                           .w = w,
                           .oh = oh,
                           .ow = ow,
                           .kernel = kernel,
                           .stride = stride,
                           .padding = padding,
                           .relu = relu,
                           .channels = c,
                           .blocks = {.size = block, .bindings = bits}};
        run_kernel(function, p, buffers);
      };
      const auto bits_of = [](const std::vector<float>& values) {  // NaN is NaN
        std::vector<std::uint32_t> bits;
        for (const float value : values) bits.push_back(std::bit_cast<std::uint32_t>(value));
        return bits;
      };
      const std::vector<float> y(std::size_t{n} * c * oh * ow), dx(x.size());
      std::vector<std::vector<float>> plain{x, y};
      run(max_pool2d_cpu, 0, plain);
      const std::vector<float> dy = randn({static_cast<std::int64_t>(y.size())}).to_host<float>();
      std::vector<std::vector<float>> plain_back{x, dy, dx};
      run(max_pool2d_grad_cpu, 0, plain_back);
      for (std::uint32_t bits = 1; bits < 8; ++bits) {
        SCOPED_TRACE(testing::Message() << "kernel " << kernel << ", relu " << relu << ", bits " << bits);
        if (bits < 4) {
          std::vector<std::vector<float>> some{bits & 1 ? turned(x, h, w) : x, y};
          run(max_pool2d_cpu, bits, some);
          EXPECT_EQ(bits_of(some[1]), bits_of(bits & 2 ? turned(plain[1], oh, ow) : plain[1]));
        }
        std::vector<std::vector<float>> back{bits & 1 ? turned(x, h, w) : x, bits & 2 ? turned(dy, oh, ow) : dy, dx};
        run(max_pool2d_grad_cpu, bits, back);
        EXPECT_EQ(bits_of(back[2]), bits_of(bits & 4 ? turned(plain_back[2], h, w) : plain_back[2]));
      }
    }
}

}  // namespace
}  // namespace tidepool::inline v0
