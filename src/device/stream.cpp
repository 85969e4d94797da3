#include "device/stream.h"

#include <tidepool/error.h>

#include "device/capture.h"
#include "device/plan.h"
#include "device/settings.h"
#include "device/slot.h"
#include "monitor/event.h"
#include "platform/bytes.h"
#include "platform/cat.h"
#include "platform/log.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstring>

namespace tidepool::inline v0 {

Stream::Stream(DeviceSlot& slot, std::unique_ptr<Backend> backend, const RandomPlace& start)
    : slot_(slot),
      news_(slot.news()),
      backend_(std::move(backend)),
      info_(backend_->info()),
      tuning_(tuning_for(info_)),
      pool_(*this, this, info_.offset_alignment, &mutex),
      random_start_(start) {
  apply_settings();
}

Stream::~Stream() = default;

void Stream::deliver(DeviceSlot& slot) { slot.deliver(); }

// Where work takes the device's time, so that it can be paced.
template <class Function>
auto Stream::paced(Function&& function) {
  struct Timer {
    std::chrono::nanoseconds& sum;
    std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
    ~Timer() { sum += std::chrono::steady_clock::now() - start; }
  } const timer{worked_};
  return function();
}

Block* Stream::take_block(std::size_t bytes, MemoryTag tag, const char* operation) {
  require_alive(operation);
  if (Capture* capture = Capture::current()) [[unlikely]]
    return capture->take(*this, bytes, tag);
  return pool_.take(bytes, tag, operation);
}

void Stream::load_first(const KernelDef& kernel, std::uint32_t id) {
  guarded([&] { backend_->load(kernel); });
  if (loaded_.size() <= id) loaded_.resize(id + 1);
  loaded_[id] = true;
}

bool Stream::can_load(const KernelDef& kernel) {
  try {
    load(kernel);
    return true;
  } catch (const DeviceLost&) {
    throw;
  } catch (const Error& error) {
    log_info(slot_.id(), " does without a kernel: ", error.what());
    return false;
  }
}

void Stream::too_large(const KernelDef& kernel, std::size_t bytes, std::size_t before) {
  std::string where;
  if (before) where = cat(", which begins ", before, " bytes behind a place where a binding can,");
  throw DeviceError(kernel.name, cat("a tensor of ", readable_bytes(bytes), where, " is more than ", slot_.id(), " can bind at once (",
                                     readable_bytes(info_.max_binding_bytes), "); work in smaller pieces, with slice() for example"));
}

void Stream::without_memory(const char* operation) {
  throw DeviceError(
      operation, "the tensor belongs to a capture that has not ended or has failed, so it has no values; capture again and run the plan");
}

// Moves offsets down to what the device can bind; what is left of them travels as Shifts in the parameters.
void Stream::align(Launch& launch) {
  assert(launch.binding_count == launch.kernel->bindings);
  const std::size_t mask = info_.offset_alignment - 1;
  std::uint64_t shifts = 0;  // eight bytes, as Shifts
  for (std::size_t i = 0; i < launch.binding_count; ++i) {
    Binding& binding = launch.bindings[i];
    assert(binding.access == launch.kernel->access[i] && "the call and the kernel differ about a binding's access");
    const std::size_t rest = binding.offset & mask;
    if (binding.bytes + rest > info_.max_binding_bytes) [[unlikely]]
      too_large(*launch.kernel, binding.bytes, rest);
    shifts |= static_cast<std::uint64_t>(rest >> std::countr_zero(binding.element)) << (8 * i);
    binding.offset -= rest;
    binding.bytes += rest;
  }
  if (launch.kernel->shifts) [[likely]]
    std::memcpy(launch.params.data(), &shifts, sizeof shifts);
  else
    assert(shifts == 0 && "a binding that the device cannot have");
}

void Stream::capture(Capture& capture, const Launch& launch, Block* const* blocks) {
  std::array<Operand, max_bindings> operands;
  for (std::size_t i = 0; i < launch.binding_count; ++i) {
    const Binding& b = launch.bindings[i];
    operands[i] = {blocks[i], b.offset - blocks[i]->offset, b.bytes, b.access, b.element};
  }
  capture.add(*this, launch, std::span(operands).first(launch.binding_count));
}

// `missing`: some block has no memory.
void Stream::launch(Launch& launch, Block* const* blocks, bool missing) {
  const KernelDef& kernel = *launch.kernel;
  require_alive(kernel.name);
  if (Capture* current = Capture::current()) [[unlikely]]
    return capture(*current, launch, blocks);
  if (missing) [[unlikely]]
    without_memory(kernel.name);
  load(kernel);
  if (any_faults.load(std::memory_order_relaxed)) [[unlikely]]
    meet_fault(FaultPoint::launch, kernel.name);
  if (!info_.immediate) {
    for (std::size_t i = 0; i < launch.binding_count; ++i) blocks[i]->last_use = last_ + 1;
    align(launch);
    launch.barrier = hazards_.before(launch);
  }
  try {
    if (pace_.limits()) [[unlikely]]
      guarded([&] { paced([&] { backend_->record(launch); }); });
    else
      guarded([&] { backend_->record(launch); });
  } catch (...) {  // a kernel of a user's own may have written some of it, which a pending backward must hear of
    for (std::size_t i = 0; i < launch.binding_count; ++i)
      if (info_.immediate && writes(launch.bindings[i].access)) blocks[i]->version.fetch_add(1, std::memory_order_relaxed);
    throw;
  }
  report([&] { return Event{.kind = Event::launch, .device = device_id(), .name = kernel.name, .operation = launch.operation}; });
  if (++pending_ >= max_commands_) {
    ++flushes_;
    submit();
  }
}

Serial Stream::submit() {
  require_alive("submit");
  if (pending_ == 0) return last_;
  meet_fault(FaultPoint::submit, "submit");
  report([&] { return Event{.kind = Event::flush, .device = device_id(), .count = pending_}; });
  last_ = send(nullptr);
  pending_ = 0;
  hazards_.clear();
  if (info_.immediate) {
    finished_ = last_;
    report_times();
  }
  follow_sink();
  rest();
  return last_;
}

// A submission that fails takes recorded work with it, and what should have been computed is not there.
Serial Stream::send(Recording* recording) {
  const auto submit = [&] { return backend_->submit(recording); };
  return done_or_lost("submit", [&] { return pace_.limits() ? paced(submit) : submit(); });
}

Serial Stream::commit() {
  const Serial serial = submit();
  pool_.step_done();
  return serial;
}

// Does not throw: the pool asks while it takes blocks in. A loss is found by whoever asks for work next.
bool Stream::finished(Serial serial) {
  if (serial <= finished_) return true;
  if (serial > last_ || state_ != State::alive) return false;
  try {
    if (!backend_->wait(serial, std::chrono::nanoseconds(0))) return false;
  } catch (const DeviceLost& loss) {
    lose(loss.what());
    return false;
  } catch (const DeviceError&) {  // it cannot say just now; asked again later
    return false;
  }
  finished_ = serial;
  return true;
}

bool Stream::ready(Serial serial) {
  require_alive("ready");
  const bool done = finished(serial);
  require_alive("ready");
  return done;
}

PoolStats Stream::figures() {
  try {
    return pool_.stats();
  } catch (const DeviceLost&) {  // found out just now; the figures are those of what is left
    return pool_.stats();
  }
}

void Stream::wait(Serial serial) {
  require_alive("wait");
  if (serial <= finished_ && !info_.immediate) return;
  meet_fault(FaultPoint::wait, "wait");
  if (info_.immediate) return;  // it was done when it was recorded
  report_timed({.kind = Event::wait, .device = device_id(), .name = "wait"},
               [&] { done_or_lost("wait", [&] { backend_->wait(serial, deadline_); }); });
  finished_ = serial;
  report_times();
}

void Stream::sync() {
  wait(commit());
  pool_.trim();
  hear_complaints();
}

void Stream::finish_all() { wait(submit()); }

void Stream::flush_for(const Block& block) {
  if (block.last_use <= finished_) return;
  if (block.last_use > last_) submit();
  wait(std::min(block.last_use, last_));
}

void Stream::upload(Block& to, std::size_t offset, std::span<const std::byte> bytes) {
  require_alive("upload");
  if (bytes.empty()) return;
  require_memory(to, "upload");
  meet_fault(FaultPoint::upload, "upload");
  flush_for(to);
  report_timed({.kind = Event::upload, .device = device_id(), .name = "upload", .bytes = bytes.size()},
               [&] { guarded([&] { backend_->upload(to.memory, to.offset + offset, bytes); }); });
}

void Stream::download(Block& from, std::size_t offset, std::span<std::byte> bytes) {
  require_alive("download");
  if (bytes.empty()) return;
  require_memory(from, "download");
  meet_fault(FaultPoint::download, "download");
  flush_for(from);
  hear_complaints();
  report_timed({.kind = Event::download, .device = device_id(), .name = "download", .bytes = bytes.size()},
               [&] { guarded([&] { backend_->download(from.memory, from.offset + offset, bytes); }); });
}

void Stream::clear(Block& block) {
  static constexpr std::array<std::byte, 16384> zeros{};
  for (std::size_t at = 0; at < block.bytes; at += zeros.size())
    upload(block, at, std::span(zeros).first(std::min(zeros.size(), block.bytes - at)));
}

void Stream::retag(Block& block, MemoryTag tag) {
  if (tag == MemoryTag::parameters && state_ == State::alive) backend_->warm();
  if (block.owner == &pool_)
    pool_.retag(&block, tag);
  else
    block.tag = tag;  // a captured block: the tag is used when it gets its memory
}

void Stream::apply_settings() {
  const Settings now = current_settings();
  max_commands_ = static_cast<std::size_t>(now.max_commands);
  deadline_ = std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(now.wait_limit));
  backend_->set_patience(deadline_);
  set_pace(now.max_load);
  pool_.set_limits(
      {.memory = now.memory_limit, .cache = now.cache_limit, .cached_per_class = static_cast<std::size_t>(now.max_cached_per_class)});
}

RandomPlace Stream::close() {
  const bool drawn = seed_version_ != 0;
  RandomPlace random = drawn ? RandomPlace{} : random_start_;  // how far a lost device came, nobody knows
  if (state_ == State::alive) try {
      finish_all();
      if (drawn) random = random_place();
    } catch (const DeviceError&) {  // it is over either way
    }
  for (PlanState* plan : std::exchange(plans_, {})) plan->drop(cat(slot_.id(), " was reset or closed"));
  arena_ = {};
  pool_.abandon();
  state_ = State::closed;
  backend_.reset();
  return random;
}

Memory* Stream::allocate(std::size_t bytes) {
  require_alive("allocate");  // a loss may have been found while the pool looked for room
  const Fault fault = fault_at(FaultPoint::allocate);
  if (fault == Fault::out_of_memory) return nullptr;
  if (fault == Fault::device_lost) lose_on_demand("a fault that was asked for", "allocate");
  return guarded([&] { return backend_->allocate(bytes); });
}

// Does not throw either: the pool frees while it takes blocks in. What a lost backend has is freed with it.
void Stream::free(Memory* memory) {
  if (state_ != State::alive) return;
  try {
    backend_->free(memory);
  } catch (const DeviceError& error) {  // copies to it are waited for, and one that cannot be has not come
    lose(error.what());
  }
}

const char* Stream::device_id() { return slot_.id().c_str(); }

}  // namespace tidepool::inline v0
