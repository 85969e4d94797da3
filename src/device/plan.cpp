#include "device/plan.h"

#include <tidepool/error.h>

#include "device/hazards.h"

#include <algorithm>

namespace tidepool::inline v0 {

PlanState::PlanState(std::shared_ptr<Stream> on, std::shared_ptr<CapturedBlocks> blocks, CapturedBlocks::Hold settled,
                     std::vector<CapturedLaunch> launches, std::vector<Storage> touched, std::vector<std::shared_ptr<const void>> kept)
    : stream(std::move(on)),
      size(launches.size()),
      blocks_(std::move(blocks)),
      settled_(std::move(settled)),
      launches_(std::move(launches)),
      touched_(std::move(touched)),
      lasting_(blocks_->settled()),
      kept_(std::move(kept)) {
  for (const Storage& storage : touched_) lasting_.push_back(storage.block());
  for (Block* block : lasting_)
    if (std::ranges::any_of(launches_, [&](const CapturedLaunch& launch) {
          return std::ranges::any_of(launch.operands, [&](const Operand& o) { return o.block == block && writes(o.access); });
        }))
      written_.push_back(block);
  bake();
  stream->add(*this);
}

PlanState::~PlanState() {
  const StreamLock lock(*stream);
  drop("it is over");
}

std::vector<Launch> PlanState::lowered() const {
  std::vector<Launch> lowered;
  lowered.reserve(launches_.size());
  Hazards hazards;
  for (const CapturedLaunch& launch : launches_) {
    lowered.push_back(stream->lower(launch));
    lowered.back().barrier = hazards.before(lowered.back());
  }
  return lowered;
}

void PlanState::bake() {
  struct Busy {
    bool& flag;
    explicit Busy(bool& flag) : flag(flag) { flag = true; }
    ~Busy() { flag = false; }
  } const guard(busy);
  blocks_->place();
  timed_.reset();
  recording_ = stream->bake(lowered());
  arena_generation_ = stream->arena_generation();  // not before: where that fails, the next run has to try again
}

// What is dropped stays so: then why can be read without the lock.
void PlanState::run() {
  if (!run_if_there()) throw Error("run", "the plan cannot run: " + dropped_ + "; capture it again");
}

bool PlanState::run_if_there() {
  Capture::refuse("run");
  const StreamLock lock(*stream);
  if (!dropped_.empty()) return false;
  stream->require_alive("run");
  if (arena_generation_ != stream->arena_generation()) {
    if (last_) stream->wait(last_);
    bake();
  }
  const bool timed = stream->timing() && time_is_due();
  if (timed) {
    stream->finish_timed(last_timed_);  // what it stood for is told before this one stands for others
    stands_for_ = runs_ <= 2 ? 1 : 64;
    if (!timed_) timed_ = stream->bake(lowered(), true);
  }
  for (Block* block : written_) block->version.fetch_add(1, std::memory_order_relaxed);  // also where a kernel throws half way
  last_ = stream->run(timed ? *timed_ : *recording_, size, nanoseconds_, timed);
  if (timed) last_timed_ = last_;
  if (stream->info().immediate) return true;
  for (Block* block : lasting_) block->last_use = last_;
  if (stream->arena()) stream->arena()->last_use = last_;
  return true;
}

// The first run, in which much is made, is timed for itself alone; the second and every 64th after it stand for those before them.
bool PlanState::time_is_due() {
  const std::uint64_t run = runs_++;
  return run == 0 || run % 64 == 1;
}

std::uint64_t PlanState::took(const Recording& recording, std::chrono::nanoseconds time) {
  if (&recording != timed_.get()) return 0;
  nanoseconds_ = static_cast<std::uint64_t>(time.count());
  return stands_for_;
}

void PlanState::drop(std::string why) {
  if (!dropped_.empty()) return;
  dropped_ = std::move(why);
  if (last_ && stream->alive()) try {
      stream->wait(last_);
    } catch (const DeviceLost&) {  // then nothing runs any more
    }
  recording_.reset();
  timed_.reset();
  launches_.clear();
  kept_.clear();
  written_.clear();
  lasting_.clear();
  touched_.clear();
  settled_.reset();
  blocks_.reset();
  stream->remove(*this);
}

void Plan::run() const {
  if (!state_) throw ReleasedError("run", "the plan is empty; make one with capture()");
  state_->run();
}

std::int64_t Plan::launches() const { return state_ ? static_cast<std::int64_t>(state_->size) : 0; }

Plan capture(const std::function<void()>& function) {
  if (!function) throw ArgumentError("capture", "got an empty function; wanted one to call");
  Capture capture;
  function();
  return Plan(capture.finish());
}

}  // namespace tidepool::inline v0
