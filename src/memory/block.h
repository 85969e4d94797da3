// A Block is a stretch of device memory that the pool lends; a Storage is a counted handle on it. The last handle gives
// the block back to whoever lent it.
#pragma once

#include "backend/backend.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace tidepool::inline v0 {

enum class MemoryTag : std::uint8_t { activations, parameters, gradients, optimizer, plan, scratch };
constexpr std::size_t memory_tags = 6;
const char* name_of(MemoryTag tag);

struct Block;
struct Slab;
class Stream;

// Who lent a block and takes it back: the pool, or a capture whose blocks have no memory yet.
class BlockOwner {
 public:
  explicit BlockOwner(Stream* stream) : stream(stream) {}
  virtual void give_back(Block* block) noexcept = 0;  // from any thread
  Stream* const stream;                               // the opened device that its blocks live on; opaque here

 protected:
  ~BlockOwner() = default;
};

struct Block {
  Block() = default;
  explicit Block(BlockOwner* owner) : owner(owner) {}

  Memory* memory = nullptr;
  std::size_t offset = 0;
  std::size_t bytes = 0;  // what it holds; at least what was asked for
  std::size_t asked = 0;
  std::size_t too_small = 0;  // requests up to this belong into a smaller one
  BlockOwner* owner = nullptr;
  std::atomic<std::uint32_t> handles{0};
  std::atomic<std::uint32_t> version{0};  // counts writes in place, for pending backward passes
  Serial last_use = 0;                    // the submission that last touches it
  MemoryTag tag = MemoryTag::activations;
  const char* holder = "";  // the operation that took it
  std::uint32_t bin = 0;    // where the pool keeps it when idle; for a captured block, its number
  Slab* slab = nullptr;     // null: its memory is its own
  // Links of the pool's lists: one bin's idle blocks, all evictable ones by age, blocks on their way back.
  Block* idle_before = nullptr;
  Block* idle_after = nullptr;
  Block* older = nullptr;
  Block* newer = nullptr;
  std::uint64_t age = 0;  // when it became evictable; 0: it is not
  Block* returning = nullptr;
};

// A block that the pool counts and does not lend: it is there from its first use until its device is closed.
class LastingBlock final : public BlockOwner {
 public:
  LastingBlock(Stream* stream, std::size_t bytes) : BlockOwner(stream), block(this) { block.bytes = bytes; }
  void give_back(Block*) noexcept override {}
  Block block;
};

class Storage {
 public:
  Storage() = default;
  // The first handle of a block that was just lent.
  static Storage first(Block* block) {
    Storage storage;
    storage.start(block);
    return storage;
  }
  void start(Block* block) {  // an empty handle becomes the first one
    block->handles.store(1, std::memory_order_relaxed);
    block_ = block;
  }
  explicit Storage(Block* block) : block_(block) {
    if (block_) block_->handles.fetch_add(1, std::memory_order_relaxed);
  }
  Storage(const Storage& other) : Storage(other.block_) {}
  Storage(Storage&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  Storage& operator=(Storage other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~Storage() {
    // The last handle is nobody else's to copy, so it needs no atomic decrement.
    if (block_ && (block_->handles.load(std::memory_order_acquire) == 1 || block_->handles.fetch_sub(1, std::memory_order_acq_rel) == 1)) {
      block_->handles.store(0, std::memory_order_relaxed);
      block_->owner->give_back(block_);
    }
  }

  Block* block() const { return block_; }
  Block* operator->() const { return block_; }
  explicit operator bool() const { return block_ != nullptr; }

 private:
  Block* block_ = nullptr;
};

}  // namespace tidepool::inline v0
