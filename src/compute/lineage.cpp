#include "compute/lineage.h"

#include <tidepool/error.h>
#include <tidepool/memory.h>

#include "platform/cat.h"

#include <algorithm>

namespace tidepool::inline v0 {

namespace {
bool is_gone(const Node& node) {
  if (node.released) return false;  // that is another matter
  Stream& stream = *node.storage->owner->stream;
  const StreamLock lock(stream);
  return !stream.alive();
}
}  // namespace

void Lineage::remember(const Tensor& made, std::shared_ptr<const Origin> origin) {
  entries_[made.node()] = {made.shared(), std::move(origin)};
}

std::shared_ptr<const Origin> Lineage::origin_of(const Tensor& tensor) const {
  const auto found = entries_.find(tensor.node());
  // The address may be another tensor's by now.
  return found != entries_.end() && found->second.node.lock() == tensor.shared() ? found->second.origin : nullptr;
}

void Lineage::forget_destroyed() {
  std::erase_if(entries_, [](const auto& entry) {
    const std::shared_ptr<Node> node = entry.second.node.lock();
    return !node || node->released;
  });
}

bool Lineage::any_gone() const {
  return std::ranges::any_of(entries_, [](const auto& entry) {
    const std::shared_ptr<Node> node = entry.second.node.lock();
    return node && is_gone(*node);
  });
}

void Lineage::restore(const Device& device) {
  for (const auto& [address, entry] : entries_) {
    const std::shared_ptr<Node> node = entry.node.lock();
    if (!node || !is_gone(*node)) continue;
    const Tensor again = made_again(*entry.origin, device);
    if (!(again.shape() == node->shape) || again.dtype() != node->dtype)
      throw Error("restore",
                  cat("the function gave ", again.dtype(), " ", again.shape(), " where it had given ", node->dtype, " ", node->shape));
    node->rehome(device.slot(), again.node()->storage, again.node()->offset);
  }
}

Tensor made_again(const Origin& origin, const Device& device) {
  if (!origin.from) return from_host(origin.host, {static_cast<std::int64_t>(origin.host.size())}, device);
  return tidy([&] { return (*origin.function)(made_again(*origin.from, device)); });
}

}  // namespace tidepool::inline v0
