#include <tidepool/memory.h>

#include "core/node.h"
#include "core/thread_state.h"

#include <algorithm>

namespace tidepool::inline v0 {

struct Tidy::Scope : TidyScope {};

void TidyScope::add(const std::shared_ptr<Node>& node) {
  if (made.size() >= purge_at) {
    std::erase_if(made, [](const std::weak_ptr<Node>& entry) { return entry.expired(); });
    purge_at = std::max<std::size_t>(64, 2 * made.size());
  }
  made.push_back(node);
}

Tidy::Tidy() : scope_(new Scope) {
  scope_->outer = thread_state.scope;
  thread_state.scope = scope_;
}

Tidy::~Tidy() {
  thread_state.scope = scope_->outer;
  for (const std::weak_ptr<Node>& entry : scope_->made)
    if (const std::shared_ptr<Node> node = entry.lock(); node && !node->kept) node->release();
  delete scope_;
}

void Tidy::pass_on(const Tensor& tensor) {
  const std::shared_ptr<Node>& node = tensor.shared();
  if (!node) return;
  auto& made = scope_->made;
  const auto mine = std::find_if(made.begin(), made.end(), [&](const std::weak_ptr<Node>& entry) { return entry.lock() == node; });
  if (mine == made.end()) return;
  made.erase(mine);
  if (scope_->outer) scope_->outer->add(node);
}

const Tensor& keep(const Tensor& tensor) {
  usable("keep", tensor).kept = true;
  return tensor;
}

}  // namespace tidepool::inline v0
