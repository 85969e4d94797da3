// A stream's plans: how their launches are made and run, and the arena that they share.
#include "device/stream.h"

#include <tidepool/error.h>

#include "backend/faults.h"
#include "device/capture.h"
#include "device/plan.h"
#include "monitor/event.h"

#include <algorithm>

namespace tidepool::inline v0 {

Launch Stream::lower(const CapturedLaunch& captured) {
  const auto& [kernel, operation, operands, params, extent, joined, piece] = captured;
  Launch launch;
  launch.kernel = kernel;
  launch.operation = operation;
  launch.stands_for = 1;
  launch.extent = extent;
  launch.joined = joined;
  launch.piece = piece;
  launch.binding_count = static_cast<std::uint8_t>(operands.size());
  launch.param_bytes = static_cast<std::uint8_t>(params.size());
  std::ranges::copy(params, launch.params.begin());
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Operand& o = operands[i];
    launch.bindings[i] = {o.block->memory, o.block->offset + o.offset, o.bytes, o.access, o.element};
  }
  align(launch);
  return launch;
}

std::unique_ptr<Recording> Stream::bake(std::span<const Launch> launches, bool timed) {
  host_memory_point("capture");
  for (const Launch& launch : launches) load(*launch.kernel);
  backend_->time_launches(timed);
  try {
    auto baked = guarded([&] { return backend_->bake(launches); });
    backend_->time_launches(timing_);
    return baked;
  } catch (const DeviceLost&) {
    throw;
  } catch (...) {
    backend_->time_launches(timing_);
    throw;
  }
}

Serial Stream::run(Recording& recording, std::size_t launches, std::uint64_t nanoseconds, bool timed) {
  submit();
  if (timing_) backend_->time_launches(timed);
  refresh_seed();
  meet_fault(FaultPoint::submit, "submit");
  report([&] { return Event{.kind = Event::plan_run, .device = device_id(), .count = launches, .nanoseconds = nanoseconds}; });
  last_ = send(&recording);
  if (info_.immediate) finished_ = last_;
  if (timing_) {
    backend_->time_launches(true);
    if (info_.immediate) report_times();
  }
  follow_sink();
  rest();
  return last_;
}

void Stream::remove(PlanState& plan) {
  std::erase(plans_, &plan);
  drop_unused_arena();
}

void Stream::drop_unused_arena() {
  if (plans_.empty()) drop_arena();
}

void Stream::drop_arena() {
  arena_ = {};
  ++arena_generation_;
}

void Stream::grow_arena(std::size_t bytes) {
  if (arena_ && arena_->bytes >= bytes) return;
  const std::size_t before = arena_ ? arena_->bytes : 0;
  if (arena_ && pool_.has_room(bytes, *arena_.block())) drop_arena();  // first, so that its bytes count towards the larger one
  try {
    Storage larger(pool_.take(bytes, MemoryTag::plan, "capture"));
    drop_arena();
    arena_ = std::move(larger);
  } catch (const OutOfMemory&) {
    if (before && !arena_) try {  // the device itself has no more; what the other plans had stays theirs
        arena_ = Storage(pool_.take(before, MemoryTag::plan, "capture"));
      } catch (const OutOfMemory&) {  // their next run looks for room
      }
    throw;
  }
}

void Stream::drop_plans() {
  while (!plans_.empty()) plans_.back()->drop("it was dropped by cleanup()");
}

bool Stream::drop_idle_plan() {
  for (PlanState* plan : plans_)
    if (plan->droppable && !plan->busy) {
      plan->drop("it was dropped because memory ran short");
      return true;
    }
  return false;
}

}  // namespace tidepool::inline v0
