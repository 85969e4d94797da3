// What kernels of one's own compute, in every form and on every device.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstring>
#include <stdexcept>
#include <thread>

#ifdef TIDEPOOL_VULKAN
#include "backend/vulkan/shaderc.h"
#endif
#include "kernel/saxpy.h"

namespace tidepool::inline v0 {
namespace {

class Kernels : public KernelTest {
 protected:
  void expect_saxpy(const Kernel& kernel, std::int64_t n) {
    const std::vector<float> values = counting(static_cast<std::size_t>(n));
    const Tensor x = from_host(values, {n}), y = ones({n}), out = zeros({n});
    run(kernel, n, 2.0F, x, y, out);
    std::vector<float> expected = values;
    for (float& v : expected) v = 2.0F * v + 1.0F;
    expect_values(out, expected);
  }
};
INSTANTIATE_TEST_SUITE_P(On, Kernels, devices_for_tests(), device_name);

TEST_P(Kernels, ComputeWithAShortShader) {
  const Kernel saxpy(saxpy_options());
  EXPECT_EQ(saxpy.name(), "saxpy");
  for (const std::int64_t n : {1, 63, 64, 65, 1000}) expect_saxpy(saxpy, n);
}

TEST_P(Kernels, ComputeWithAWholeShader) {
  KernelOptions options = saxpy_options();
  options.glsl = whole_saxpy_glsl();
  const Kernel saxpy(options);
  for (const std::int64_t n : {1, 127, 128, 129, 1000}) expect_saxpy(saxpy, n);
}

#ifdef TIDEPOOL_VULKAN
TEST_P(Kernels, ComputeWithSpirv) {
  KernelOptions options = saxpy_options();
  options.glsl = "";
  options.spirv = compile_glsl("saxpy", whole_saxpy_glsl());
  expect_saxpy(Kernel(options), 1000);
}
#endif

TEST_P(Kernels, MayHaveGroupsOfAnySizeAndOneThatConstantsSay) {
  for (const char* layout : {"local_size_x = 1", "local_size_x = 3", "local_size_x_id = 0"}) {
    KernelOptions options = saxpy_options();
    options.glsl = whole_saxpy_glsl();
    options.glsl.replace(options.glsl.find("local_size_x = 128"), 18, layout);
    expect_saxpy(Kernel(options), 50);
  }
}

TEST_P(Kernels, NeedNoParameters) {
  const Kernel twice({.name = "twice",
                      .glsl = "layout(binding = 0) buffer X { float x[]; };\nvoid main() { if (item() < 10) x[item()] *= 2.0; }",
                      .cpu =
                          [](KernelCall& call) {
                            for (float& x : call.span<float>(0)) x *= 2.0F;
                          },
                      .bindings = 1,
                      .writes = {0}});
  const Tensor x = full({10}, 3.0F);
  twice(10, {x});
  expect_all(x, 6.0F);
  twice(10, std::vector<Tensor>{x});
  expect_all(x, 12.0F);
}

TEST_P(Kernels, TakeAnEmptyViewFromAnywhereInATensor) {
  const Kernel fill({.name = "fill",
                     .glsl = R"(layout(binding = 0) readonly buffer X { float x[]; };
                        layout(binding = 1) buffer Out { float z[]; };
                        void main() { if (item() < 4) z[item()] = 5.0; })",
                     .cpu =
                         [](KernelCall& call) {
                           EXPECT_TRUE(call.span<float>(0).empty());
                           for (float& z : call.span<float>(1)) z = 5.0F;
                         },
                     .bindings = 2,
                     .writes = {1}});
  const Tensor x = ones({5});
  for (const std::int64_t at : {0, 1, 5}) {
    const Tensor out = zeros({4});
    fill(4, {x.slice(at, at), out});
    expect_all(out, 5.0F);
  }
}

TEST_P(Kernels, TakeParametersOfUpTo128BytesAndOfAnyNumberOfBytes) {
  const std::string shader = R"(layout(push_constant) uniform P { uint word[32]; } p;
    layout(binding = 0) buffer Out { int z[]; };
    void main() { if (item() < 32) z[item()] = int(p.word[item()]); })";
  const auto cpu = [](KernelCall& call) {
    const auto& words = call.params<std::array<std::int32_t, 32>>();
    std::copy(words.begin(), words.end(), call.buffer<std::int32_t>(0));
  };
  const Kernel copy({.name = "copy", .glsl = shader, .cpu = cpu, .bindings = 1, .writes = {0}});
  std::array<std::int32_t, 32> words{};
  for (std::int32_t i = 0; i < 32; ++i) words[static_cast<std::size_t>(i)] = 1000 * i + 7;
  const Tensor out = zeros({32}, {.dtype = DType::i32});
  copy(32, words, {out});
  if (computes()) {
    EXPECT_EQ(out.to_host<std::int32_t>(), std::vector<std::int32_t>(words.begin(), words.end()));
  }

  const Kernel odd({.name = "odd",
                    .glsl = R"(layout(push_constant) uniform P { uint first, second; } p;
                      layout(binding = 0) buffer Out { uint z[]; };
                      void main() { if (item() == 0) { z[0] = p.first; z[1] = p.second; } })",
                    .cpu =
                        [](KernelCall& call) {
                          std::uint32_t words[2] = {};
                          std::memcpy(words, &call.params<std::array<std::uint8_t, 5>>(), 5);
                          std::memcpy(call.buffer<std::uint32_t>(0), words, sizeof words);
                        },
                    .bindings = 1,
                    .writes = {0}});
  const Tensor two = zeros({2}, {.dtype = DType::i32});
  odd(1, std::array<std::uint8_t, 5>{1, 2, 3, 4, 5}, {two});
  if (computes()) {
    EXPECT_EQ(two.to_host<std::int32_t>(), (std::vector<std::int32_t>{0x04030201, 5}));
  }
}

// f16 and u8 share words on Vulkan.
TEST_P(Kernels, SeeTensorsOfEveryType) {
  const Kernel widen({.name = "widen",
                      .glsl = R"(layout(binding = 0) readonly buffer F { uint halves[]; };
                        layout(binding = 1) readonly buffer U { uint bytes[]; };
                        layout(binding = 2) readonly buffer I { int numbers[]; };
                        layout(binding = 3) buffer Out { float z[]; };
                        void main() {
                          const uint i = item();
                          if (i >= 6) return;
                          const vec2 two = unpackHalf2x16(halves[i / 2]);
                          z[i] = two[i % 2] + float(bitfieldExtract(bytes[i / 4], int(i % 4 * 8), 8)) + float(numbers[i]);
                        })",
                      .cpu =
                          [](KernelCall& call) {
                            // 0.5 is all that this test has of halves.
                            for (std::size_t i = 0; i < 6; ++i)
                              call.buffer<float>(3)[i] = (call.buffer<std::uint16_t>(0)[i] == 0x3800 ? 0.5F : 0.0F) +
                                                         static_cast<float>(call.buffer<std::uint8_t>(1)[i]) +
                                                         static_cast<float>(call.buffer<std::int32_t>(2)[i]);
                          },
                      .bindings = 4,
                      .writes = {3}});
  const Tensor halves = full({6}, 0.5F).to(DType::f16);
  const Tensor bytes = from_host(std::vector<std::uint8_t>{0, 10, 20, 30, 40, 250}, {6});
  const Tensor numbers = from_host(std::vector<std::int32_t>{0, -1, 100, 1000, -5, 7}, {6}), out = zeros({6});
  widen(6, {halves, bytes, numbers, out});
  expect_values(out, {0.5F, 9.5F, 120.5F, 1030.5F, 35.5F, 257.5F});
}

TEST_P(Kernels, SeeViewsFromTheirFirstElementAndLeaveWhatIsAroundThem) {
  const Kernel saxpy(saxpy_options());
  const Tensor x = from_host(counting(30), {10, 3}), y = full({10, 3}, 100.0F), out = full({10, 3}, -1.0F);
  saxpy(6, SaxpyParams{1.0F, 5}, {x.slice(1, 3), y.slice(3, 5), out.slice(5, 7)});  // five of six elements are written
  std::vector<float> expected(30, -1.0F);
  for (std::size_t i = 0; i < 5; ++i) expected[15 + i] = 100.0F + static_cast<float>(3 + i);
  expect_values(out, expected);

  const Tensor bytes = from_host(std::vector<std::uint8_t>{1, 2, 3, 4, 5, 6, 7}, {7}), copied = full({7}, 9.0F, {.dtype = DType::u8});
  const Kernel first({.name = "first",
                      .glsl = R"(layout(binding = 0) readonly buffer In { uint x[]; };
                        layout(binding = 1) buffer Out { uint z[]; };
                        void main() { if (item() == 0) z[0] = z[0] & 0xffff0000 | x[0] & 0xffff; })",
                      .cpu = [](KernelCall& call) { std::memcpy(call.buffer<std::uint8_t>(1), call.buffer<std::uint8_t>(0), 2); },
                      .bindings = 2,
                      .writes = {1}});
  first(1, {bytes.slice(3, 6), copied.slice(1, 4)});
  if (computes()) {
    EXPECT_EQ(copied.to_host<std::uint8_t>(), (std::vector<std::uint8_t>{9, 4, 5, 9, 9, 9, 9}));
  }
}

// 65,535 workgroups are all that many devices take along one axis.
TEST_P(Kernels, ReachMoreItemsThanOneAxisHasIfTheyAskForTheirItem) {
  const std::int64_t n = 65536 * 64 + 100;
  const Tensor x = ones({n}), out = zeros({n});
  run(Kernel(saxpy_options()), n, 2.0F, x, x, out);
  if (computes()) {
    EXPECT_EQ(sum(out).item(), 3.0F * static_cast<float>(n));
  }
  KernelOptions options = saxpy_options();
  options.glsl = whole_saxpy_glsl();
  options.glsl.replace(options.glsl.find("128"), 3, "64");
  const Kernel whole(options);
  const auto call = [&] {
    run(whole, n, 2.0F, x, x, out);
    sync();
  };
  if (id() == "vulkan:0") {
    EXPECT_HAS(message_of<DeviceError>(call),
               "kernel \"saxpy\" was launched over 4194404 x 1 x 1 items, which is 65538 x 1 x 1 workgroups");
  } else {
    call();
  }
}

TEST_P(Kernels, OfOrderedCallsSeeEachOthersResults) {
  const Kernel saxpy(saxpy_options());
  const Tensor zero = zeros({500});
  Tensor a = ones({500}), b = zeros({500});
  configure({.max_commands = 7});
  for (int i = 0; i < 20; ++i) {
    run(saxpy, 500, 2.0F, a, zero, b);
    std::swap(a, b);
  }
  expect_all(a, 1048576.0F);
}

TEST_P(Kernels, WithoutWorkItemsDoNothing) {
  const Kernel saxpy(saxpy_options());
  const Tensor x = ones({4}), out = zeros({4}), none = zeros({0});
  run(saxpy, 0, 2.0F, x, x, out);
  expect_all(out, 0.0F);
  saxpy(0, SaxpyParams{1, 0}, {none, none, none.clone()});
}

TEST_P(Kernels, RunFromPlansWithTheParametersOfTheCapture) {
  const Tensor x = ones({100}), y = zeros({100}), out = zeros({100});
  const Kernel saxpy(saxpy_options());
  const Plan plan = capture([&] {
    const Tensor between = zeros({100});
    run(saxpy, 100, 3.0F, x, y, between);
    run(saxpy, 100, 2.0F, between, y.slice(0, 100), out);
  });
  EXPECT_GE(plan.launches(), 3);
  expect_all(out, 0.0F);
  plan.run();
  expect_all(out, 6.0F);
  fill_(x, 2.0F);
  plan.run();
  expect_all(out, 12.0F);
}

TEST_P(Kernels, RunFromPlansOnViews) {
  const Tensor x = from_host(counting(9), {9}), out = zeros({9});
  const Kernel saxpy(saxpy_options());
  const Plan plan = capture([&] { run(saxpy, 3, 1.0F, x.slice(1, 4), x.slice(5, 8), out.slice(3, 6)); });
  plan.run();
  expect_values(out, {0, 0, 0, 6, 8, 10, 0, 0, 0});
}

TEST_P(Kernels, ShowInTheMonitorByName) {
  monitor::enable();
  const Kernel mine(saxpy_options("my kernel"));
  const Tensor x = ones({100}), out = zeros({100});
  for (int i = 0; i < 5; ++i) run(mine, 100, 1.0F, x, x, out);
  sync();
  const monitor::Snapshot seen = monitor::snapshot();
  monitor::disable();
  const auto row = std::ranges::find(seen.kernels, "my kernel", &monitor::KernelRow::name);
  ASSERT_NE(row, seen.kernels.end());
  EXPECT_EQ(row->launches, 5U);
  const auto operation = std::ranges::find(seen.operations, "my kernel", &monitor::OperationRow::name);
  ASSERT_NE(operation, seen.operations.end());
  EXPECT_EQ(operation->calls, 5U);
}

TEST_P(Kernels, AreTheSameFromSeveralThreads) {
  const Kernel saxpy(saxpy_options());
  std::vector<float> sums(4);
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < sums.size(); ++t)
      threads.emplace_back([&, t] {
        const Tensor x = full({1000}, static_cast<float>(t)), y = ones({1000}), out = zeros({1000});
        for (int i = 0; i < 20; ++i) run(saxpy, 1000, 2.0F, x, y, out);
        sums[t] = sum(out).item();
      });
  }
  if (computes()) {
    for (std::size_t t = 0; t < sums.size(); ++t) EXPECT_EQ(sums[t], 1000.0F * static_cast<float>(2 * t + 1));
  }
}

TEST_P(Kernels, WorkAgainAfterTheirDeviceWasLost) {
  const Kernel saxpy(saxpy_options());
  const auto result = [&] {
    const Tensor x = ones({10}), out = zeros({10});
    run(saxpy, 10, 4.0F, x, x, out);
    return out.to_host<float>();
  };
  const std::vector<float> before = result();
  faults::set("device_lost@launch:3");
  EXPECT_THROW(result(), DeviceLost);
  EXPECT_EQ(faults::happened(), 1);
  faults::set("");
  reset(default_device());
  EXPECT_EQ(result(), before);
}

// The CPU's function.

class KernelsOnCpu : public LibraryTest {};

TEST_F(KernelsOnCpu, ShareTheirWorkAmongThreads) {
  const Kernel touch({.name = "touch",
                      .cpu =
                          [](KernelCall& call) {
                            const auto counts = call.span<std::int32_t>(0);
                            EXPECT_EQ(counts.size(), 10'000U);
                            call.parallel(
                                [&](std::int64_t begin, std::int64_t end) {
                                  EXPECT_TRUE(begin < end && end <= 10'000);
                                  for (std::int64_t i = begin; i < end; ++i) ++counts[static_cast<std::size_t>(i)];
                                },
                                100);
                          },
                      .bindings = 1,
                      .writes = {0}});
  const Tensor counts = zeros({10'000}, {.dtype = DType::i32});
  touch(10'000, {counts});
  EXPECT_EQ(counts.to_host<std::int32_t>(), std::vector<std::int32_t>(10'000, 1));
}

TEST_F(KernelsOnCpu, ThatThrowDoSoAtTheCallAlsoFromTheirThreads) {
  const Kernel thrower({.name = "thrower",
                        .cpu =
                            [](KernelCall& call) {
                              call.parallel([](std::int64_t begin, std::int64_t) { throw std::range_error(std::to_string(begin)); }, 10);
                            },
                        .bindings = 1,
                        .writes = {0}});
  const Tensor x = zeros({100});
  EXPECT_THROW(thrower(100, {x}), std::range_error);
  const Plan plan = capture([&] { thrower(100, {x}); });
  EXPECT_THROW(plan.run(), std::range_error);
  EXPECT_EQ((x + 1.0F).to_host<float>(), std::vector<float>(100, 1.0F)) << "all goes on";
}

TEST_F(KernelsOnCpu, ThatThrowHalfWayHaveWrittenInPlace) {
  const Kernel half({.name = "half",
                     .cpu =
                         [](KernelCall& call) {
                           call.buffer<float>(1)[0] = call.buffer<float>(0)[0];
                           throw std::range_error("half way");
                         },
                     .bindings = 2,
                     .writes = {1}});
  const Tensor from = ones({100});
  const auto backward_after = [&](const std::function<void(const Tensor&)>& write) {
    const Tensor a = zeros({100}), w = ones({100});
    w.requires_grad();
    const Tensor loss = sum(a * w);
    const Tensor other = sum(from * w);
    EXPECT_THROW(write(a), std::range_error);
    EXPECT_HAS(message_of<Error>([&] { loss.backward(); }), "written in place");
    EXPECT_NO_THROW(other.backward()) << "it only read that";
  };
  backward_after([&](const Tensor& a) { half(100, {from, a}); });
  backward_after([&](const Tensor& a) { capture([&] { half(100, {from, a}); }).run(); });
}

}  // namespace
}  // namespace tidepool::inline v0
