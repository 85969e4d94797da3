#include "backend/vulkan/pipelines.h"

#include <algorithm>
#include <utility>

#include "platform/cat.h"

namespace tidepool::inline v0 {

Pipelines::Pipelines(VulkanDevice& device, std::size_t most)
    : device_(device), file_(device.properties), maker_(device, file_.read()), list_(device.properties), warming_(maker_), most_(most) {}

Pipelines::~Pipelines() {
  warming_.stop();
  if (device_.abandoned) return;
  if (fresh_ && !device_.lost) keep();
  list_.write();
  for (const Entry& entry : entries_) maker_.destroy(entry.pipeline);
}

const Pipeline& Pipelines::make(const KernelDef& kernel) {
  if (entries_.size() <= kernel.id) entries_.resize(kernel.id + 1);
  while (live_ + warming_.ready() >= most_ && make_room()) {
  }
  const std::string recipe = list_.kept() ? recipe_of(kernel) : "";
  list_.used(recipe);
  const auto ready = warming_.take(recipe);
  Pipeline made;
  if (ready)
    made = *ready;
  else
    device_.check(maker_.make(kernel, made), cat("making the pipeline of kernel \"", kernel.name, '"').c_str());
  Entry& entry = entries_[kernel.id];
  entry = {.pipeline = made, .holders = 0, .used = ++clock_};
  ++live_;
  fresh_ = true;
  return entry.pipeline;
}

// False when all are held: then there are more for a while.
bool Pipelines::make_room() {
  if (warming_.ready() > 0) {
    warming_.stop();
    return true;
  }
  Entry* oldest = nullptr;
  for (Entry& entry : entries_)
    if (entry.pipeline.handle && entry.holders == 0 && (!oldest || entry.used < oldest->used)) oldest = &entry;
  if (!oldest) return false;
  drop(*oldest);
  return true;
}

void Pipelines::drop(Entry& entry) {
  maker_.destroy(entry.pipeline);
  entry = {};
  --live_;
}

void Pipelines::forget(const KernelDef& kernel) {
  if (kernel.id >= entries_.size() || !entries_[kernel.id].pipeline.handle) return;
  assert(entries_[kernel.id].holders == 0);
  drop(entries_[kernel.id]);
}

void Pipelines::warm() {
  if (std::exchange(warmed_, true)) return;
  std::vector<std::string> recipes = list_.known();
  recipes.resize(std::min(recipes.size(), most_ / 2));
  std::erase_if(recipes, [this](const std::string& recipe) { return list_.is_used(recipe); });
  warming_.start(std::move(recipes));
}

void Pipelines::let_go(std::uint32_t kernel_id) {
  Entry& entry = entries_[kernel_id];
  assert(entry.holders > 0);
  --entry.holders;
  entry.used = ++clock_;
}

void Pipelines::keep_if_due() {
  if (fresh_ && std::chrono::steady_clock::now() - kept_ > std::chrono::seconds(1)) keep();
}

void Pipelines::keep() {
  fresh_ = false;
  kept_ = std::chrono::steady_clock::now();
  if (file_.path().empty()) return;
  if (const std::vector<std::byte> data = maker_.cached(); !data.empty()) file_.write(data);
  list_.write();
}

}  // namespace tidepool::inline v0
