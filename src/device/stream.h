// An opened device: its backend, its pool, its open batch and its plans, behind one lock. Work happens in order.
//
// A stream lives from the first use of a device until it is lost, reset or closed; the next use opens another. Blocks
// point at the stream that made them, so that an old block is known for what it is.
#pragma once

#include <tidepool/error.h>

#include "backend/backend.h"
#include "backend/faults.h"
#include "device/complaints.h"
#include "device/hazards.h"
#include "device/pace.h"
#include "device/random_state.h"
#include "device/tuning.h"
#include "memory/block_pool.h"
#include "monitor/event.h"
#include "platform/mutex.h"

#include <chrono>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tidepool::inline v0 {

class DeviceSlot;
class Capture;
struct CapturedLaunch;
struct PlanState;

// A block's part in a launch.
struct Operand {
  Block* block;
  std::size_t offset;  // bytes from the block's start
  std::size_t bytes;
  Access access;
  std::uint8_t element;  // bytes of one element, the unit of Shifts
};

class Stream final : public PoolHost, public std::enable_shared_from_this<Stream> {
 public:
  Stream(DeviceSlot& slot, std::unique_ptr<Backend> backend, const RandomPlace& start);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  DeviceSlot& slot() const { return slot_; }
  const std::atomic<bool>& news() const { return news_; }  // whether the slot has something to tell its listeners
  static void deliver(DeviceSlot& slot);
  const BackendInfo& info() const { return info_; }
  const Tuning& tuning() const { return tuning_; }
  void set_tuning(const Tuning& tuning) { tuning_ = tuning; }  // to measure what suits the device; with the lock held

  // Everything below is called with the lock held (StreamLock).
  Mutex mutex;

  // Throws when the device is lost or this stream is over.
  void require_alive(const char* operation) {
    if (state_ != State::alive) [[unlikely]]
      gone(operation);
  }
  // From the pool, or from this thread's capture.
  Block* take_block(std::size_t bytes, MemoryTag tag, const char* operation);  // with no handle yet
  Storage take(std::size_t bytes, MemoryTag tag, const char* operation) { return Storage::first(take_block(bytes, tag, operation)); }
  // Whose launches come now, for those who watch.
  void begin_operation(const char* name, const Timing& time) {
    operation_ = name;
    operation_time_ = time;
  }
  void end_operation() {
    if (event_sink.load(std::memory_order_relaxed)) [[unlikely]]
      report_operation();
  }
  // Of the parameters the first `param_bytes` are sent.
  template <class P, std::size_t count>
  [[gnu::always_inline]] void launch(const KernelDef& kernel, const Operand (&operands)[count], const P& params, const Extent& extent,
                                     std::size_t param_bytes = sizeof(P)) {
    launch_filled<P>(kernel, operands, extent, param_bytes, [&](P& p) { std::memcpy(&p, &params, param_bytes); });
  }
  // The same with parameters that `fill` writes where they are needed: a copy of what was just written costs a stall.
  template <class P, std::size_t count, class Fill>
  [[gnu::always_inline]] void launch_filled(const KernelDef& kernel, const Operand (&operands)[count], const Extent& extent,
                                            std::size_t param_bytes, Fill&& fill) {
    static_assert(Params<P> && count <= max_bindings);
    launch_operands(kernel, std::span<const Operand, count>(operands), extent, param_bytes,
                    [&](std::byte* params) { fill(*reinterpret_cast<P*>(params)); });
  }
  // For kernels that are made at run time: as many operands and parameters as there are.
  void launch_made(const KernelDef& kernel, std::span<const Operand> operands, std::span<const std::byte> params, const Extent& extent);
  bool can_load(const KernelDef& kernel);  // a kernel that one can do without; if not, the log says why
  void forget(const KernelDef& kernel);    // nobody launches it any more
  // Whether a launch after that submission can have found a wrong value.
  bool may_complain_since(Serial serial) const {
    return complaints_.block.memory && (info_.immediate || complaints_.block.last_use > serial);
  }
  Operand complaints();  // where a kernel says that a value is wrong; read and written
  Operand random_state(Access access);
  RandomPosition random_position();
  void set_random_position(const RandomPosition& position);
  Serial submit();
  Serial commit();  // submit, at the end of a step
  bool ready(Serial serial);
  void wait(Serial serial);
  void sync();
  void upload(Block& to, std::size_t offset, std::span<const std::byte> bytes);
  void download(Block& from, std::size_t offset, std::span<std::byte> bytes);
  void clear(Block& block);  // writes zeros
  // Throws for a block of a capture that has not ended, or that failed.
  static void require_memory(const Block& block, const char* operation) {
    if (!block.memory) [[unlikely]]
      without_memory(operation);
  }
  void retag(Block& block, MemoryTag tag);

  // Plans.
  Launch lower(const CapturedLaunch& captured);
  std::unique_ptr<Recording> bake(std::span<const Launch> launches, bool timed = false);
  // `nanoseconds`: what a run took the last time that somebody looked, for those who watch.
  Serial run(Recording& recording, std::size_t launches, std::uint64_t nanoseconds, bool timed);
  bool timing() const { return timing_; }
  void finish_timed(Serial serial);
  void add(PlanState& plan) { plans_.push_back(&plan); }
  void remove(PlanState& plan);
  std::atomic<int> captures{0};  // that began here and have not ended; the lock is not needed
  const Storage& arena() const { return arena_; }
  std::uint64_t arena_generation() const { return arena_generation_; }
  void grow_arena(std::size_t bytes);  // what plans share: temporaries that live within one run
  void drop_unused_arena();            // where there is no plan

  void apply_settings();
  BlockPool& pool() { return pool_; }
  PoolStats figures();  // at any time, of a lost device too
  Backend& backend() { return *backend_; }
  void drop_plans();
  bool alive() const { return state_ == State::alive; }
  bool lost() const { return state_ == State::lost; }
  const std::string& why_lost() const { return why_lost_; }
  bool closed() const { return state_ == State::closed; }
  // Ends it: plans are dropped, the backend is destroyed, blocks may still come back. Says where its random numbers stand.
  RandomPlace close();
  std::int64_t flushes() const { return flushes_; }        // automatic ones
  std::chrono::nanoseconds busy() const { return busy_; }  // how long our work took, while it is paced

  // PoolHost
  Memory* allocate(std::size_t bytes) override;
  void free(Memory* memory) override;
  bool finished(Serial serial) override;
  void finish_all() override;
  bool drop_idle_plan() override;
  const char* device_id() override;

 private:
  enum class State { alive, lost, closed };

  // Every call into the backend goes through here, so that a loss is noticed once and for good.
  template <class Function>
  auto guarded(Function&& function) {
    try {
      return function();
    } catch (const DeviceLost& loss) {
      lose(loss.what());
      throw;
    }
  }
  // Where nobody knows what was done when it fails: that is a loss, whatever the driver calls it.
  template <class Function>
  auto done_or_lost(const char* operation, Function&& function) {
    try {
      return function();
    } catch (const DeviceError& error) {
      lose(error.what());
      gone(operation);
    }
  }
  [[noreturn]] void gone(const char* operation);
  [[noreturn]] static void without_memory(const char* operation);
  void drop_arena();
  [[noreturn]] void too_large(const KernelDef& kernel, std::size_t bytes, std::size_t before);
  template <std::size_t count, class Fill>
  [[gnu::always_inline]] void launch_operands(const KernelDef& kernel, std::span<const Operand, count> operands, const Extent& extent,
                                              std::size_t param_bytes, Fill&& fill) {
    Launch made;  // what is not set is not used
    Block* blocks[max_bindings];
    made.kernel = &kernel;
    made.operation = operation_;
    made.stands_for = operation_time_.stands_for;
    made.extent = extent;
    made.binding_count = static_cast<std::uint8_t>(operands.size());
    made.param_bytes = static_cast<std::uint8_t>(param_bytes);
    bool missing = false;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const Operand& o = operands[i];
      blocks[i] = o.block;
      missing |= !o.block->memory;
      made.bindings[i] = {o.block->memory, o.block->offset + o.offset, o.bytes, o.access, o.element};
    }
    fill(made.params.data());
    launch(made, blocks, missing);
  }
  void launch(Launch& launch, Block* const* blocks, bool missing);
  void align(Launch& launch);
  void capture(Capture& capture, const Launch& launch, Block* const* blocks);
  void lose(const std::string& why);
  void meet_fault(FaultPoint point, const char* operation);
  [[noreturn]] void lose_on_demand(const std::string& why, const char* operation);
  void load(const KernelDef& kernel) {
    const std::uint32_t id = kernel_id(kernel);
    if (id >= loaded_.size() || !loaded_[id]) [[unlikely]]
      load_first(kernel, id);
  }
  void load_first(const KernelDef& kernel, std::uint32_t id);
  Serial send(Recording* recording);
  void flush_for(const Block& block);
  void follow_sink();
  void report_times();
  void report_operation();
  void set_pace(double share);
  template <class Function>
  auto paced(Function&& function);
  void rest();
  void look_at_load();
  void hear_complaints();
  Operand lasting(LastingBlock& lasting, Access access);
  void take_lasting(Block& block);
  void refresh_seed();
  RandomPlace random_place();

  DeviceSlot& slot_;
  const std::atomic<bool>& news_;
  std::unique_ptr<Backend> backend_;
  BackendInfo info_;
  Tuning tuning_;
  State state_ = State::alive;
  std::string why_lost_;
  BlockPool pool_;
  Hazards hazards_;
  std::vector<std::uint8_t> loaded_;  // by kernel id
  std::size_t pending_ = 0;           // launches in the open batch
  std::size_t max_commands_ = 100;
  Serial last_ = 0;      // last submission
  Serial finished_ = 0;  // last one known to be finished
  std::int64_t flushes_ = 0;
  std::vector<PlanState*> plans_;
  Storage arena_;
  std::uint64_t arena_generation_ = 0;
  LastingBlock complaints_{this, sizeof(Complaint)};
  LastingBlock random_{this, sizeof(RandomState)};
  RandomPlace random_start_;
  std::uint64_t seed_version_ = 0;  // of the seed that random_ has; 0: none yet
  std::chrono::nanoseconds deadline_ = std::chrono::seconds(30);
  const char* operation_ = "";
  Timing operation_time_;
  bool timing_ = false;  // somebody wants to know how long launches take
  std::vector<LaunchTime> times_;
  std::uint32_t looks_ = 0;  // that somebody wanted and had
  Pace pace_;
  bool pace_told_ = false;
  std::chrono::steady_clock::time_point load_seen_{};
  std::chrono::nanoseconds busy_then_{0};
  std::chrono::nanoseconds worked_{0}, busy_{0};  // since the last rest; since it is paced
};

// Holds a stream's lock, and tells the listeners what happened once it is free again.
class StreamLock {
 public:
  explicit StreamLock(Stream& stream) : stream_(stream) { stream_.mutex.lock(); }
  ~StreamLock() {
    DeviceSlot& slot = stream_.slot();
    const std::atomic<bool>& news = stream_.news();
    stream_.mutex.unlock();  // the stream may be gone from here on; its slot never is
    if (news.load(std::memory_order_relaxed)) [[unlikely]]
      Stream::deliver(slot);
  }
  StreamLock(const StreamLock&) = delete;
  StreamLock& operator=(const StreamLock&) = delete;

 private:
  Stream& stream_;
};

}  // namespace tidepool::inline v0
