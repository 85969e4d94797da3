#include "monitor/memory_watch.h"

#include <algorithm>

#include "memory/block.h"
#include "monitor/wording.h"
#include "platform/cat.h"

namespace tidepool::inline v0::monitor {

namespace {

constexpr std::size_t newest = 8;          // samples that do not count as the past yet
constexpr std::size_t levels_known = 32;   // samples of the past from which on something is known
constexpr double least_jump = 1 << 20;     // bytes
constexpr double least_growth = 64 << 10;  // bytes

const char* tag_name(std::size_t tag) { return tag < memory_tags ? name_of(static_cast<MemoryTag>(tag)) : "others"; }

}  // namespace

void MemoryWatch::restart() { *this = {}; }

void MemoryWatch::add(const Sample& sample, std::vector<Anomaly>& found) {
  const auto plan = static_cast<std::size_t>(MemoryTag::plan);
  const std::size_t plans = plan < sample.by_tag.size() ? std::min(sample.by_tag[plan], sample.live) : 0;
  const auto level = static_cast<double>(sample.live - plans);
  levels_.add(level);
  highs_.add(level);
  look_for_leak(sample, found);
  look_for_jump(sample, static_cast<double>(plans), found);
}

void MemoryWatch::look_for_jump(const Sample& sample, double plans, std::vector<Anomaly>& found) {
  if (levels_.size() < levels_known + newest) return;
  const std::span<const double> past = levels_.but_last(newest), last = levels_.last(3);  // a moment's need is no new level
  const double middle = median(past);
  if (last.back() < middle + least_jump && !jumped_.on()) return;  // nearly always
  const Distribution usual(past);
  const double noise = std::max(deviation(past), (usual.at(0.95) - middle) / 1.64);
  const double limit = std::max({middle + 8 * noise, 1.25 * middle, middle + least_jump, 1.1 * usual.at(1), 1.1 * highs_.before(newest)});
  if (!std::ranges::all_of(last, [&](double level) { return level > limit; })) {
    jumped_.settle(last.back() <= limit);
    return;
  }
  if (!jumped_.raise()) return;
  std::string grown;
  double most = 0;
  for (std::size_t i = 0; i < std::min(tags_.size(), sample.by_tag.size()); ++i) {
    const double rise = static_cast<double>(sample.by_tag[i]) - tags_[i].usual();
    if (rise <= most) continue;
    most = rise;
    grown = cat(", most of it ", tag_name(i), " (", readable_bytes_of(rise), " more)");
  }
  const double now = last.back() + plans, low = usual.at(0.05) + plans, high = usual.at(0.95) + plans;
  found.push_back({Anomaly::memory, sample.time, "live", now, low, high,
                   cat("live memory is ", readable_bytes_of(now), " where ", bytes_range(low, high), " was usual", grown,
                       ": see which tensors were made since and are still held")});
}

void MemoryWatch::look_for_leak(const Sample& sample, std::vector<Anomaly>& found) {
  const std::int64_t epoch = sample.steps > 0 ? sample.epoch : SteadyGrowth::no_epoch;
  const auto live = static_cast<double>(sample.live);
  const double floor = std::max(least_growth, 0.0025 * live);
  std::optional<Growth> growth = live_.add(live, floor, epoch);
  std::string series = "live", what = "live memory";
  if (!sample.by_tag.empty()) {
    growth.reset();
    if (tags_.size() < sample.by_tag.size()) tags_.resize(sample.by_tag.size());
    for (std::size_t i = 0; i < sample.by_tag.size(); ++i) {
      const std::optional<Growth> of_tag = tags_[i].add(static_cast<double>(sample.by_tag[i]), floor, epoch);
      // What only goes from one tag to another is no growth.
      if (!of_tag || live_.rise(*of_tag) < 0.3 * of_tag->rise || (growth && growth->rise > of_tag->rise)) continue;
      growth = of_tag;
      series = cat("live: ", tag_name(i));
      what = cat("live memory of ", tag_name(i));
    }
  }
  if (!growth) return;
  found.push_back({Anomaly::leak, sample.time, series, growth->now, growth->low, growth->high,
                   cat(what, " grows and grows: by ", readable_bytes_of(growth->rise), " in the last ", growth->samples, " samples, to ",
                       readable_bytes_of(growth->now), " where ", bytes_range(growth->low, growth->high),
                       " was usual: look for tensors that are kept from step to step, and put the step into tidy()")});
}

}  // namespace tidepool::inline v0::monitor
