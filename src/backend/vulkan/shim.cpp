#include "backend/vulkan/shim.h"

#include "backend/faults.h"
#include "backend/vulkan/vulkan.h"

#include <charconv>
#include <iterator>

namespace tidepool::inline v0 {

namespace {

// All functions that we call through a device's table and that give a result.
#define SHIMMED(X)               \
  X(vkAllocateCommandBuffers)    \
  X(vkAllocateDescriptorSets)    \
  X(vkAllocateMemory)            \
  X(vkBeginCommandBuffer)        \
  X(vkBindBufferMemory)          \
  X(vkCreateBuffer)              \
  X(vkCreateCommandPool)         \
  X(vkCreateComputePipelines)    \
  X(vkCreateDescriptorPool)      \
  X(vkCreateDescriptorSetLayout) \
  X(vkCreateFence)               \
  X(vkCreatePipelineCache)       \
  X(vkCreatePipelineLayout)      \
  X(vkCreateQueryPool)           \
  X(vkCreateShaderModule)        \
  X(vkEndCommandBuffer)          \
  X(vkGetFenceStatus)            \
  X(vkGetPipelineCacheData)      \
  X(vkGetQueryPoolResults)       \
  X(vkMapMemory)                 \
  X(vkQueueSubmit)               \
  X(vkResetCommandPool)          \
  X(vkResetDescriptorPool)       \
  X(vkResetFences)               \
  X(vkWaitForFences)

constexpr std::string_view functions[] = {"vkCreateDevice",  // of the instance; device.cpp asks by itself
#define NAME(function) #function,
                                          SHIMMED(NAME)
#undef NAME
};

// The function under a shim is the loader's, which finds the driver by the handle: it serves every device.
template <class Tag, class Function>
struct Shim;
template <class Tag, class... Arguments>
struct Shim<Tag, VkResult(VKAPI_PTR*)(Arguments...)> {
  using Function = VkResult(VKAPI_PTR*)(Arguments...);
  static inline std::atomic<Function> under = nullptr;
  static VKAPI_ATTR VkResult VKAPI_CALL call(Arguments... arguments) {
    if (const int result = vulkan_fault_at(Tag::name)) [[unlikely]]
      return static_cast<VkResult>(result);
    return under.load(std::memory_order_relaxed)(arguments...);
  }
};

#define TAG(function)                              \
  struct function##_tag {                          \
    static constexpr const char* name = #function; \
  };
SHIMMED(TAG)
#undef TAG

}  // namespace

bool is_shimmed(std::string_view function) {
  for (const std::string_view known : functions)
    if (known == function) return true;
  return false;
}

std::optional<int> vulkan_result(std::string_view name) {
  int value = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), value);
  if (error == std::errc{} && end == name.data() + name.size()) return value;
  for (value = VK_ERROR_UNKNOWN; value <= VK_INCOMPLETE; ++value)
    if (name_of(static_cast<VkResult>(value)) == name) return value;
  return std::nullopt;
}

void put_shims(VolkDeviceTable& table, VkInstance instance) {
#define PUT(function)                                                                                                         \
  Shim<function##_tag, PFN_##function>::under = reinterpret_cast<PFN_##function>(vkGetInstanceProcAddr(instance, #function)); \
  table.function = Shim<function##_tag, PFN_##function>::call;
  SHIMMED(PUT)
#undef PUT
}

}  // namespace tidepool::inline v0
