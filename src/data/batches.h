// The batches of a dataset on the host, in order, made ready by a thread where that pays.
#pragma once

#include <tidepool/data.h>

#include <array>
#include <condition_variable>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

namespace tidepool::inline v0::data {

struct BatchOptions {
  std::int64_t batch = 32;
  bool shuffle = false;
  std::uint64_t seed = 0;
  bool drop_last = false;
};

struct HostBatch {
  std::span<const std::byte> x, y;
  std::int64_t rows = 0, epoch = 0, index = 0;
};

class Batches {
 public:
  Batches(const char* operation, const Dataset& dataset, const BatchOptions& options);
  ~Batches();
  Batches(const Batches&) = delete;
  Batches& operator=(const Batches&) = delete;

  const Dataset& dataset() const { return dataset_; }
  std::int64_t per_epoch() const { return per_epoch_; }
  std::int64_t capacity() const { return options_.batch; }
  void seek(std::int64_t epoch, std::int64_t index);  // what next() gives
  // Valid until the next call. Epoch follows epoch.
  HostBatch next();

 private:
  struct Buffer {
    std::vector<std::byte> x, y;
    std::int64_t rows = 0, epoch = 0, index = 0;
    bool ready = false;
  };
  void fill(Buffer& buffer);  // with the batch at epoch_, index_, and moves on
  void order_for(std::int64_t epoch);
  void work();
  void stop();

  Dataset dataset_;
  BatchOptions options_;
  std::int64_t per_epoch_ = 0;
  std::int64_t epoch_ = 0, index_ = 0;  // of the next fill
  std::int64_t ordered_epoch_ = -1;
  std::vector<std::uint32_t> order_;

  bool threaded_ = false;
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable filled_, emptied_;
  bool stopping_ = false;
  std::array<Buffer, 3> buffers_;
  std::size_t taken_ = 0, made_ = 0;  // buffers, counted from the last seek
};

// [rows, sample…]
Shape batch_shape(std::int64_t rows, const Shape& sample);
// A raw batch on the device, as a network takes it: f32, normalised; i32 stays as it is.
Tensor prepared(const Tensor& raw, const Dataset& dataset);

}  // namespace tidepool::inline v0::data
