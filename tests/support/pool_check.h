// What a pool counts, against what it holds.
#pragma once

#include <cstddef>
#include <string>

#include "memory/block_pool.h"
#include "platform/cat.h"

namespace tidepool::inline v0 {

struct PoolCheck {
  // What is inconsistent; empty when nothing is.
  static std::string of(BlockPool& pool) {
    pool.collect();
    const PoolStats& stats = pool.stats_;
    std::size_t reserved = 0, idle_bytes = 0, idle = 0;
    for (const Block* block : pool.own_blocks_) reserved += block->bytes;
    for (const Slab* slab : pool.slabs_) reserved += slab->count * slab->blocks[0].bytes;
    for (const Block* block : pool.idle_)
      for (; block; block = block->idle_after) {
        idle_bytes += block->bytes;
        ++idle;
        if (block->handles.load() != 0) return "an idle block has handles";
        if (!pool.abandoned_ && !block->slab && !block->age) return "an idle block of its own cannot be evicted";
      }
    std::size_t counted = 0, tagged = 0;
    for (const std::size_t n : pool.idle_count_) counted += n;
    for (const std::size_t n : stats.by_tag) tagged += n;
    if (reserved != stats.reserved) return cat("reserved is ", stats.reserved, " but the blocks hold ", reserved);
    if (idle_bytes != stats.cached()) return cat("cached is ", stats.cached(), " but idle blocks hold ", idle_bytes);
    if (idle != counted) return cat("idle counts say ", counted, " but the lists hold ", idle);
    if (tagged != stats.live) return cat("live is ", stats.live, " but the tags add up to ", tagged);
    if (pool.abandoned_) return "";  // limits are for what can still be given back
    if (pool.limits_.memory && stats.reserved > pool.limits_.memory && stats.cached() > 0)
      return "reserved is over the limit with blocks idle";
    if (pool.limits_.cache && stats.cached() > pool.limits_.cache) return "cached is over the cache limit";
    return "";
  }
};

}  // namespace tidepool::inline v0
