#include "data/batches.h"

#include <tidepool/error.h>
#include <tidepool/ops.h>

#include "platform/cat.h"

#include <cstring>
#include <limits>
#include <numeric>

namespace tidepool::inline v0::data {

namespace {

// Handing a batch from thread to thread costs more than copying so many bytes.
constexpr std::size_t worth_a_thread = std::size_t{64} << 10;

std::uint64_t mixed(std::uint64_t x) {  // splitmix64's finisher
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

std::size_t row_bytes(std::span<const std::byte> all, std::int64_t rows) { return all.size() / static_cast<std::size_t>(rows); }

void copy_rows(std::span<const std::byte> all, std::size_t row, const std::uint32_t* order, std::size_t count, std::byte* to) {
  if (row == 0) return;  // samples of no bytes are nowhere
  for (std::size_t i = 0; i < count; ++i) std::memcpy(to + i * row, all.data() + order[i] * row, row);
}

}  // namespace

Batches::Batches(const char* operation, const Dataset& dataset, const BatchOptions& options) : dataset_(dataset), options_(options) {
  if (dataset.size() == 0) throw ArgumentError(operation, "the dataset has no samples");
  if (options.batch < 1) throw ArgumentError(operation, cat("batch is ", options.batch, "; wanted 1 or more"));
  if (dataset.size() > std::numeric_limits<std::int32_t>::max())
    throw ArgumentError(operation, cat("the dataset has ", dataset.size(), " samples; 2,147,483,647 are the most"));
  if (options.drop_last && options.batch > dataset.size())
    throw ArgumentError(operation, cat("drop_last leaves nothing: the dataset has ", dataset.size(), " samples, a batch ", options.batch,
                                       "; set .batch to ", dataset.size(), " or less, or leave drop_last out"));
  options_.batch = std::min(options.batch, dataset.size());
  per_epoch_ = options.drop_last ? dataset.size() / options_.batch : (dataset.size() + options_.batch - 1) / options_.batch;
  order_.resize(static_cast<std::size_t>(dataset.size()));
  const auto rows = static_cast<std::size_t>(options_.batch);
  const std::size_t bytes = rows * (row_bytes(dataset_.x_bytes(), dataset.size()) + row_bytes(dataset_.y_bytes(), dataset.size()));
  threaded_ = bytes >= worth_a_thread;
  for (Buffer& buffer : std::span(buffers_).first(threaded_ ? buffers_.size() : 1)) {
    buffer.x.resize(rows * row_bytes(dataset_.x_bytes(), dataset.size()));
    buffer.y.resize(rows * row_bytes(dataset_.y_bytes(), dataset.size()));
  }
}

Batches::~Batches() { stop(); }

void Batches::stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  emptied_.notify_one();
  thread_.join();
  stopping_ = false;
}

void Batches::seek(std::int64_t epoch, std::int64_t index) {
  stop();
  epoch_ = epoch + index / per_epoch_;
  index_ = index % per_epoch_;
  taken_ = made_ = 0;
  for (Buffer& buffer : buffers_) buffer.ready = false;
}

// Fisher and Yates, by numbers that depend on seed and epoch only.
void Batches::order_for(std::int64_t epoch) {
  if (ordered_epoch_ == epoch) return;
  const bool first = ordered_epoch_ < 0;
  ordered_epoch_ = epoch;
  if (!options_.shuffle && !first) return;
  std::iota(order_.begin(), order_.end(), 0U);
  if (!options_.shuffle) return;
  std::uint64_t state = mixed(options_.seed + 0x9e3779b97f4a7c15U) + mixed(static_cast<std::uint64_t>(epoch));
  for (std::size_t left = order_.size(); left > 1; --left) {
    state += 0x9e3779b97f4a7c15U;
    const std::size_t pick = static_cast<std::size_t>(((mixed(state) >> 32) * left) >> 32);
    std::swap(order_[left - 1], order_[pick]);
  }
}

void Batches::fill(Buffer& buffer) {
  order_for(epoch_);
  const std::int64_t begin = index_ * options_.batch;
  buffer.rows = std::min(options_.batch, dataset_.size() - begin);
  buffer.epoch = epoch_;
  buffer.index = index_;
  const auto count = static_cast<std::size_t>(buffer.rows);
  const std::uint32_t* const order = order_.data() + begin;
  copy_rows(dataset_.x_bytes(), row_bytes(dataset_.x_bytes(), dataset_.size()), order, count, buffer.x.data());
  copy_rows(dataset_.y_bytes(), row_bytes(dataset_.y_bytes(), dataset_.size()), order, count, buffer.y.data());
  if (++index_ == per_epoch_) {
    index_ = 0;
    ++epoch_;
  }
}

void Batches::work() {
  for (;;) {
    Buffer& buffer = buffers_[made_ % buffers_.size()];
    {
      std::unique_lock lock(mutex_);
      emptied_.wait(lock, [&] { return stopping_ || !buffer.ready; });
      if (stopping_) return;
    }
    fill(buffer);
    {
      const std::lock_guard lock(mutex_);
      buffer.ready = true;
      ++made_;
    }
    filled_.notify_one();
  }
}

HostBatch Batches::next() {
  Buffer* buffer = &buffers_[0];
  if (!threaded_) {
    fill(*buffer);
  } else {
    if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
    std::unique_lock lock(mutex_);
    if (taken_ > 0) {  // the one before is done with
      buffers_[(taken_ - 1) % buffers_.size()].ready = false;
      emptied_.notify_one();
    }
    buffer = &buffers_[taken_ % buffers_.size()];
    filled_.wait(lock, [&] { return buffer->ready; });
    ++taken_;
  }
  const auto rows = static_cast<std::size_t>(buffer->rows), all = static_cast<std::size_t>(options_.batch);
  return {.x = std::span(buffer->x).first(buffer->x.size() / all * rows),
          .y = std::span(buffer->y).first(buffer->y.size() / all * rows),
          .rows = buffer->rows,
          .epoch = buffer->epoch,
          .index = buffer->index};
}

Shape batch_shape(std::int64_t rows, const Shape& sample) {
  std::vector<std::int64_t> sizes{rows};
  for (std::int64_t axis = 0; axis < sample.rank(); ++axis) sizes.push_back(sample[axis]);
  return Shape(std::span<const std::int64_t>(sizes));
}

Tensor prepared(const Tensor& raw, const Dataset& dataset) {
  if (raw.dtype() == DType::i32) return raw;
  const bool bytes = raw.dtype() == DType::u8;
  const double scale = (bytes ? 1.0 / 255 : 1.0) / dataset.deviation(), shift = -dataset.mean() / dataset.deviation();
  Tensor x = raw.to(DType::f32);
  if (scale != 1) x = x * static_cast<float>(scale);
  if (shift != 0) x = x + static_cast<float>(shift);
  return x;
}

}  // namespace tidepool::inline v0::data
