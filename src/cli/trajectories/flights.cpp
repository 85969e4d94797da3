#include "cli/trajectories/flights.h"

#include <tidepool/error.h>
#include <tidepool/tidepool.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "device/next_device.h"
#include "device/slot.h"
#include "platform/cat.h"
#include "platform/log.h"

namespace tidepool::cli {

namespace {

constexpr const char* operation = "trajectories";

struct Pending {
  std::int64_t first, size;
  Tensor launches, outcomes;
};

class Flying {
 public:
  Flying(const FlightOptions& options, const std::function<bool(const FlightBlock&)>& take)
      : options_(options), take_(take), kernel_(flight_kernel(options.method)) {}

  std::int64_t run() {
    std::int64_t losses = 0, fruitless = 0, furthest = -1;
    for (;;) {
      try {
        go_on();
        return losses;
      } catch (const DeviceLost& error) {
        ++losses;
        fruitless = delivered_ > furthest ? 1 : fruitless + 1;
        furthest = delivered_;
        recover(error, fruitless);
      }
    }
  }

 private:
  // From the first flight on that was not handed over. The device computes a block while the host has the one before.
  void go_on() {
    set_position();
    make_ranges();
    std::optional<Pending> before;
    for (std::int64_t first = delivered_; first < options_.count; first += flights_of_a_block) {
      Pending now = start(first);
      if (before && !deliver(*before)) return;
      before = std::move(now);
    }
    if (before) deliver(*before);
  }

  // Numbers are drawn once for each block.
  void set_position() const {
    const auto block = static_cast<std::uint32_t>(delivered_ / flights_of_a_block);
    with_stream(default_device().slot(), [&](Stream& stream) {
      stream.set_random_position(
          {.seed = {static_cast<std::uint32_t>(options_.seed), static_cast<std::uint32_t>(options_.seed >> 32)}, .call = {block, 0}});
    });
  }

  void make_ranges() {
    std::vector<float> low, span;
    for (const Range& range : options_.launches) {
      low.push_back(static_cast<float>(range.low));
      span.push_back(static_cast<float>(range.high) - static_cast<float>(range.low));
    }
    low_ = from_host(low, {launch_rows, 1});
    span_ = from_host(span, {launch_rows, 1});
  }

  // Drawing a whole block for fewer flights keeps a flight what it is, however many there are.
  Pending start(std::int64_t first) const {
    Pending block{.first = first,
                  .size = std::min(flights_of_a_block, options_.count - first),
                  .launches = rand({launch_rows, flights_of_a_block}) * span_ + low_,
                  .outcomes = zeros({outcome_rows, flights_of_a_block})};
    FlightParams params = options_.params;
    params.row = static_cast<int>(flights_of_a_block);
    for (std::int64_t begin = 0; begin < block.size; begin += most_at_once()) {
      params.first = static_cast<int>(begin);
      params.count = static_cast<int>(std::min(most_at_once(), block.size - begin));
      kernel_(params.count, params, {block.launches, block.outcomes});
      if (most_at_once() < flights_of_a_block) sync();  // so that no wait is for all of them
    }
    commit();
    return block;
  }

  // A device that does not answer for half a minute counts as lost: what it is given should be done in a few seconds, also by a slow one.
  std::int64_t most_at_once() const {
    constexpr double long_flight = 10, steps_at_once = 65e6;
    if (options_.method == Method::adaptive) return flights_of_a_block;
    const double steps = std::min(long_flight / static_cast<double>(options_.params.step), static_cast<double>(most_steps));
    return std::clamp(static_cast<std::int64_t>(steps_at_once / steps), std::int64_t{1024}, flights_of_a_block);
  }

  bool deliver(const Pending& pending) {
    const FlightBlock block{.first = pending.first,
                            .size = pending.size,
                            .launches = pending.launches.to_host<float>(),
                            .outcomes = pending.outcomes.to_host<float>()};
    delivered_ += block.size;
    return take_(block);
  }

  void recover(const DeviceLost& error, std::int64_t fruitless) {
    constexpr std::int64_t most_fruitless = 3;
    const Device lost = default_device();
    const std::string why = loss_text(lost, error);
    low_ = span_ = {};
    if (fruitless > most_fruitless)
      throw DeviceLost(operation, cat("lost ", fruitless, " times in a row after flight ", delivered_, "; last: ", why));
    std::string failed;
    const std::optional<Device> next = device_to_go_on_with(lost, fruitless, failed);
    if (!next) throw DeviceLost(operation, cat(why, "; it cannot be made anew: ", failed));
    warn(cat(operation, ": ", why, "; going on from flight ", delivered_, " on ", next->id(), *next == lost ? ", made anew" : ""));
  }

  const FlightOptions& options_;
  const std::function<bool(const FlightBlock&)>& take_;
  Kernel kernel_;
  Tensor low_, span_;  // [launch_rows, 1]
  std::int64_t delivered_ = 0;
};

}  // namespace

std::int64_t fly_all(const FlightOptions& options, const std::function<bool(const FlightBlock& block)>& take) {
  const NoGrad guard;
  return Flying(options, take).run();
}

}  // namespace tidepool::cli
