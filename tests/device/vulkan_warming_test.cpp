// Pipelines that are made before they are asked for: which, when, and that nobody is kept waiting.
#ifdef TIDEPOOL_VULKAN

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#include "backend/vulkan/kernel_list.h"
#include "device/vulkan_backend.h"
#include "ops/families.h"
#include "support/child.h"
#include "support/files.h"
#include "support/keeping_backend.h"

namespace tidepool::inline v0 {
namespace {

const KernelDef& kernel(const char* operation) { return *find_operation(operation)->kernel; }

class VulkanKernelList : public FilesTest {
 protected:
  VulkanKernelList() { ::setenv("TIDEPOOL_CACHE", path("cache").c_str(), 1); }
  ~VulkanKernelList() override { ::setenv("TIDEPOOL_CACHE", "off", 1); }

  // A process that uses these.
  static void process(const std::vector<std::string>& recipes) {
    KernelList list({});
    for (const std::string& recipe : recipes) list.used(recipe);
    list.write();
  }
  static std::vector<std::string> known() { return KernelList({}).known(); }
};

TEST_F(VulkanKernelList, KnowsWhatEarlierProcessesUsedTheLatestFirst) {
  EXPECT_TRUE(known().empty());
  process({"sum 1 2", "add 1 3"});
  process({"mul 1 3", "sum 1 2"});
  EXPECT_EQ(known(), (std::vector<std::string>{"mul 1 3", "sum 1 2", "add 1 3"}));
}

TEST_F(VulkanKernelList, ForgetsWhatEightProcessesDidNotUse) {
  process({"add 1 3"});
  for (int i = 0; i < 7; ++i) process({"mul 1 3"});
  EXPECT_EQ(known().size(), 2U);
  process({"mul 1 3"});
  EXPECT_EQ(known(), std::vector<std::string>{"mul 1 3"});
}

TEST_F(VulkanKernelList, OfADamagedFileIsEmpty) {
  process({"add 1 3"});
  const std::string file = path("cache") + "/vulkan-0-0.kernels";
  std::string bytes = contents(file);
  ASSERT_FALSE(bytes.empty());
  bytes.back() = 'x';
  std::ofstream(file, std::ios::binary) << bytes;
  EXPECT_TRUE(known().empty());
}

TEST_F(VulkanKernelList, IsNotKeptWhereNothingIs) {
  ::setenv("TIDEPOOL_CACHE", "off", 1);
  process({"add 1 3"});
  EXPECT_TRUE(known().empty());
  EXPECT_TRUE(names().empty());
}

TEST_F(VulkanKernelList, RecipesAreAllThatAPipelineIsMadeFrom) {
  const KernelDef specialised{.name = "mine", .bindings = 4, .shader = "conv2d_input_tiles", .constants = {1}, .constant_count = 1};
  for (const KernelDef* wanted : {&kernel("add"), &specialised}) {
    const std::string recipe = recipe_of(*wanted);
    const auto made = kernel_of(recipe);
    ASSERT_TRUE(made) << recipe;
    EXPECT_EQ(made->bindings, wanted->bindings);
    EXPECT_EQ(made->constants, wanted->constants);
    EXPECT_EQ(made->constant_count, wanted->constant_count);
    EXPECT_EQ(recipe_of(*made), recipe);
  }
  EXPECT_EQ(recipe_of(axpy), "") << "its shader has no name";
  for (const char* none : {"", "add", "add 12345 3", "no_such_shader 1 1"}) EXPECT_FALSE(kernel_of(none)) << none;
  const std::string recipe = recipe_of(specialised);
  for (const char* more : {" 1 2 3 4 5 6 7 8", " x", " -"}) EXPECT_FALSE(kernel_of(recipe + more)) << more;
}

constexpr std::array<const char*, 6> operations{"add", "mul", "relu", "exp", "tanh", "sqrt"};

std::atomic<int> makings{0}, made{0};
PFN_vkCreateComputePipelines real_create = nullptr;
VkResult slow_create(VkDevice device, VkPipelineCache cache, std::uint32_t count, const VkComputePipelineCreateInfo* infos,
                     const VkAllocationCallbacks* callbacks, VkPipeline* pipelines) {
  ++makings;
  std::this_thread::sleep_for(50ms);
  const VkResult result = real_create(device, cache, count, infos, callbacks, pipelines);
  ++made;
  return result;
}

class VulkanWarmingThreads : public FilesTest {
 protected:
  void SetUp() override {
    if (list_vulkan_devices().empty()) GTEST_SKIP() << no_device("vulkan:0");
    ::setenv("TIDEPOOL_CACHE", path("cache").c_str(), 1);
    instance = vulkan_instance();
    device = std::make_unique<VulkanDevice>(instance, instance->devices()[0]);
    for (const char* operation : operations) kernel_id(kernel(operation));
  }
  void TearDown() override {
    ::setenv("TIDEPOOL_CACHE", "off", 1);
    device.reset();
    instance.reset();
    EXPECT_EQ(validation_messages(), 0U);
  }
  void make_slow() {
    makings = made = 0;
    real_create = device->call.vkCreateComputePipelines;
    device->call.vkCreateComputePipelines = slow_create;
  }
  // What an earlier process leaves behind.
  void use_all() {
    Pipelines pipelines(*device);
    for (const char* operation : operations) pipelines.load(kernel(operation));
  }
  template <class Condition>
  static void wait_until(Condition&& condition) {
    for (int i = 0; i < 20000 && !condition(); ++i) std::this_thread::sleep_for(1ms);
    EXPECT_TRUE(condition());
  }

  std::shared_ptr<const VulkanInstance> instance;
  std::unique_ptr<VulkanDevice> device;
};

TEST_F(VulkanWarmingThreads, WhatAnEarlierProcessUsedIsReadyWhenItIsAskedFor) {
  use_all();
  Pipelines pipelines(*device);
  pipelines.warm();
  wait_until([&] { return pipelines.ready() == operations.size(); });
  make_slow();
  for (const char* operation : operations) EXPECT_TRUE(pipelines[kernel(operation)].handle);
  EXPECT_EQ(makings, 0) << "all had been made";
  EXPECT_EQ(pipelines.ready(), 0U);
  EXPECT_EQ(pipelines.live(), operations.size());
}

TEST_F(VulkanWarmingThreads, NobodyWaitsForOneThatIsNotReady) {
  use_all();
  make_slow();
  Pipelines pipelines(*device);
  pipelines.warm();
  for (const char* operation : operations) EXPECT_TRUE(pipelines[kernel(operation)].handle);
  EXPECT_EQ(pipelines.live(), operations.size());
}

TEST_F(VulkanWarmingThreads, EndWithTheirDeviceAtOnce) {
  use_all();
  make_slow();
  {
    Pipelines pipelines(*device);
    pipelines.warm();
    wait_until([] { return makings >= 1; });
  }
  EXPECT_LE(makings, 2) << "the one that was being made, and hardly another";
}

TEST_F(VulkanWarmingThreads, ThereAreNoneWhereNothingIsKnown) {
  make_slow();
  Pipelines pipelines(*device);
  pipelines.warm();
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(makings, 0);
}

TEST_F(VulkanWarmingThreads, MakeRoomForWhatIsAskedFor) {
  use_all();
  Pipelines pipelines(*device, 4);
  pipelines.warm();
  wait_until([&] { return pipelines.ready() == 2; });  // half of what there may be
  for (const char* operation : operations) {
    EXPECT_TRUE(pipelines[kernel(operation)].handle);
    EXPECT_LE(pipelines.live() + pipelines.ready(), 4U);
  }
}

class VulkanWarmingEnds : public VulkanWarmingThreads {
 protected:
  void SetUp() override {
    if (is_child()) std::atexit(look);  // called last, as it is registered first: the driver's own teardown would come here
    VulkanWarmingThreads::SetUp();
  }
  static void look() {
    if (made != makings) _exit(3);
    if (makings == static_cast<int>(operations.size())) _exit(4);  // it need not wait for all of them
  }
};

TEST_F(VulkanWarmingEnds, WithItsProcessAfterThePipelineThatIsBeingMade) {
  if (!is_child()) {
    for (int i = 0; i < 3; ++i) EXPECT_EQ(run_this_test_again(""), 0);
    return;
  }
  use_all();
  make_slow();
  Pipelines pipelines(*device);
  pipelines.warm();
  wait_until([] { return makings >= 1; });
  std::filesystem::remove_all(folder());  // nobody else does: nothing of the test is destroyed
  std::exit(HasFailure() ? 1 : 0);
}

// Results, and the moment at which it begins, with all of the library.
class VulkanWarmNetworks : public LibraryTest {
 protected:
  void SetUp() override {
    SKIP_WITHOUT_DEVICE("vulkan:0");
    LibraryTest::SetUp();
  }
  void TearDown() override {
    slot_for("vulkan:0").replace_open([] { return open_vulkan(0); });
    LibraryTest::TearDown();
  }
};

TEST_F(VulkanWarmNetworks, BeginWithTheFirstParameterOnTheDevice) {
  KeepingBackend::Kept kept;
  slot_for("vulkan:0").replace_open([&kept] { return std::make_unique<KeepingBackend>(open_vulkan(0), kept); });
  const Device vulkan = device("vulkan:0");
  reset(vulkan);
  {
    const Tensor plain = ones({3}, {.device = vulkan}) + 1.0F;
    sync();
    EXPECT_EQ(kept.warmings, 0) << "tensors alone are no network";
    nn::Linear moved(3, 2);
    EXPECT_EQ(kept.warmings, 0) << "it is on the CPU";
    moved.to(vulkan);
    EXPECT_GT(kept.warmings, 0);
    const int before = kept.warmings;
    set_default_device(vulkan);
    const nn::Linear made(3, 2);
    EXPECT_GT(kept.warmings, before);
  }
  slot_for("vulkan:0").replace_open([] { return open_vulkan(0); });
  reset(vulkan);
}

TEST_F(VulkanWarmNetworks, ComputeTheSameBits) {
  const TemporaryFolder folder;
  ::setenv("TIDEPOOL_CACHE", folder.path("cache").c_str(), 1);
  const auto outcome = [] {
    reset(device("vulkan:0"));
    set_default_device(device("vulkan:0"));
    manual_seed(1);
    nn::Sequential net(nn::Linear(8, 16), nn::Tanh(), nn::Linear(16, 3));
    optim::Adam adam(net.parameters());
    const Tensor x = randn({4, 8}), y = zeros({4, 3});
    for (int i = 0; i < 5; ++i) {
      adam.zero_grad();
      mse_loss(net(x), y).backward();
      adam.step();
    }
    return net(x).to_host<float>();
  };
  const std::vector<float> cold = outcome();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(outcome(), cold);
  EXPECT_TRUE(std::filesystem::exists(folder.path("cache")));
  ::setenv("TIDEPOOL_CACHE", "off", 1);
  reset(device("vulkan:0"));
}

}  // namespace
}  // namespace tidepool::inline v0

#endif
