#include <algorithm>
#include <map>
#include <utility>

#include "memory/block.h"
#include "monitor/report/spent.h"

namespace tidepool::inline v0::monitor {

namespace {

MemoryMoment moment_of(const Sample& sample) {
  MemoryMoment moment{.time = sample.time, .live = sample.live, .reserved = sample.reserved, .cached = sample.cached};
  for (std::size_t i = 0; i < std::min(sample.by_tag.size(), memory_tags); ++i)
    if (sample.by_tag[i] > 0) moment.by_tag.push_back({.tag = tag_name(i), .bytes = sample.by_tag[i]});
  std::stable_sort(moment.by_tag.begin(), moment.by_tag.end(), [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  if (sample.reserved > 0) moment.idle_share = static_cast<double>(sample.cached) / static_cast<double>(sample.reserved);
  return moment;
}

std::vector<PoolHolder> holders_of(const PoolMap& pool) {
  std::map<std::pair<std::string, std::string>, PoolHolder> by_name;
  for (const PoolRegion& region : pool.regions)
    for (const PoolBlock& block : region.blocks) {
      const bool idle = block.tag < 0;
      const std::string holder = idle ? "" : block.holder, tag = idle ? "" : tag_name(static_cast<std::size_t>(block.tag));
      PoolHolder& entry = by_name[{holder, tag}];
      entry.holder = holder;
      entry.tag = tag;
      entry.bytes += block.bytes;
      ++entry.blocks;
    }
  std::vector<PoolHolder> all;
  for (auto& [name, entry] : by_name) all.push_back(std::move(entry));
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  return all;
}

}  // namespace

std::string tag_name(std::size_t tag) { return tag < memory_tags ? tidepool::name_of(static_cast<MemoryTag>(tag)) : "other"; }

MemorySpent memory_spent(const RunRecord& run) {
  MemorySpent spent;
  spent.limit = run.settings.memory_limit;
  if (run.pool) {
    spent.holders = holders_of(*run.pool);
    spent.left_out = run.pool->left_out;
  }
  if (run.samples.empty()) return spent;
  const Sample* highest = &run.samples.front();
  for (const Sample& sample : run.samples) {
    spent.peak = std::max({spent.peak, sample.peak, sample.reserved});
    if (sample.live > highest->live) highest = &sample;
  }
  const Sample& last = run.samples.back();
  if (last.limit > 0) spent.limit = last.limit;
  spent.allocations = last.allocations;
  spent.reuses = last.reuses;
  spent.evictions = last.evictions;
  spent.at_peak = moment_of(*highest);
  spent.at_end = moment_of(last);
  return spent;
}

}  // namespace tidepool::inline v0::monitor
