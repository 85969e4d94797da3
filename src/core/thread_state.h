// What belongs to the calling thread: its tidy scope and whether it records gradients.
#pragma once

#include <memory>
#include <vector>

namespace tidepool::inline v0 {

struct Node;

struct TidyScope {
  TidyScope* outer = nullptr;
  std::vector<std::weak_ptr<Node>> made;
  std::size_t purge_at = 64;  // dead entries are swept out when it grows to this
  void add(const std::shared_ptr<Node>& node);
};

struct ThreadState {
  TidyScope* scope = nullptr;
  bool no_grad = false;
};

inline constinit thread_local ThreadState thread_state{};

}  // namespace tidepool::inline v0
