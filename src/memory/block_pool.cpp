#include "memory/block_pool.h"

#include <tidepool/error.h>

#include "monitor/event.h"
#include "platform/bytes.h"
#include "platform/cat.h"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

namespace tidepool::inline v0 {

namespace {
// Blocks up to this size are cut from slabs, so that a driver never sees thousands of allocations.
constexpr std::size_t largest_in_slab = 16 << 10;
constexpr std::size_t smallest_slab = 4 << 10;
constexpr std::size_t largest_slab = 256 << 10;
constexpr std::size_t blocks_in_first_slab = 32;  // fewer than may be idle, or it would be given up as soon as it is idle
}  // namespace

const char* name_of(MemoryTag tag) {
  static constexpr const char* names[memory_tags] = {"activations", "parameters", "gradients", "optimizer", "plan", "scratch"};
  return names[static_cast<std::size_t>(tag)];
}

BlockPool::BlockPool(PoolHost& host, Stream* stream, std::size_t alignment, Mutex* lock)
    : BlockOwner(stream), host_(host), alignment_(std::max(alignment, SizeClass::smallest)), lock_(lock) {}

BlockPool::~BlockPool() {
  for (Block* block : own_blocks_) delete block;
  for (Slab* slab : slabs_) delete slab;
}

void BlockPool::set_limits(const PoolLimits& limits) {
  limits_ = limits;
  trim();
}

Block* BlockPool::find(std::size_t bytes, MemoryTag tag, const char* operation) {
  if (has_returned()) collect();
  const SizeClass size = size_class(bytes, alignment_);
  Block* block = take_idle(size);
  bool fresh_block = false;
  if (block) {
    ++stats_.reuses;
    report([&] { return Event{.kind = Event::reuse, .device = host_.device_id(), .bytes = block->bytes, .asked = bytes, .block = block}; });
  } else {
    block = fresh(size);
    if (!block) out_of_memory(bytes, operation);
    fresh_block = true;
    report([&] { return Event{.kind = Event::lend, .device = host_.device_id(), .bytes = block->bytes, .asked = bytes, .block = block}; });
  }
  block->asked = bytes;
  block->holder = operation;
  block->tag = tag;
  stats_.live += block->bytes;
  stats_.asked += bytes;
  stats_.peak_asked = std::max(stats_.peak_asked, stats_.asked);
  stats_.by_tag[static_cast<std::size_t>(tag)] += block->bytes;
  const std::size_t index = SizeClass::class_of(block->bin);
  step_peak_[index] = std::max(step_peak_[index], ++live_count_[index]);
  if (fresh_block) try {
      keep_limits();  // the rest of a new slab is idle
    } catch (...) {
      give_back(block);
      throw;
    }
  return block;
}

void BlockPool::retag(Block* block, MemoryTag tag) {
  stats_.by_tag[static_cast<std::size_t>(block->tag)] -= block->bytes;
  stats_.by_tag[static_cast<std::size_t>(tag)] += block->bytes;
  block->tag = tag;
}

// Blocks come back from any thread, also while another holds the lock for a long kernel, so they are only put on a
// stack here; whoever next has the lock takes them in. There are two, so that a thread that has the lock for nothing needs no exchange.
void BlockPool::give_back(Block* block) noexcept {
  if (lock_ && lock_->enter_as_first()) {
    block->returning = std::exchange(at_hand_, block);
    lock_->unlock();
    return;
  }
  block->returning = returning_.load(std::memory_order_relaxed);
  while (!returning_.compare_exchange_weak(block->returning, block, std::memory_order_release, std::memory_order_relaxed)) {
  }
}

void BlockPool::collect() {
  if (at_hand_) collect(std::exchange(at_hand_, nullptr));
  collect(returning_.exchange(nullptr, std::memory_order_acquire));
}

void BlockPool::collect(Block* returned) {
  Block* first = nullptr;  // the stack has the last one on top; ages follow the order of return
  while (returned) {
    Block* next = std::exchange(returned->returning, first);
    first = std::exchange(returned, next);
  }
  while (first) make_idle(std::exchange(first, first->returning));
  keep_limits();
}

void BlockPool::make_idle(Block* block) {
  const std::size_t index = SizeClass::class_of(block->bin);
  stats_.live -= block->bytes;
  stats_.asked -= block->asked;
  stats_.by_tag[static_cast<std::size_t>(block->tag)] -= block->bytes;
  --live_count_[index];
  block->version.store(0, std::memory_order_relaxed);
  report([&] { return Event{.kind = Event::give_back, .device = host_.device_id(), .bytes = block->bytes, .block = block}; });
  link_idle(block);
  if (abandoned_) return;
  if (!block->slab)
    link_age(block);
  else if (block->slab->idle == block->slab->count)
    link_age(&block->slab->blocks[0]);
  keep_cap(index);
}

Block* BlockPool::take_idle(const SizeClass& size) {
  Block* block = idle_[size.bin];
  if (size.bin == SizeClass::exact)
    while (block && block->bytes != size.bytes) block = block->idle_after;
  if (!block) return nullptr;
  Block* evictable = block->slab ? &block->slab->blocks[0] : block;
  if (evictable->age) unlink_age(evictable);
  unlink_idle(block);
  return block;
}

Block* BlockPool::own_block(Memory* memory, const SizeClass& size) {
  auto block = std::make_unique<Block>(this);
  block->memory = memory;
  block->bytes = size.bytes;
  block->bin = size.bin;
  block->too_small = too_small_for(size);
  own_blocks_.insert(block.get());
  return block.release();
}

// What a device gave goes back to it where the host has no memory to remember it by.
template <class Make>
auto BlockPool::kept_or_given_up(Memory* memory, std::size_t bytes, Make&& make) {
  try {
    return make();
  } catch (...) {
    give_up(memory, bytes);
    throw;
  }
}

void BlockPool::give_up(Memory* memory, std::size_t bytes) {
  stats_.reserved -= bytes;
  report([&] { return Event{.kind = Event::evict, .device = host_.device_id(), .bytes = bytes}; });
  host_.free(memory);
}

Block* BlockPool::fresh(const SizeClass& size) {
  if (limits_.memory && size.bytes > limits_.memory) return nullptr;  // no eviction could help
  bool finished_all = false;
  for (;;) {
    if (Block* block = cut_slab(size)) return block;
    if (Memory* memory = reserve(size.bytes)) return kept_or_given_up(memory, size.bytes, [&] { return own_block(memory, size); });
    // Under pressure: finish and take in what came back, then evict, then drop plans.
    if (!std::exchange(finished_all, true)) {
      host_.finish_all();
      collect();
      if (Block* block = take_idle(size)) return block;
    }
    if (!make_room()) return nullptr;
  }
}

// Null: the limit or the device has no room.
Memory* BlockPool::reserve(std::size_t bytes) {
  Memory* memory = fits(bytes) ? host_.allocate(bytes) : nullptr;
  if (!memory) return nullptr;
  ++stats_.allocations;
  stats_.reserved += bytes;
  stats_.peak = std::max(stats_.peak, stats_.reserved);
  report([&] { return Event{.kind = Event::allocate, .device = host_.device_id(), .bytes = bytes}; });
  return memory;
}

// Whether there was something to give up. All work is finished.
bool BlockPool::make_room() {
  if (Block* victim = oldest()) {
    evict(victim);
    return true;
  }
  if (!host_.drop_idle_plan()) return false;
  collect();
  return true;
}

Memory* BlockPool::take_lasting(std::size_t bytes, const char* operation) {
  for (bool finished_all = false;;) {
    Memory* memory = fits(bytes) ? host_.allocate(bytes) : nullptr;
    if (memory) {
      stats_.lasting += bytes;
      return memory;
    }
    if (!std::exchange(finished_all, true)) {
      host_.finish_all();
      collect();
    }
    if (!make_room()) out_of_memory(bytes, operation);
  }
}

void BlockPool::give_up_lasting(Memory* memory, std::size_t bytes) {
  stats_.lasting -= bytes;
  host_.free(memory);
}

// The largest request that a smaller bin serves; 0 when there is none.
std::size_t BlockPool::too_small_for(const SizeClass& size) const {
  if (size.bin == SizeClass::exact) return size.bytes - 1;
  if (size.bytes <= alignment_) return 0;
  return size.bytes - std::max(std::bit_floor(size.bytes - 1) / SizeClass::steps, alignment_);
}

std::size_t BlockPool::slab_bytes(const SizeClass& size) const {
  if (size.bytes > largest_in_slab) return 0;
  std::size_t bytes = std::clamp(slab_bytes_of_bin_[size.bin],
                                 std::max(std::min(smallest_slab, blocks_in_first_slab * size.bytes), 4 * size.bytes), largest_slab);
  bytes -= bytes % size.bytes;
  // Part of a slab can stay idle and yet not be given back; a quarter of the cache limit is all that slabs may take.
  if (limits_.cache && slab_bytes_total_ + bytes > limits_.cache / 4) return 0;
  return fits(bytes) ? bytes : 0;
}

Block* BlockPool::cut_slab(const SizeClass& size) {
  const std::size_t bytes = slab_bytes(size);
  if (bytes == 0) return nullptr;
  Memory* memory = reserve(bytes);
  if (!memory) return nullptr;
  Slab* const slab = kept_or_given_up(memory, bytes, [&] {
    auto made = std::make_unique<Slab>(Slab{.memory = memory, .blocks = nullptr, .count = static_cast<std::uint32_t>(bytes / size.bytes)});
    made->blocks = std::make_unique<Block[]>(made->count);
    slabs_.insert(made.get());
    return made.release();
  });
  slab_bytes_of_bin_[size.bin] += bytes;
  slab_bytes_total_ += bytes;
  for (std::uint32_t i = slab->count; i-- > 0;) {
    Block& block = slab->blocks[i];
    block.owner = this;
    block.memory = memory;
    block.offset = i * size.bytes;
    block.bytes = size.bytes;
    block.bin = size.bin;
    block.too_small = too_small_for(size);
    block.slab = slab;
    link_idle(&block);
  }
  Block* first = &slab->blocks[0];
  unlink_idle(first);
  return first;
}

bool BlockPool::over_cap(std::size_t index) const {
  const std::size_t expected = needed_[index] > live_count_[index] ? needed_[index] - live_count_[index] : 0;
  return idle_count_[index] > limits_.cached_per_class + expected;
}

bool BlockPool::over_limits() const {
  return (limits_.cache && stats_.cached() > limits_.cache) || (limits_.memory && stats_.taken() > limits_.memory);
}

void BlockPool::keep_limits() {
  bool finished_all = false;
  while (!abandoned_ && over_limits()) {
    Block* victim = oldest();
    if (!victim) return;
    if (finished_all || finished(victim)) {
      evict(victim);
    } else {  // whoever watches may look at the pool meanwhile, and take the victim by that
      finished_all = true;
      host_.finish_all();
    }
  }
}

void BlockPool::step_done() {
  if (has_returned()) collect();
  for (std::size_t i = 0; i < needed_.size(); ++i) {
    needed_[i] = step_peak_[i];
    step_peak_[i] = live_count_[i];
  }
  trim();
}

void BlockPool::trim() {
  collect();
  for (std::size_t i = 0; i < needed_.size(); ++i) keep_cap(i);
}

void BlockPool::keep_cap(std::size_t index) {
  while (over_cap(index) && aged_[index].oldest && finished(aged_[index].oldest)) evict(aged_[index].oldest);
}

void BlockPool::evict_all() {
  collect();
  while (Block* block = oldest()) evict(block);
  needed_.fill(0);
}

void BlockPool::abandon() { abandoned_ = true; }

bool BlockPool::all_returned() {
  collect();
  return stats_.live == 0;
}

Block* BlockPool::oldest() const {
  Block* found = nullptr;
  for (const AgeList& list : aged_)
    if (list.oldest && (!found || list.oldest->age < found->age)) found = list.oldest;
  return found;
}

void BlockPool::evict(Block* block) {
  unlink_age(block);
  ++stats_.evictions;
  Memory* memory = block->memory;
  std::size_t bytes = block->bytes;
  if (Slab* slab = block->slab) {
    bytes = slab->count * block->bytes;
    slab_bytes_of_bin_[block->bin] -= bytes;
    slab_bytes_total_ -= bytes;
    for (std::uint32_t i = 0; i < slab->count; ++i) unlink_idle(&slab->blocks[i]);
    slabs_.erase(slab);
    delete slab;
  } else {
    unlink_idle(block);
    own_blocks_.erase(block);
    delete block;
  }
  give_up(memory, bytes);
}

void BlockPool::link_idle(Block* block) {
  Block*& first = idle_[block->bin];
  block->idle_before = nullptr;
  block->idle_after = first;
  if (first) first->idle_before = block;
  first = block;
  ++idle_count_[SizeClass::class_of(block->bin)];
  if (Slab* slab = block->slab) {
    ++slab->idle;
    slab->last_use = std::max(slab->last_use, block->last_use);
  }
}

void BlockPool::unlink_idle(Block* block) {
  (block->idle_before ? block->idle_before->idle_after : idle_[block->bin]) = block->idle_after;
  if (block->idle_after) block->idle_after->idle_before = block->idle_before;
  --idle_count_[SizeClass::class_of(block->bin)];
  if (block->slab) --block->slab->idle;
}

void BlockPool::link_age(Block* block) {
  AgeList& list = aged_[SizeClass::class_of(block->bin)];
  block->age = ++clock_;
  block->newer = nullptr;
  block->older = list.newest;
  (list.newest ? list.newest->newer : list.oldest) = block;
  list.newest = block;
}

void BlockPool::unlink_age(Block* block) {
  AgeList& list = aged_[SizeClass::class_of(block->bin)];
  (block->older ? block->older->newer : list.oldest) = block->newer;
  (block->newer ? block->newer->older : list.newest) = block->older;
  block->age = 0;
}

PoolStats BlockPool::stats() {
  if (has_returned()) collect();
  return stats_;
}

std::size_t BlockPool::largest_idle() const {
  std::size_t largest = 0;
  for (Block* block : idle_)
    for (; block; block = block->idle_after) largest = std::max(largest, block->bytes);
  return largest;
}

bool BlockPool::has_room(std::size_t bytes, const Block& without) {
  collect();
  std::size_t kept = stats_.taken() - (without.slab ? 0 : without.bytes);
  for (const AgeList& list : aged_)
    for (const Block* block = list.oldest; block; block = block->newer) kept -= block->bytes * (block->slab ? block->slab->count : 1);
  return limits_.memory == 0 || kept + size_class(bytes, alignment_).bytes <= limits_.memory;
}

void BlockPool::reset_peak() {
  stats_.peak = stats_.reserved;
  stats_.peak_asked = stats_.asked;
}

void BlockPool::out_of_memory(std::size_t bytes, const char* operation) {
  std::vector<std::pair<std::size_t, const char*>> holders;
  for (std::size_t i = 0; i < memory_tags; ++i)
    if (stats_.by_tag[i]) holders.emplace_back(stats_.by_tag[i], name_of(static_cast<MemoryTag>(i)));
  std::sort(holders.rbegin(), holders.rend());
  if (holders.size() > 5) holders.resize(5);
  std::string held;
  for (const auto& [held_bytes, name] : holders) held += cat(held.empty() ? "" : ", ", name, ' ', readable_bytes(held_bytes));
  if (held.empty()) held = "nothing";
  std::string limit = "none (the device has no more)";
  if (limits_.memory) limit = readable_bytes(limits_.memory);
  throw OutOfMemory(operation, cat("asked ", readable_bytes(bytes), " of ", host_.device_id(), ": limit ", limit, ", live ",
                                   readable_bytes(stats_.live), ", cached ", readable_bytes(stats_.cached()), ", largest free ",
                                   readable_bytes(largest_idle()), "; held by ", held, ". Release tensors",
                                   limits_.memory ? ", work in smaller pieces, or raise memory_limit." : " or work in smaller pieces."));
}

}  // namespace tidepool::inline v0
