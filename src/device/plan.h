// A plan: captured launches, the blocks that they use, and the backend's recording of them.
#pragma once

#include <tidepool/run.h>

#include "device/capture.h"

#include <string>
#include <vector>

namespace tidepool::inline v0 {

struct PlanState {
  PlanState(std::shared_ptr<Stream> stream, std::shared_ptr<CapturedBlocks> blocks, CapturedBlocks::Hold settled,
            std::vector<CapturedLaunch> launches, std::vector<Storage> touched, std::vector<std::shared_ptr<const void>> kept);
  ~PlanState();
  PlanState(const PlanState&) = delete;
  PlanState& operator=(const PlanState&) = delete;

  void run();
  bool run_if_there();  // false: it was dropped
  // With the stream's lock held: `run` throws from now on, the memory goes back.
  void drop(std::string why);
  // A run of that recording took so long; says how many runs it stands for, 0 if the recording is another plan's.
  std::uint64_t took(const Recording& recording, std::chrono::nanoseconds time);
  std::vector<Launch> lowered() const;  // with barriers; for tests and tools too

  const std::shared_ptr<Stream> stream;
  bool droppable = false;  // may be dropped when memory runs short; whoever sets it makes the plan again on use. With the lock held
  bool busy = false;       // being made or run: not now
  std::size_t size = 0;    // launches

 private:
  void bake();
  bool time_is_due();

  std::shared_ptr<CapturedBlocks> blocks_;
  CapturedBlocks::Hold settled_;
  std::vector<CapturedLaunch> launches_;
  std::vector<Storage> touched_;                   // that were there before
  std::vector<Block*> lasting_;                    // those and what was settled
  std::vector<std::shared_ptr<const void>> kept_;  // kernels that were made at run time
  std::vector<Block*> written_;                    // those of `lasting_` that a run writes
  std::unique_ptr<Recording> recording_, timed_;   // the second once somebody wants times
  std::uint64_t runs_ = 0, stands_for_ = 1;        // since somebody wants times; by the run that was timed last
  std::uint64_t nanoseconds_ = 0;                  // that it took
  std::uint64_t arena_generation_ = 0;
  Serial last_ = 0, last_timed_ = 0;
  std::string dropped_;
};

struct PlanAccess {
  static PlanState& state(const Plan& plan) { return *plan.state_; }
  // False: there is none, or it was dropped, by another thread just now perhaps.
  static bool run_if_there(const Plan& plan) { return plan.state_ && plan.state_->run_if_there(); }
  static void let_be_dropped(const Plan& plan) {
    const StreamLock lock(*plan.state_->stream);
    plan.state_->droppable = true;
  }
};

}  // namespace tidepool::inline v0
