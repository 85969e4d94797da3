// A capture records this thread's launches instead of running them. Its blocks have no memory of their own until it
// ends: then those that a tensor still holds get one each, and all others share the stream's arena, laid out by when
// they are needed.
#pragma once

#include "device/stream.h"

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace tidepool::inline v0 {

struct CapturedLaunch {
  const KernelDef* kernel;
  const char* operation;
  std::vector<Operand> operands;
  std::vector<std::byte> params;
  Extent extent;
  std::uint16_t joined = 0;  // as in Launch
  std::uint32_t piece = 0;
};
inline bool is_flat(const CapturedLaunch& launch) { return launch.kernel->flat && launch.kernel->flat->flat(launch.params.data()); }

// The blocks that a capture handed out. Tensors may hold some of them longer than the plan lives, also when there never
// was one because the capture failed.
class CapturedBlocks final : public BlockOwner, public std::enable_shared_from_this<CapturedBlocks> {
 public:
  explicit CapturedBlocks(std::shared_ptr<Stream> stream) : BlockOwner(stream.get()), stream_(std::move(stream)) {}

  Block* take(std::size_t bytes, MemoryTag tag);
  void give_back(Block* block) noexcept override;
  // When each is used, by launches.
  void count_uses(std::span<const CapturedLaunch> launches);

  // While this lives, what was settled keeps its memory. It ends with the stream's lock held.
  struct LetGo {
    void operator()(CapturedBlocks* blocks) const noexcept { blocks->let_go(); }
  };
  using Hold = std::unique_ptr<CapturedBlocks, LetGo>;
  // The capture is over: what a tensor still holds gets memory of its own, zeroed. With the stream's lock held.
  [[nodiscard]] Hold settle();
  std::vector<Block*> settled();  // those
  void fail() noexcept;           // there will be no plan: nobody ever writes what they hold, so they hold nothing
  // The rest is laid out in the arena. With the stream's lock held, as the next.
  void lay_out();
  bool temporary(const Block& block);  // one of these, and no tensor held it at the end
  // Launches [first, last] are done together, so whatever one of them uses is needed in all.
  void join(Block* block, std::size_t first, std::size_t last);
  // A temporary that is whole within those launches lives in the room of their pieces, at this offset.
  bool within(const Block& block, std::size_t first, std::size_t last);
  void keep_in_piece(Block* block, std::size_t offset);
  // Places the temporaries in the arena as it is now, growing it when needed.
  void place();

 private:
  struct Life {
    std::size_t first = 0, last = 0;  // launches
    bool used = false;
    bool held = true;        // by a tensor, now
    bool in_piece = false;   // of joined launches; needs no memory
    std::size_t offset = 0;  // in the arena
    Storage memory;          // its own, when it outlives the capture
  };
  void let_go() noexcept;
  void free_memory(Block& block) noexcept;
  Life& life_of(const Block* block) { return lives_[block->bin]; }  // captured blocks have no bin; their number stands there

  std::shared_ptr<Stream> stream_;
  std::mutex mutex_;
  std::deque<Block> blocks_;
  std::deque<Life> lives_;
  std::size_t held_ = 0;
  bool plan_holds_ = false;  // what was settled
  std::size_t arena_bytes_ = 0;
  std::shared_ptr<CapturedBlocks> self_;  // while a tensor holds one of them
};

class Capture {
 public:
  Capture();
  ~Capture();
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  static Capture* current() { return current_; }
  // Throws when this thread is capturing, for calls that would need a result.
  static void refuse(const char* operation);

  Block* take(Stream& stream, std::size_t bytes, MemoryTag tag);
  void add(Stream& stream, const Launch& launch, std::span<const Operand> operands);
  void keep(std::shared_ptr<const void> used);  // as long as the plan lives: a kernel that was made at run time
  // What is to be taken back when there will be no plan: gradients, say, whose memory never comes.
  void if_it_fails(std::function<void()> take_back) { take_back_.push_back(std::move(take_back)); }
  std::shared_ptr<PlanState> finish();

 private:
  void join(Stream& stream);
  std::shared_ptr<PlanState> made_plan();

  static constinit thread_local Capture* current_;
  std::shared_ptr<Stream> stream_;
  std::shared_ptr<CapturedBlocks> blocks_;
  std::vector<CapturedLaunch> launches_;
  std::vector<Storage> touched_;  // every block that was there before
  std::vector<std::shared_ptr<const void>> kept_;
  std::vector<std::function<void()>> take_back_;
};

}  // namespace tidepool::inline v0
