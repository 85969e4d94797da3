// The last so many values of something, in a fixed piece of memory.
//
//     Ring<double> last(1000);
//     last.push(3.5);
//     for (std::size_t i = 0; i < last.size(); ++i) use(last[i]);   // oldest first
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace tidepool::inline v0::monitor {

template <class T>
class Ring {
 public:
  explicit Ring(std::size_t capacity) : capacity_(capacity) { values_.reserve(capacity); }

  void push(T value) {
    if (values_.size() < capacity_) {
      values_.push_back(std::move(value));
      return;
    }
    values_[first_] = std::move(value);
    first_ = (first_ + 1) % capacity_;
  }
  std::size_t size() const { return values_.size(); }
  bool empty() const { return values_.empty(); }
  const T& operator[](std::size_t i) const { return values_[(first_ + i) % values_.size()]; }
  const T& back() const { return (*this)[size() - 1]; }
  std::vector<T> all() const {
    std::vector<T> copy;
    copy.reserve(size());
    for (std::size_t i = 0; i < size(); ++i) copy.push_back((*this)[i]);
    return copy;
  }
  void clear() {
    values_.clear();
    first_ = 0;
  }

 private:
  std::size_t capacity_, first_ = 0;
  std::vector<T> values_;
};

}  // namespace tidepool::inline v0::monitor
