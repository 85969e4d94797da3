// Batches of a dataset, on a device. Their order follows from the seed and the epoch alone, and a thread makes the next
// ones ready.
//
//     tp::data::Loader loader(train, {.batch = 64, .shuffle = true, .seed = 1});
//     for (int epoch = 0; epoch < 3; ++epoch)
//       for (auto [x, y] : loader) { ... }     // each time in another order
#pragma once

#include <tidepool/data.h>
#include <tidepool/device.h>
#include <tidepool/tensor.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>

namespace tidepool::inline v0 {
namespace data {

struct LoaderOptions {
  std::int64_t batch = 32;
  bool shuffle = false;
  std::int64_t seed = 0;
  bool drop_last = false;  // leaves out a last batch that is not full
  Device device = {};      // the default device when the loader is made
};

struct Batch {
  Tensor x, y;  // x is f32, normalised as the dataset says, unless the samples are i32
};

// Where a loader stands: enough to go on from there in another process.
struct LoaderState {
  std::int64_t epoch = 0;
  std::int64_t batch = 0;  // the next one of that epoch
};

class Batches;

class TIDEPOOL_API Loader {
 public:
  explicit Loader(const Dataset& dataset, const LoaderOptions& options = {});
  Loader(Loader&&) noexcept;
  Loader& operator=(Loader&&) noexcept;
  ~Loader();
  std::int64_t size() const;  // batches of an epoch
  LoaderState state() const;
  void restore(const LoaderState& state);  // the next loop begins there

  class TIDEPOOL_API Iterator {
   public:
    using value_type = Batch;
    using difference_type = std::ptrdiff_t;
    const Batch& operator*() const { return batch_; }
    const Batch* operator->() const { return &batch_; }
    Iterator& operator++();
    void operator++(int) { ++*this; }
    friend bool operator==(const Iterator& a, std::default_sentinel_t) { return !a.loader_; }

   private:
    friend class Loader;
    explicit Iterator(Loader* loader) : loader_(loader) { ++*this; }
    Loader* loader_;
    Batch batch_;
  };
  Iterator begin();  // the next epoch, or the rest of one that was restored
  std::default_sentinel_t end() const { return {}; }

 private:
  bool next(Batch& batch);
  struct Inner;
  std::unique_ptr<Inner> inner_;
};

}  // namespace data
}  // namespace tidepool::inline v0
