// How tensors came to be, so that they can come to be again when their device was lost.
//
//     lineage.remember(x, Origin::of(values));                 // from the host
//     lineage.remember(y, lineage.origin_of(x), function);     // by the function, from x
//     lineage.restore(device);                                 // new memory with the same values under x and y
#pragma once

#include <tidepool/compute.h>

#include "core/node.h"

#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

namespace tidepool::inline v0 {

struct Origin {
  std::vector<float> host;                            // the values, or
  std::shared_ptr<const Origin> from;                 // what the
  std::shared_ptr<const Compute::Function> function;  // was called with
};

class Lineage {
 public:
  void remember(const Tensor& made, std::shared_ptr<const Origin> origin);
  std::shared_ptr<const Origin> origin_of(const Tensor& tensor) const;  // null: it came from elsewhere
  bool any_gone() const;                                                // with the device that they were on
  // Those that are gone and that somebody still has, each from the host's values.
  void restore(const Device& device);
  void forget_destroyed();

 private:
  struct Entry {
    std::weak_ptr<Node> node;
    std::shared_ptr<const Origin> origin;
  };
  std::unordered_map<const Node*, Entry> entries_;
};

Tensor made_again(const Origin& origin, const Device& device);

}  // namespace tidepool::inline v0
