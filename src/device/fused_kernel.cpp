#include "device/fused_kernel.h"

#include <tidepool/error.h>

#ifdef TIDEPOOL_VULKAN
#include "backend/vulkan/shaderc.h"
#endif
#include "platform/log.h"

#include <algorithm>
#include <list>
#include <mutex>
#include <utility>

namespace tidepool::inline v0 {

namespace {

struct Remembered {
  std::string text;
  std::shared_ptr<const FusedKernel> kernel;  // null: it does not compile
};
struct FusedKernels {
  std::mutex mutex;
  std::list<Remembered> latest;  // first
};
FusedKernels& all_fused() {
  static auto& only = *new FusedKernels;  // never destroyed: plans may be captured after main
  return only;
}

// Nothing: there is no compiler.
std::vector<std::uint32_t> compile_chain([[maybe_unused]] const ChainShader& chain, [[maybe_unused]] const std::string& text) {
#ifdef TIDEPOOL_VULKAN
  return compile_glsl_if_quick(chain.name, text);
#else
  return {};
#endif
}

}  // namespace

FusedKernel::FusedKernel(const ChainShader& chain, std::vector<std::uint32_t> words) : MadeKernel(chain.name), words_(std::move(words)) {
  def.bindings = static_cast<std::uint8_t>(chain.bindings.size());
  std::ranges::transform(chain.bindings, def.access.begin(), &ChainBinding::access);
  def.covers = 256;
  def.spirv = words_;
}

std::shared_ptr<const FusedKernel> fused_kernel(const ChainShader& chain) {
  FusedKernels& all = all_fused();
  Remembered made{.text = text_of(chain), .kernel = nullptr};
  const std::scoped_lock lock(all.mutex);
  if (const auto known = std::ranges::find(all.latest, made.text, &Remembered::text); known != all.latest.end()) {
    all.latest.splice(all.latest.begin(), all.latest, known);
    return known->kernel;
  }
  try {
    std::vector<std::uint32_t> words = compile_chain(chain, made.text);
    if (words.empty()) return nullptr;
    made.kernel = make_kernel<FusedKernel>(chain, std::move(words));
  } catch (const ArgumentError& error) {
    log_info("launches are not fused: ", error.what());
  }
  auto kernel = made.kernel;
  all.latest.push_front(std::move(made));
  if (all.latest.size() > most_fused_kernels) all.latest.pop_back();
  return kernel;
}

std::size_t fused_kernels() {
  FusedKernels& all = all_fused();
  const std::scoped_lock lock(all.mutex);
  return all.latest.size();
}

void forget_fused_kernels() {
  FusedKernels& all = all_fused();
  const std::scoped_lock lock(all.mutex);
  all.latest.clear();
}

}  // namespace tidepool::inline v0
