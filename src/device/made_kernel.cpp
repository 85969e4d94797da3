#include "device/made_kernel.h"

#include "device/slot.h"

#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace tidepool::inline v0 {

namespace {

struct MadeNames {
  std::mutex mutex;
  std::vector<std::uint32_t> free_ids;
  std::set<std::string, std::less<>> names;
};
MadeNames& made_names() {
  static auto& only = *new MadeNames;  // never destroyed: kernels may be destroyed after main
  return only;
}

constinit std::mutex aside_mutex;
constinit MadeKernel* aside = nullptr;
constinit std::size_t aside_count = 0;

std::uint32_t take_id() {
  MadeNames& r = made_names();
  const std::scoped_lock lock(r.mutex);
  if (r.free_ids.empty()) return last_kernel_id.fetch_add(1) + 1;
  const std::uint32_t id = r.free_ids.back();
  r.free_ids.pop_back();
  return id;
}

}  // namespace

const char* lasting_name(std::string_view name) {
  constexpr std::size_t most_names = 4096;  // a program that makes up ever new ones is not to eat the memory
  MadeNames& r = made_names();
  const std::scoped_lock lock(r.mutex);
  if (const auto found = r.names.find(name); found != r.names.end()) return found->c_str();
  return r.names.size() < most_names ? r.names.emplace(name).first->c_str() : "(kernel)";
}

MadeKernel::MadeKernel(std::string_view name) : def{.name = lasting_name(name)} { def.id = take_id(); }

MadeKernel::~MadeKernel() {
  MadeNames& r = made_names();
  const std::scoped_lock lock(r.mutex);
  r.free_ids.push_back(def.id);
}

void set_aside(MadeKernel* kernel) noexcept {
  const std::scoped_lock lock(aside_mutex);
  kernel->next_ = aside;
  aside = kernel;
  ++aside_count;
}

void forget_made_kernels(std::size_t more_than) {
  MadeKernel* gone = nullptr;
  {
    const std::scoped_lock lock(aside_mutex);
    if (aside_count <= more_than) return;
    gone = std::exchange(aside, nullptr);
    aside_count = 0;
  }
  for (DeviceSlot* slot : all_slots())
    if (const auto stream = slot->stream_if_open()) {
      const StreamLock lock(*stream);
      for (const MadeKernel* kernel = gone; kernel; kernel = kernel->next_) stream->forget(kernel->def);
    }
  while (gone) delete std::exchange(gone, gone->next_);
}

}  // namespace tidepool::inline v0
