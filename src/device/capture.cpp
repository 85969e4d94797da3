#include "device/capture.h"

#include <tidepool/error.h>

#include "device/fusing.h"
#include "device/joining.h"
#include "device/layouts.h"
#include "device/made_kernel.h"
#include "device/plan.h"
#include "device/slot.h"
#include "device/zeros.h"
#include "platform/cat.h"

#include <algorithm>
#include <unordered_set>

namespace tidepool::inline v0 {

Block* CapturedBlocks::take(std::size_t bytes, MemoryTag tag) {
  const std::scoped_lock lock(mutex_);
  Block& block = blocks_.emplace_back(this);
  block.bin = static_cast<std::uint32_t>(blocks_.size() - 1);
  block.bytes = block.asked = bytes;
  block.tag = tag;
  lives_.emplace_back();
  if (held_++ == 0) self_ = shared_from_this();
  return &block;
}

void CapturedBlocks::give_back(Block* block) noexcept {
  std::shared_ptr<CapturedBlocks> last;  // destroyed after the lock
  const std::scoped_lock lock(mutex_);
  life_of(block).held = false;
  if (!plan_holds_) free_memory(*block);
  if (--held_ == 0) last = std::move(self_);
}

void CapturedBlocks::free_memory(Block& block) noexcept {
  Life& life = life_of(&block);
  if (!life.memory) return;
  life.memory->last_use = std::max(life.memory->last_use, block.last_use);
  life.memory = {};
  block.memory = nullptr;
}

void CapturedBlocks::let_go() noexcept {
  const std::scoped_lock lock(mutex_);
  plan_holds_ = false;
  for (Block& block : blocks_)
    if (!life_of(&block).held) free_memory(block);
}

void CapturedBlocks::fail() noexcept {
  const std::scoped_lock lock(mutex_);
  for (Block& block : blocks_) free_memory(block);
}

void CapturedBlocks::count_uses(std::span<const CapturedLaunch> launches) {
  const std::scoped_lock lock(mutex_);
  for (Life& life : lives_) life.used = false;
  for (std::size_t i = 0; i < launches.size(); ++i)
    for (const Operand& operand : launches[i].operands) {
      if (operand.block->owner != this) continue;
      Life& life = life_of(operand.block);
      if (!life.used) life.first = i;
      life.used = true;
      life.last = i;
    }
}

// What was settled is held by its memory, not by handles: the last one may be ending in another thread, and then there is none to copy.
CapturedBlocks::Hold CapturedBlocks::settle() {
  const std::scoped_lock lock(mutex_);
  for (Block& block : blocks_) {
    Life& life = life_of(&block);
    if (!life.held) continue;
    if (block.tag == MemoryTag::activations) block.tag = MemoryTag::plan;
    life.memory = Storage(stream_->pool().take(block.bytes, block.tag, "capture"));
    stream_->clear(*life.memory.block());  // old contents never show, not even before the first run
    block.memory = life.memory->memory;
    block.offset = life.memory->offset;
  }
  plan_holds_ = true;
  return Hold(this);
}

std::vector<Block*> CapturedBlocks::settled() {
  const std::scoped_lock lock(mutex_);
  std::vector<Block*> all;
  for (Block& block : blocks_)
    if (life_of(&block).memory) all.push_back(&block);
  return all;
}

bool CapturedBlocks::temporary(const Block& block) {
  const std::scoped_lock lock(mutex_);
  return block.owner == this && !life_of(&block).memory;
}

void CapturedBlocks::join(Block* block, std::size_t first, std::size_t last) {
  if (block->owner != this) return;
  const std::scoped_lock lock(mutex_);
  Life& life = life_of(block);
  life.first = std::min(life.first, first);
  life.last = std::max(life.last, last);
}

bool CapturedBlocks::within(const Block& block, std::size_t first, std::size_t last) {
  if (!temporary(block)) return false;
  const std::scoped_lock lock(mutex_);
  const Life& life = life_of(&block);
  return life.first >= first && life.last <= last;
}

void CapturedBlocks::keep_in_piece(Block* block, std::size_t offset) {
  const std::scoped_lock lock(mutex_);
  life_of(block).in_piece = true;
  block->offset = offset;
}

// Largest first, each at the lowest place that is free for as long as it is needed.
void CapturedBlocks::lay_out() {
  const std::scoped_lock lock(mutex_);
  constexpr std::size_t alignment = 256;
  std::vector<const Block*> order;
  for (const Block& block : blocks_)
    if (const Life& life = life_of(&block); !life.memory && life.used && !life.in_piece) order.push_back(&block);
  std::stable_sort(order.begin(), order.end(), [](const Block* a, const Block* b) { return a->bytes > b->bytes; });
  struct Placed {
    std::size_t begin, end, first, last;
  };
  std::vector<Placed> placed;  // by begin
  for (const Block* block : order) {
    Life& life = life_of(block);
    const std::size_t bytes =
        (std::max<std::size_t>(block->bytes, 1) + alignment - 1) & ~(alignment - 1);  // an empty one needs a place too
    std::size_t at = 0;
    for (const Placed& other : placed)
      if (other.first <= life.last && life.first <= other.last) {
        if (at + bytes <= other.begin) break;
        at = std::max(at, other.end);
      }
    life.offset = at;
    arena_bytes_ = std::max(arena_bytes_, at + bytes);
    const Placed mine{at, at + bytes, life.first, life.last};
    placed.insert(std::upper_bound(placed.begin(), placed.end(), mine, [](const Placed& a, const Placed& b) { return a.begin < b.begin; }),
                  mine);
  }
}

void CapturedBlocks::place() {
  if (arena_bytes_ == 0) return;
  stream_->grow_arena(arena_bytes_);
  const std::scoped_lock lock(mutex_);
  const Block& arena = *stream_->arena().block();
  for (Block& block : blocks_) {
    const Life& life = life_of(&block);
    if (!life.used || life.memory || life.in_piece) continue;
    block.memory = arena.memory;
    block.offset = arena.offset + life.offset;
  }
}

constinit thread_local Capture* Capture::current_ = nullptr;

Capture::Capture() {
  if (current_) throw Error("capture", "this thread is capturing already; a capture cannot hold another");
  forget_made_kernels(most_set_aside);
  current_ = this;
}

Capture::~Capture() {
  current_ = nullptr;
  for (const auto& take_back : take_back_) take_back();
  if (stream_) --stream_->captures;
}

void Capture::refuse(const char* operation) {
  if (current_) [[unlikely]]
    throw Error(operation, "cannot be used inside capture, which records without running; do it before, or after run()");
}

void Capture::join(Stream& stream) {
  if (stream_.get() == &stream) return;
  if (stream_)
    throw DeviceError("capture", cat("a plan belongs to one device: it began on ", stream_->slot().id(), " and now meets ",
                                     stream.slot().id(), "; move the tensor with to(device) before the capture"));
  stream_ = stream.shared_from_this();
  ++stream_->captures;
  blocks_ = std::make_shared<CapturedBlocks>(stream_);
}

Block* Capture::take(Stream& stream, std::size_t bytes, MemoryTag tag) {
  join(stream);
  return blocks_->take(bytes, tag);
}

void Capture::add(Stream& stream, const Launch& launch, std::span<const Operand> operands) {
  join(stream);
  for (const Operand& operand : operands) {
    if (operand.block->owner == blocks_.get()) continue;
    Stream::require_memory(*operand.block, launch.kernel->name);
    touched_.emplace_back(operand.block);
  }
  const std::span params = std::span(launch.params).first(launch.param_bytes);
  launches_.push_back({launch.kernel, launch.operation, {operands.begin(), operands.end()}, {params.begin(), params.end()}, launch.extent});
}

void Capture::keep(std::shared_ptr<const void> used) {
  if (std::ranges::find(kept_, used) == kept_.end()) kept_.push_back(std::move(used));
}

std::shared_ptr<PlanState> Capture::finish() {
  if (!stream_) throw Error("capture", "the function launched nothing, so there is nothing to run");
  const StreamLock lock(*stream_);
  current_ = nullptr;  // from here on memory is real
  stream_->require_alive("capture");
  try {
    return made_plan();
  } catch (...) {
    blocks_->fail();
    stream_->drop_unused_arena();  // a plan that failed late had made one
    throw;
  }
}

std::shared_ptr<PlanState> Capture::made_plan() {
  std::unordered_set<Block*> seen;
  std::erase_if(touched_, [&](const Storage& storage) { return !seen.insert(storage.block()).second; });
  CapturedBlocks::Hold settled = blocks_->settle();
  const auto temporary = [&](const Block& block) { return blocks_->temporary(block); };
  skip_zeros(launches_, temporary);
  blocks_->count_uses(launches_);
  if (layouts_matter(launches_))
    if (const std::uint32_t block = stream_->backend().channel_block()) choose_layouts(launches_, block, temporary);
  if (stream_->info().joins) join_launches(launches_, *blocks_);
  if (stream_->info().shaders) fuse_launches(*stream_, launches_, *blocks_, kept_);
  blocks_->lay_out();
  auto plan =
      std::make_shared<PlanState>(stream_, blocks_, std::move(settled), std::move(launches_), std::move(touched_), std::move(kept_));
  take_back_.clear();
  return plan;
}

}  // namespace tidepool::inline v0
