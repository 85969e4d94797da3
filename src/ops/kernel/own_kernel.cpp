#include "ops/kernel/own_kernel.h"

#include <tidepool/error.h>

#ifdef TIDEPOOL_VULKAN
#include "backend/vulkan/shaderc.h"
#include "backend/vulkan/spirv.h"
#endif
#include "device/slot.h"
#include "platform/cat.h"

#include <algorithm>
#include <bit>

namespace tidepool::inline v0 {

namespace {

// What a shader gets that does not say its own version. Long lines of workgroups are folded into y.
[[maybe_unused]] constexpr std::string_view prologue = R"(#version 450
layout(local_size_x = 64) in;
uint item() { return (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * gl_WorkGroupSize.x + gl_LocalInvocationID.x; }
)";

}  // namespace

OwnKernel::OwnKernel(const KernelOptions& options)
    : MadeKernel(options.name.empty() ? "kernel" : options.name),
      name(options.name.empty() ? "kernel" : options.name),
      cpu_(options.cpu),
      glsl_(options.glsl) {
  check_options(options);
  def.bindings = static_cast<std::uint8_t>(options.bindings);
  for (const std::int64_t i : options.writes) def.access[static_cast<std::size_t>(i)] = Access::read_write;
  def.shifts = false;
  def.folds = false;
  if (cpu_) {
    def.cpu = run_on_cpu;
    def.program = this;
  }
#ifdef TIDEPOOL_VULKAN
  if (!options.spirv.empty()) {
    read_shader(name, options.spirv);  // quick, and the validator is not, with words that were made to keep it busy
    require_valid(name, options.spirv);
    use(options.spirv);
  } else if (!glsl_.empty()) {
    try {
      compile();                    // so that mistakes in it show at once, on every device
    } catch (const DeviceError&) {  // there is no compiler: whoever runs it on Vulkan hears of that
    }
  }
#endif
}

void OwnKernel::check_options(const KernelOptions& options) {
  const std::int64_t bindings = options.bindings;
  const auto most = static_cast<std::int64_t>(max_bindings);
  if (bindings < 1 || bindings > most) throw ArgumentError(name, cat("bindings is ", bindings, "; wanted 1 to ", most));
  if (options.writes.empty()) throw ArgumentError(name, "it writes nothing, so it has no results; name what it writes in writes");
  for (const std::int64_t i : options.writes)
    if (i < 0 || i >= bindings) throw ArgumentError(name, cat("it writes binding ", i, "; there are 0 to ", bindings - 1));
  if (!options.glsl.empty() && !options.spirv.empty()) throw ArgumentError(name, "got both glsl and spirv; wanted one of them");
  if (!options.cpu && options.glsl.empty() && options.spirv.empty())
    throw ArgumentError(name, "it has no form to run in; give it glsl or spirv for Vulkan, cpu for the CPU, or both");
}

void OwnKernel::compile() {
#ifdef TIDEPOOL_VULKAN
  const bool whole = says_its_version(glsl_);
  def.folds = !whole;
  use(compile_glsl(name, glsl_, whole ? std::string_view{} : prologue));
#endif
}

void OwnKernel::use(std::vector<std::uint32_t> words) {
#ifdef TIDEPOOL_VULKAN
  const ShaderFacts facts = read_shader(name, words);
  for (std::uint32_t i = 0; i < max_bindings; ++i) {
    if (!(facts.bound & 1U << i)) continue;
    if (i >= def.bindings) throw ArgumentError(name, cat("the shader has binding ", i, "; the kernel has 0 to ", def.bindings - 1));
    if ((facts.written & 1U << i) && !writes(def.access[i]))
      throw ArgumentError(name, cat("the shader writes binding ", i, ", which is not named in writes"));
  }
  if (facts.param_bytes > max_param_bytes)
    throw ArgumentError(name, cat("the shader has ", facts.param_bytes, " bytes of push constants; wanted at most ", max_param_bytes));
  words_ = std::move(words);
  shader_params_ = facts.param_bytes;
  def.spirv = words_;
  def.group = facts.group;
  def.needs = facts.needs;
  glsl_.clear();
#else
  (void)words;
#endif
}

void OwnKernel::make_ready(const Stream& stream) {
  const std::string& device = stream.slot().id();
  if (!stream.info().shaders) {
    if (!cpu_)
      throw DeviceError(
          name, cat("it has no CPU function, so it cannot run on ", device, "; add one as cpu, or move the tensors to a Vulkan device"));
    return;
  }
  const std::scoped_lock lock(mutex_);
  if (!words_.empty()) return;
  if (glsl_.empty())
    throw DeviceError(name, cat("it has no shader, so it cannot run on ", device,
                                "; add one as glsl or spirv, or move the tensors with to(device(\"cpu\"))"));
  compile();
}

void OwnKernel::check_params(std::size_t bytes, bool by_shader) const {
  const std::int64_t before = param_bytes_.load(std::memory_order_relaxed);
  if (before >= 0 && static_cast<std::size_t>(before) != bytes)
    throw ArgumentError(name, cat("got ", bytes, " bytes of parameters; wanted ", before, ", as in its calls before"));
  if (by_shader && shader_params_ > ((bytes + 3) & ~std::size_t{3}))
    throw ArgumentError(name, cat("got ", bytes, " bytes of parameters; the shader reads ", shader_params_));
}

void OwnKernel::run_on_cpu(const CpuCall& call) {
  const auto& kernel = *static_cast<const OwnKernel*>(call.program);
  KernelCall own(call, kernel);
  kernel.cpu_(own);
}

}  // namespace tidepool::inline v0
