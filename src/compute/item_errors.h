// What went wrong with items, by their index.
#pragma once

#include <tidepool/compute.h>

#include <exception>
#include <vector>

namespace tidepool::inline v0 {

class ItemErrors {
 public:
  void clear() { all_.clear(); }
  const FailedItem& add(std::int64_t index, const std::exception_ptr& error);
  const std::vector<FailedItem>& all() const { return all_; }
  std::int64_t count() const { return static_cast<std::int64_t>(all_.size()); }
  bool has(std::int64_t index) const;
  void forget_from(std::int64_t index);  // they are tried again

 private:
  std::vector<FailedItem> all_;  // by index
};

// Throws an error of the same type that names the item: "run: item 7: matmul: inner sizes differ: …". What is no error of ours becomes an
// Error.
[[noreturn]] void throw_for_item(const char* operation, const FailedItem& item);

}  // namespace tidepool::inline v0
