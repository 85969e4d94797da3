#include "compute/computing.h"

#include <tidepool/error.h>

#include "core/checks.h"
#include "device/capture.h"
#include "device/slot.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace tidepool::inline v0 {

namespace {

// Memory is as it was, however a call ends.
template <class T>
class Cleared {
 public:
  explicit Cleared(T& what) : what_(what) {}
  ~Cleared() { what_ = {}; }
  Cleared(const Cleared&) = delete;
  Cleared& operator=(const Cleared&) = delete;

 private:
  T& what_;
};

}  // namespace

Compute::Inner::Inner(const ComputeOptions& options) : options_(options) {
  require_at_least("compute", "chunk", options.chunk, 0);
  require_at_least("compute", "max_recoveries", options.max_recoveries, 0);
  options_.chunk = std::min(options_.chunk, std::numeric_limits<std::int64_t>::max() / 4);  // it is doubled, and added to an item's index
}

// A value that is wrong in what came before is not an item's.
void Compute::Inner::begin(const char* operation, std::size_t items) {
  Capture::refuse(operation);
  operation_ = operation;
  items_ = static_cast<std::int64_t>(items);
  chunk_ = options_.chunk > 0 ? options_.chunk : most_at_once;
  item_bytes_ = 0;
  furthest_ = -1;
  fruitless_ = 0;
  errors_.clear();
  lineage_.forget_destroyed();
  if (!moved_) device_ = Device(options_.device.slot());  // the default may have become another
  try {
    with_stream(device_.slot(), [](Stream& stream) {
      if (stream.alive() && stream.may_complain_since(0)) stream.sync();
    });
  } catch (const DeviceLost&) {  // over_losses meets it next
  }
}

// The device that is lost is not the item's fault.
void Compute::Inner::fail(std::int64_t item, const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const DeviceLost&) {
    if (is_gone()) throw;
  } catch (...) {
  }
  const FailedItem& failed = errors_.add(item, error);
  if (options_.on_error == OnError::stop) throw_for_item(operation_, failed);
}

// The first item of a chunk in which nothing had room.
void Compute::Inner::fail_alone(Chunk& chunk) {
  fail(chunk.begin, chunk.no_room);
  chunk.end = chunk.begin + 1;
  chunk.made.resize(1);
  chunk.inputs.resize(1);
}

void Compute::Inner::tell_progress(std::int64_t done) {
  if (options_.on_progress) options_.on_progress({.done = done, .items = items_, .failed = errors_.count()});
}

// The host stages and submits a chunk while the device is busy with the one before, and then fetches that one's results.
Compute::Results Compute::Inner::run(const Items& items, const Function& function) {
  begin("run", items.size());
  Results results(items.size());
  std::int64_t delivered = 0;
  const Cleared cleared(staged_);
  over_losses(
      [&] {
        std::int64_t next = delivered, without_room = -1;
        std::size_t side = 0;
        const auto stage_from = [&](std::int64_t first) {
          errors_.forget_from(first);
          side = 1 - side;
          return gather(first, [&](std::int64_t item) {
            return stage(items[static_cast<std::size_t>(item)], side, static_cast<std::size_t>(item - first));
          });
        };
        Chunk behind{}, now = stage_from(next), after{};
        if (options_.chunk > 0 && !now.no_room) after = stage_from(now.end);  // while nothing is under way that it could have to wait for
        while (next < items_ || !behind.empty()) {
          if (!now.empty()) compute(now, function);
          if (now.no_room) after = {};
          if (now.empty() && next < items_ && behind.empty()) {
            staged_ = {};
            if (std::exchange(without_room, next) == next) fail_alone(now);  // the second time: now it had all there is
          }
          next = now.end;
          if (!behind.empty()) {
            deliver(behind, results);
            delivered = behind.end;
            behind = {};
            tell_progress(delivered);
          }
          behind = std::move(now);
          now = after.empty() ? stage_from(next) : std::exchange(after, {});
        }
      },
      [&] { return delivered; });
  return results;
}

std::vector<Tensor> Compute::Inner::upload(const Items& items) {
  begin("upload", items.size());
  std::vector<Tensor> made(items.size());
  std::int64_t done = 0;
  over_losses(
      [&] {
        for (; done < items_; ++done) {
          const std::span<const float> values = items[static_cast<std::size_t>(done)];
          Tensor& tensor = made[static_cast<std::size_t>(done)];
          try {
            tensor = from_host(values, {static_cast<std::int64_t>(values.size())}, device_);
          } catch (...) {
            fail(done);
          }
          if (tensor.defined() && options_.max_recoveries > 0)
            lineage_.remember(tensor, std::make_shared<Origin>(Origin{.host = {values.begin(), values.end()}, .from = {}, .function = {}}));
          if ((done + 1) % chunk_ == 0 || done + 1 == items_) tell_progress(done + 1);
        }
      },
      [&] { return done; });
  return made;
}

std::vector<Tensor> Compute::Inner::map(const std::vector<Tensor>& items, const Function& function) {
  begin("map", items.size());
  std::vector<Tensor> made(items.size());
  const auto shared = std::make_shared<const Function>(function);
  std::int64_t done = 0;
  over_losses(
      [&] {
        errors_.forget_from(done);
        std::uint64_t behind = 0;
        while (done < items_) {
          Chunk chunk = gather(done, [&](std::int64_t item) { return items[static_cast<std::size_t>(item)]; });
          compute(chunk, function);
          if (chunk.empty()) fail_alone(chunk);
          for (std::int64_t item = chunk.begin; item < chunk.end; ++item)
            keep(made[static_cast<std::size_t>(item)], chunk.made_of(item), items[static_cast<std::size_t>(item)], shared);
          behind = wait_behind(behind);
          done = chunk.end;
          tell_progress(done);
        }
      },
      [&] { return done; });
  return made;
}

// A result that can be made again, if its item can.
void Compute::Inner::keep(Tensor& place, Tensor& made, const Tensor& item, const std::shared_ptr<const Function>& function) {
  place = std::move(made);
  if (!place.defined() || options_.max_recoveries == 0 || place.node() == item.node()) return;
  if (auto from = lineage_.origin_of(item))
    lineage_.remember(place, std::make_shared<Origin>(Origin{.host = {}, .from = std::move(from), .function = function}));
}

// No more than a chunk is under way while the next is computed.
std::uint64_t Compute::Inner::wait_behind(std::uint64_t serial) {
  return with_stream(device_.slot(), [&](Stream& stream) {
    if (serial) stream.wait(serial);
    return stream.submit();
  });
}

Compute::Results Compute::Inner::download(const std::vector<Tensor>& items) {
  begin("download", items.size());
  Results results(items.size());
  std::int64_t done = 0;
  over_losses(
      [&] {
        while (done < items_) {
          Chunk chunk{.begin = done, .end = std::min(items_, done + chunk_), .live_before = 0, .inputs = {}, .made = {}, .no_room = {}};
          chunk.made.assign(items.begin() + chunk.begin, items.begin() + chunk.end);
          errors_.forget_from(done);
          deliver(chunk, results);
          done = chunk.end;
          tell_progress(done);
        }
      },
      [&] { return done; });
  return results;
}

}  // namespace tidepool::inline v0
