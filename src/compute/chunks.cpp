#include <tidepool/error.h>
#include <tidepool/memory.h>

#include "compute/computing.h"
#include "core/transfer.h"
#include "device/settings.h"
#include "device/slot.h"
#include "platform/cat.h"

#include <algorithm>
#include <utility>

namespace tidepool::inline v0 {

namespace {

std::size_t live_bytes(const Device& device) { return memory(device).live_bytes; }

// What is free for us: the device's free memory and what lies idle in its pool, within the limit.
std::size_t free_bytes(const Device& device) {
  return with_stream(device.slot(), [](Stream& stream) {
    const PoolStats pool = stream.figures();
    const std::size_t limit = current_settings().memory_limit, there = stream.backend().info().memory_free + pool.cached();
    return limit ? std::min(there, limit - std::min(limit, pool.live + pool.lasting)) : there;
  });
}

}  // namespace

// Items on the device, as many as belong together and fit.
Compute::Inner::Chunk Compute::Inner::gather(std::int64_t first, const Input& input) {
  const std::int64_t last = std::min(items_, first + next_chunk_size());
  Chunk chunk{.begin = first, .end = first, .live_before = live_bytes(device_), .inputs = {}, .made = {}, .no_room = {}};
  for (; chunk.end < last; ++chunk.end) try {
      chunk.inputs.emplace_back();
      chunk.inputs.back() = input(chunk.end);
    } catch (const OutOfMemory&) {
      chunk.inputs.pop_back();
      no_room(chunk);
      break;
    } catch (...) {
      fail(chunk.end);
    }
  return chunk;
}

// One that has no room beside the others begins the next chunk; this one is empty when the first has none.
void Compute::Inner::no_room(Chunk& chunk) {
  chunk.no_room = std::current_exception();
  chunk_ = std::max<std::int64_t>(1, (chunk.end - chunk.begin) / 2);
}

void Compute::Inner::compute(Chunk& chunk, const Function& function) {
  const std::uint64_t before = with_stream(device_.slot(), [](Stream& stream) { return stream.submit(); });
  const std::int64_t last = std::exchange(chunk.end, chunk.begin);
  chunk.made.reserve(chunk.inputs.size());
  for (; chunk.end < last; ++chunk.end) try {
      chunk.made.emplace_back();
      if (!errors_.has(chunk.end)) chunk.made.back() = call(function, chunk.input_of(chunk.end));
    } catch (const OutOfMemory&) {
      chunk.made.pop_back();
      no_room(chunk);
      break;
    } catch (...) {
      fail(chunk.end);
    }
  chunk.inputs.resize(chunk.made.size());
  if (chunk.empty()) return;
  submit(chunk, function, before);
  measure(chunk);
  if (!chunk.no_room) chunk_ = std::min(2 * chunk_, options_.chunk > 0 ? options_.chunk : most_at_once);
}

Tensor Compute::Inner::call(const Function& function, const Tensor& item) const {
  Tensor made = tidy([&] { return function(item); });
  if (!made.defined()) throw ReleasedError(operation_, "the function gave an empty tensor");
  return made;
}

// Values that are wrong are found on the device. Whose they were is found by trying the items one by one.
void Compute::Inner::submit(Chunk& chunk, const Function& function, std::uint64_t before) {
  try {
    with_stream(device_.slot(), [&](Stream& stream) {
      stream.commit();
      if (stream.may_complain_since(before)) stream.sync();
    });
  } catch (const ArgumentError&) {
    const std::int64_t failed = errors_.count();
    one_by_one(chunk, function);
    if (errors_.count() == failed) throw;  // it was somebody else's, who may never hear of it otherwise
  }
}

void Compute::Inner::one_by_one(Chunk& chunk, const Function& function) {
  for (std::int64_t item = chunk.begin; item < chunk.end; ++item) {
    if (errors_.has(item)) continue;
    Tensor& made = chunk.made_of(item);
    made = {};
    try {
      made = call(function, chunk.input_of(item));
      with_stream(device_.slot(), [](Stream& stream) { stream.sync(); });
    } catch (...) {
      made = {};
      fail(item);
    }
  }
}

// In memory that no work under way reads, or writing it would have to wait: that of the chunk before the last, where it is large enough and
// nobody has kept a part of it.
Tensor Compute::Inner::stage(std::span<const float> values, std::size_t side, std::size_t place) {
  std::vector<Tensor>& there = staged_[side];
  if (there.size() <= place) there.resize(place + 1);
  Tensor& buffer = there[place];
  const auto count = static_cast<std::int64_t>(values.size());
  if (buffer.defined() && !buffer.released() && buffer.numel() >= count &&
      buffer.node()->storage->handles.load(std::memory_order_relaxed) == 1) {
    upload_bytes(operation_, buffer, std::as_bytes(values));
  } else {
    buffer = {};
    buffer = from_host(values, {count}, device_);
  }
  return buffer.slice(0, count);
}

std::int64_t Compute::Inner::next_chunk_size() {
  if (options_.chunk > 0) return chunk_;
  if (item_bytes_ == 0) return 1;                                     // to see how much it takes
  const std::size_t fitting = free_bytes(device_) / 4 / item_bytes_;  // of two chunks, and what the function takes for itself
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(std::min<std::size_t>(fitting, most_at_once)), 1, chunk_);
}

void Compute::Inner::measure(const Chunk& chunk) {
  if (options_.chunk > 0) return;
  const std::size_t now = live_bytes(device_), taken = now - std::min(now, chunk.live_before);
  item_bytes_ = std::max({std::size_t{64}, item_bytes_, taken / chunk.made.size()});
}

void Compute::Inner::deliver(Chunk& chunk, Results& results) {
  for (std::int64_t item = chunk.begin; item < chunk.end; ++item) {
    Tensor& made = chunk.made_of(item);
    if (!made.defined() || errors_.has(item)) continue;
    try {
      results[static_cast<std::size_t>(item)] = made.to_host<float>();
    } catch (...) {
      fail(item);
    }
    made = {};
  }
}

}  // namespace tidepool::inline v0
