// The pool lends blocks of device memory and takes them back. It keeps its limits at every instant: before it asks the
// device it makes room, and before it gives up it finishes work, evicts idle blocks and drops idle plans.
//
// A block that comes back is lent again at once (the device works in order); it goes back to the device only after the
// submission that last used it. All calls but `give_back` are made with the stream's lock held.
#pragma once

#include "memory/block.h"
#include "memory/size_class.h"
#include "monitor/event.h"
#include "platform/mutex.h"

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>

namespace tidepool::inline v0 {

struct PoolLimits {
  std::size_t memory = 0;  // 0: none
  std::size_t cache = 0;   // 0: none
  std::size_t cached_per_class = 50;
};

struct PoolStats {
  std::size_t live = 0;      // bytes lent
  std::size_t asked = 0;     // what was asked for of them
  std::size_t reserved = 0;  // bytes taken from the device for blocks
  std::size_t lasting = 0;   // bytes taken for what is no block's, which the limit counts too
  std::size_t peak = 0;      // highest reserved
  std::size_t peak_asked = 0;
  std::size_t allocations = 0, reuses = 0, evictions = 0;
  std::array<std::size_t, memory_tags> by_tag{};
  std::size_t cached() const { return reserved - live; }
  std::size_t taken() const { return reserved + lasting; }
};

// What the pool needs of the stream that it serves.
class PoolHost {
 public:
  virtual Memory* allocate(std::size_t bytes) = 0;  // null: the device has none
  virtual void free(Memory* memory) = 0;
  virtual bool finished(Serial serial) = 0;
  virtual void finish_all() = 0;      // submits and waits
  virtual bool drop_idle_plan() = 0;  // whether there was one
  virtual const char* device_id() = 0;

 protected:
  ~PoolHost() = default;
};

// One piece of device memory cut into blocks of one size. It can be given back when all of them are idle.
struct Slab {
  Memory* memory = nullptr;
  std::unique_ptr<Block[]> blocks;
  std::uint32_t count = 0;
  std::uint32_t idle = 0;
  Serial last_use = 0;  // of its idle blocks
};

class BlockPool final : public BlockOwner {
 public:
  // `lock` is the stream's; without one, blocks always come back by the stack.
  BlockPool(PoolHost& host, Stream* stream, std::size_t alignment, Mutex* lock = nullptr);
  ~BlockPool();
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;

  void set_limits(const PoolLimits& limits);
  // A block of at least this size with no handle yet; throws OutOfMemory, naming the operation.
  Block* take(std::size_t bytes, MemoryTag tag, const char* operation) {
    // What alone came back goes straight out again when it fits: the common case of short-lived results.
    Block* returned = returning_.load(std::memory_order_acquire);
    if (!returned && at_hand_ && goes_out_again(*at_hand_, bytes))
      return lend_again(std::exchange(at_hand_, nullptr), bytes, tag, operation);
    if (returned && !at_hand_ && goes_out_again(*returned, bytes) &&
        returning_.compare_exchange_strong(returned, nullptr, std::memory_order_acquire))
      return lend_again(returned, bytes, tag, operation);
    return find(bytes, tag, operation);
  }
  void give_back(Block* block) noexcept override;
  void retag(Block* block, MemoryTag tag);
  // Memory that no block lies in, until it is given up or the device is closed; room is made for it as for a block.
  Memory* take_lasting(std::size_t bytes, const char* operation);
  void give_up_lasting(Memory* memory, std::size_t bytes);

  // A step of the user's program is over: what it needed is kept ready for the next.
  void step_done();
  // Takes in what came back and gives up what is over the caps and finished.
  void trim();
  // Gives up every idle block; all work must be finished.
  void evict_all();
  // The device's memory is gone, or about to be freed as a whole. Blocks still lent may come back later.
  void abandon();
  bool all_returned();

  PoolStats stats();
  std::size_t largest_idle() const;
  // Whether the limit leaves room for a block of this size once that one has come back and idle ones are evicted.
  bool has_room(std::size_t bytes, const Block& without);
  void reset_peak();
  // Calls visit(memory, its blocks) for every piece of memory that the device gave. A block without handles is idle.
  template <class Visit>
  void for_each_memory(Visit&& visit) {
    collect();
    for (const Block* block : own_blocks_) visit(*block->memory, std::span(block, 1));
    for (const Slab* slab : slabs_) visit(*slab->memory, std::span<const Block>(slab->blocks.get(), slab->count));
  }

 private:
  friend struct PoolCheck;  // of the tests

  struct AgeList {  // oldest first
    Block* oldest = nullptr;
    Block* newest = nullptr;
  };

  static bool goes_out_again(const Block& returned, std::size_t bytes) {
    return !returned.returning && bytes <= returned.bytes && bytes > returned.too_small && !event_sink.load(std::memory_order_relaxed);
  }
  bool has_returned() const { return at_hand_ || returning_.load(std::memory_order_relaxed); }
  void collect();
  void collect(Block* returned);
  Block* find(std::size_t bytes, MemoryTag tag, const char* operation);
  Block* lend_again(Block* block, std::size_t bytes, MemoryTag tag, const char* operation) {
    ++stats_.reuses;
    stats_.asked += bytes - block->asked;
    stats_.peak_asked = std::max(stats_.peak_asked, stats_.asked);
    block->asked = bytes;
    block->holder = operation;
    block->version.store(0, std::memory_order_relaxed);
    if (block->tag != tag) retag(block, tag);
    return block;
  }
  void make_idle(Block* block);
  Block* take_idle(const SizeClass& size);
  Block* fresh(const SizeClass& size);
  Memory* reserve(std::size_t bytes);
  void give_up(Memory* memory, std::size_t bytes);
  template <class Make>
  auto kept_or_given_up(Memory* memory, std::size_t bytes, Make&& make);
  Block* own_block(Memory* memory, const SizeClass& size);
  bool make_room();
  Block* cut_slab(const SizeClass& size);
  std::size_t slab_bytes(const SizeClass& size) const;
  std::size_t too_small_for(const SizeClass& size) const;
  bool fits(std::size_t bytes) const { return limits_.memory == 0 || stats_.taken() + bytes <= limits_.memory; }
  bool over_cap(std::size_t index) const;
  void keep_cap(std::size_t index);
  bool over_limits() const;
  void keep_limits();
  Block* oldest() const;
  bool finished(const Block* evictable) { return host_.finished(evictable->slab ? evictable->slab->last_use : evictable->last_use); }
  void evict(Block* block);
  void link_idle(Block* block);
  void unlink_idle(Block* block);
  void link_age(Block* block);
  void unlink_age(Block* block);
  [[noreturn]] void out_of_memory(std::size_t bytes, const char* operation);

  PoolHost& host_;
  std::size_t alignment_;
  PoolLimits limits_;
  PoolStats stats_;
  std::array<Block*, SizeClass::bins> idle_{};          // most recently returned first
  std::array<AgeList, SizeClass::classes + 1> aged_{};  // evictable, by class; a slab stands there by its first block
  std::array<std::size_t, SizeClass::classes + 1> idle_count_{}, live_count_{}, step_peak_{}, needed_{};
  std::array<std::size_t, SizeClass::bins> slab_bytes_of_bin_{};
  std::size_t slab_bytes_total_ = 0;
  std::uint64_t clock_ = 0;                 // orders ages across classes
  std::atomic<Block*> returning_{nullptr};  // a stack, by any thread
  Block* at_hand_ = nullptr;                // likewise, by who could have the lock for nothing
  Mutex* lock_;
  bool abandoned_ = false;
  std::unordered_set<Block*> own_blocks_;  // those not in slabs
  std::unordered_set<Slab*> slabs_;
};

}  // namespace tidepool::inline v0
