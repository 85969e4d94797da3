// Additions of 64 floats on Vulkan, against the same Vulkan calls written by hand: what recording one costs the host, and what is
// gained by submitting a hundred at once, and by submitting what was recorded before.
#include "bench/gate.h"

#ifdef TIDEPOOL_VULKAN

#include <tidepool/tidepool.h>

#include "backend/vulkan/memory.h"
#include "backend/vulkan/pipelines.h"
#include "backend/vulkan/vulkan_backend.h"
#include "bench/bare_commands.h"
#include "cli/networks.h"
#include "device/slot.h"
#include "ops/elementwise/params.h"
#include "ops/families.h"
#include "platform/environment.h"

#include <array>
#include <stdexcept>
#include <string>

namespace tidepool::gates {

namespace {

constexpr std::uint32_t count = 64;
constexpr std::size_t launches = 500;  // in one sample
constexpr std::size_t batch = 100;     // submitted at once

const KernelDef& add_kernel() {
  static const KernelDef& kernel = *find_operation("add")->kernel;  // an operation knows its own, too
  return kernel;
}

ElementwiseParams add_params() {
  return {.shifts = {}, .count = count, .rank = 0, .a = 0, .b = 0, .size = {}, .stride_x = {}, .stride_y = {}};
}

// The library's own side: a launch as `apply` makes it, of an output that is there already.
class Ours {
 public:
  explicit Ours(const Device& device) : device_(device), stream_(device.slot().stream()), x_(make()), y_(make()), out_(make()) {}

  double sample() {  // of recording alone
    launch();        // opens the batch
    auto one = [this] { launch(); };
    const double ns = time_of(launches, one);
    finish();
    return ns;
  }
  double one_by_one() {
    auto one = [this] {
      launch();
      finish();
    };
    return time_of(batch, one);
  }
  double at_once() {
    auto all = [this] {
      for (std::size_t i = 0; i < batch; ++i) launch();
      finish();
    };
    return time_of(1, all) / batch;
  }
  void record_before(std::size_t count = batch) {
    plan_ = capture([this, count] {
      for (std::size_t i = 0; i < count; ++i) launch();
    });
  }
  double again() {
    auto run = [this] {
      plan_.run();
      finish();
    };
    return time_of(1, run) / batch;
  }
  double host_time_of_again() {
    auto run = [this] { plan_.run(); };
    const double ns = time_of(4, run) / launches;
    finish();
    return ns;
  }

 private:
  void finish() {
    const StreamLock lock(*stream_);
    stream_->wait(stream_->submit());
  }
  Tensor make() const { return zeros({count}, {.device = device_}); }

  void launch() {
    ElementwiseParams params = add_params();
    const StreamLock lock(*stream_);
    stream_->launch(add_kernel(), {read(*x_.node()), read(*y_.node()), write(*out_.node())}, params, {count, 1, 1},
                    ElementwiseParams::flat_bytes);
  }

  Device device_;
  std::shared_ptr<Stream> stream_;
  Tensor x_, y_, out_;
  Plan plan_;
};

// The same calls by hand. Devices, buffers and the pipeline are made with the backend's own parts; what is timed is not.
class Bare {
 public:
  explicit Bare(const std::shared_ptr<const VulkanInstance>& instance)
      : device_(instance, instance->devices()[0]), heap_(device_), pipelines_(device_) {
    pipelines_.load(add_kernel());
    pipeline_ = pipelines_[add_kernel()];
    for (VkDescriptorBufferInfo& buffer : buffers_)
      buffer = {.buffer = heap_.allocate(count * sizeof(float))->buffer, .offset = 0, .range = count * sizeof(float)};
    const VkFenceCreateInfo fence{.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    device_.check(device_.call.vkCreateFence(device_.handle, &fence, nullptr, &fence_), "vkCreateFence");
  }
  ~Bare() { device_.call.vkDestroyFence(device_.handle, fence_, nullptr); }
  Bare(const Bare&) = delete;
  Bare& operator=(const Bare&) = delete;

  bool comparable() const { return device_.push_descriptors; }

  double sample() {
    begin();
    launch();
    auto one = [this] { launch(); };
    const double ns = time_of(launches, one);
    end();
    submit();
    return ns;
  }
  double one_by_one() {
    auto one = [this] {
      begin();
      launch();
      end();
      submit();
    };
    return time_of(batch, one);
  }
  double at_once() {
    auto all = [this] {
      record_before();
      submit();
    };
    return time_of(1, all) / batch;
  }
  void record_before(std::size_t count = batch) {
    begin();
    for (std::size_t i = 0; i < count; ++i) launch();
    end();
  }
  double again() {
    auto run = [this] { submit(); };
    return time_of(1, run) / batch;
  }
  double all_again(std::size_t rounds) {
    auto run = [this] { submit(); };
    return time_of(rounds, run);
  }

 private:
  void begin() { commands_.begin(pipeline_); }
  void end() { commands_.end(); }
  void submit() {
    const VkSubmitInfo info{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands_.buffer};
    device_.check(device_.call.vkQueueSubmit(device_.queue, 1, &info, fence_), "vkQueueSubmit");
    device_.check(device_.call.vkWaitForFences(device_.handle, 1, &fence_, VK_TRUE, UINT64_MAX), "vkWaitForFences");
    device_.check(device_.call.vkResetFences(device_.handle, 1, &fence_), "vkResetFences");
  }
  void launch() {
    const ElementwiseParams params = add_params();
    const VkMemoryBarrier barrier{.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                  .srcAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT,
                                  .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT};
    const VkWriteDescriptorSet write{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                     .descriptorCount = static_cast<std::uint32_t>(buffers_.size()),
                                     .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                     .pBufferInfo = buffers_.data()};
    device_.call.vkCmdPipelineBarrier(commands_.buffer, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1,
                                      &barrier, 0, nullptr, 0, nullptr);
    device_.call.vkCmdPushDescriptorSetKHR(commands_.buffer, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_.layout, 0, 1, &write);
    device_.call.vkCmdPushConstants(commands_.buffer, pipeline_.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, ElementwiseParams::flat_bytes,
                                    &params);
    device_.call.vkCmdDispatch(commands_.buffer, 1, 1, 1);
  }

  VulkanDevice device_;
  VulkanHeap heap_;
  Pipelines pipelines_;
  Pipeline pipeline_;
  std::array<VkDescriptorBufferInfo, 3> buffers_{};
  BareCommands commands_{device_};
  VkFence fence_ = VK_NULL_HANDLE;
};

// Both sides on one device, while no submission falls into a sample that is not asked for.
template <class Measure>
Measured with_both(const Measure& measure) {
  const auto instance = vulkan_instance();
  if (instance->devices().empty()) return {.skipped = "no Vulkan device"};
  const std::int64_t before = settings().max_commands;
  configure({.max_commands = 1 << 20});
  Ours ours(device("vulkan:0"));
  Bare bare(instance);
  const Measured measured = bare.comparable() ? measure(ours, bare) : Measured{.skipped = "the Vulkan device has no push descriptors"};
  configure({.max_commands = before});
  return measured;
}

// With threads of its own llvmpipe takes 30 us for a dispatch, which hides everything else.
std::string why_no_gain_shows() {
  const std::string kind = device("vulkan:0").slot().stream()->info().kind;
  if (kind != "software" || environment("LP_NUM_THREADS") == "0") return "";
  return "a software device shows it with LP_NUM_THREADS=0 only";
}

constexpr int devices = 12;

// What is left of the time when `fast` is done instead of `slow`, on each side: the smaller, the more is gained. How long a
// submission takes depends on where the driver's threads happen to run, for as long as the device is open: three times as long for two
// devices of three. So the best of many, or one side would not have had its good one.
template <class Slow, class Fast>
Measured compare_gains(Slow slow, Fast fast) {
  Measured best{.ours = 1e9, .bare = 1e9};
  for (int i = 0; i < devices; ++i) {
    reset(device("vulkan:0"));
    const Measured measured = with_both([&](Ours& ours, Bare& bare) -> Measured {
      if (std::string why = why_no_gain_shows(); !why.empty()) return {.skipped = why};
      ours.record_before();
      const Measured slowly = compare_samples([&] { return slow(ours); }, [&] { return slow(bare); });
      bare.record_before();
      const Measured quickly = compare_samples([&] { return fast(ours); }, [&] { return fast(bare); });
      return {.ours = quickly.ours / slowly.ours, .bare = *quickly.bare / *slowly.bare};
    });
    if (!measured.skipped.empty()) return measured;
    best = better(best, measured);
  }
  return best;
}

}  // namespace

Measured measure_recorded_launch() {
  return with_both([](Ours& ours, Bare& bare) {
    const auto measure = [&] { return compare_samples([&] { return ours.sample(); }, [&] { return bare.sample(); }); };
    return better(measure(), better(measure(), measure()));
  });
}

Measured measure_replayed_launch() {
  return with_both([](Ours& ours, Bare&) -> Measured {
    ours.record_before(launches);
    std::vector<double> samples;
    for (std::size_t i = 0; i < warm_up_pairs + pairs; ++i) samples.push_back(ours.host_time_of_again());
    return {.ours = median(samples)};
  });
}

Measured measure_gain_of_batches() {
  return compare_gains([](auto& side) { return side.one_by_one(); }, [](auto& side) { return side.at_once(); });
}

Measured measure_gain_of_replay() {
  return compare_gains([](auto& side) { return side.at_once(); }, [](auto& side) { return side.again(); });
}

// A training step of XOR from a plan, against a recorded buffer with as many of the smallest dispatches.
Measured measure_vulkan_xor() {
  const auto instance = vulkan_instance();
  if (instance->devices().empty()) return {.skipped = "no Vulkan device"};
  if (std::string why = why_no_gain_shows(); !why.empty()) return {.skipped = why};
  constexpr std::size_t rounds = 20;
  Measured best{.ours = 1e9, .bare = 1e9};
  for (int i = 0; i < devices; ++i) {  // as above
    reset(device("vulkan:0"));
    Bare bare(instance);
    if (!bare.comparable()) return {.skipped = "the Vulkan device has no push descriptors"};
    nn::Sequential net = cli::xor_network();
    net.to(device("vulkan:0"));
    optim::Adam opt(net.parameters(), {.lr = 1e-3});
    const Tensor x = tensor({0, 0, 0, 1, 1, 0, 1, 1}, {4, 2}).to(device("vulkan:0")),
                 y = tensor({0, 1, 1, 0}, {4, 1}).to(device("vulkan:0"));
    const Plan plan = capture([&] {
      tidy([&] {
        opt.zero_grad();
        mse_loss(net(x), y).backward();
        opt.step();
      });
    });
    if (plan.launches() > 14) throw std::runtime_error("a step has " + std::to_string(plan.launches()) + " launches; wanted 14 at most");
    bare.record_before(static_cast<std::size_t>(plan.launches()));
    auto step = [&] {
      plan.run();
      sync();
    };
    best = better(best, compare_samples([&] { return time_of(rounds, step); }, [&] { return bare.all_again(rounds); }));
  }
  return best;
}

// From nothing to a device that takes work: the loader's part is the same on both sides.
Measured measure_device_ready() {
  if (vulkan_instance()->devices().empty()) return {.skipped = "no Vulkan device"};
  device("vulkan:0").slot().close_if_unused();
  if (!close_vulkan_instance()) return {.skipped = "the instance is in use"};
  auto ours = [] {
    { const auto backend = open_vulkan(0); }
    close_vulkan_instance();
  };
  auto bare = [] {
    const VkApplicationInfo application{.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_2};
    const VkInstanceCreateInfo info{.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    VkInstance instance = VK_NULL_HANDLE;
    vkCreateInstance(&info, nullptr, &instance);
    volkLoadInstanceOnly(instance);
    std::uint32_t count = 1;
    VkPhysicalDevice physical = VK_NULL_HANDLE;
    vkEnumeratePhysicalDevices(instance, &count, &physical);
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue{
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    const VkDeviceCreateInfo made{.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue};
    VkDevice handle = VK_NULL_HANDLE;
    vkCreateDevice(physical, &made, nullptr, &handle);
    VolkDeviceTable table;
    volkLoadDeviceTable(&table, handle);
    table.vkDestroyDevice(handle, nullptr);
    vkDestroyInstance(instance, nullptr);
  };
  return compare(1, ours, bare);
}

}  // namespace tidepool::gates

#endif
