#include <tidepool/loader.h>

#include <tidepool/error.h>

#include "core/transfer.h"
#include "data/batches.h"
#include "platform/cat.h"

namespace tidepool::inline v0::data {

struct Loader::Inner {
  Inner(const Dataset& dataset, const LoaderOptions& options)
      : batches("Loader", dataset,
                {.batch = options.batch,
                 .shuffle = options.shuffle,
                 .seed = static_cast<std::uint64_t>(options.seed),
                 .drop_last = options.drop_last}),
        device(options.device.slot()) {}
  Batches batches;
  Device device;
  LoaderState at;
  bool begun = false;  // a loop went over some of this epoch
};

Loader::Loader(const Dataset& dataset, const LoaderOptions& options) : inner_(std::make_unique<Inner>(dataset, options)) {}
Loader::Loader(Loader&&) noexcept = default;
Loader& Loader::operator=(Loader&&) noexcept = default;
Loader::~Loader() = default;

std::int64_t Loader::size() const { return inner_->batches.per_epoch(); }
LoaderState Loader::state() const { return inner_->at; }
void Loader::restore(const LoaderState& state) {
  if (state.epoch < 0 || state.batch < 0 || state.batch > size())
    throw ArgumentError("Loader", cat("there is no batch ", state.batch, " in epoch ", state.epoch, " of ", size(), " batches"));
  inner_->at = state;
  inner_->begun = false;
}

Loader::Iterator Loader::begin() {
  Inner& inner = *inner_;
  if (inner.begun) inner.at = {.epoch = inner.at.epoch + 1, .batch = 0};
  inner.begun = true;
  inner.batches.seek(inner.at.epoch, inner.at.batch);
  return Iterator(this);
}

bool Loader::next(Batch& batch) {
  Inner& inner = *inner_;
  if (inner.at.batch >= size()) return false;
  const HostBatch host = inner.batches.next();
  ++inner.at.batch;
  const Dataset& dataset = inner.batches.dataset();
  const auto raw = [&](std::span<const std::byte> bytes, const Shape& sample, DType type) {
    Tensor made = empty(batch_shape(host.rows, sample), {.dtype = type, .device = inner.device});
    upload_bytes("Loader", made, bytes);
    return made;
  };
  batch.x = prepared(raw(host.x, dataset.x_shape(), dataset.x_dtype()), dataset);
  batch.y = raw(host.y, dataset.y_shape(), dataset.y_dtype());
  return true;
}

Loader::Iterator& Loader::Iterator::operator++() {
  if (loader_ && !loader_->next(batch_)) loader_ = nullptr;
  return *this;
}

}  // namespace tidepool::inline v0::data
