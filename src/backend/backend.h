// A backend knows bytes, kernels and order. It never knows shapes, types, operations, gradients, pooling or fallback.
//
// Calls come one at a time (the Stream above serialises them). Work happens in the order of the calls: what is recorded
// joins the open batch, `submit` sends it off, and a ticket's number grows with every submission. A backend throws
// DeviceLost when the device is gone; after that only destructors are called, its own and its recordings', and they must
// not hang.
#pragma once

#include "backend/launch.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tidepool::inline v0 {

struct BackendInfo {
  std::string name;  // what the maker calls the device
  std::string kind;  // "cpu", "discrete", "integrated", "virtual", "software", "test"
  std::string driver;
  std::size_t memory_total = 0;
  std::size_t memory_free = 0;
  std::size_t offset_alignment = 1;          // of bindings, a power of two from 1 to 256
  std::size_t max_binding_bytes = SIZE_MAX;  // the largest range that one binding may span
  std::size_t max_loop = SIZE_MAX;           // iterations that one work item may run, all loops together
  std::size_t bindings = max_bindings;       // that a kernel may have
  std::size_t lanes = 0;                     // work items that run in step and can tell each other values
  std::string same_bits = {};                // what else the bits of results depend on: threads, libraries
  bool immediate = false;                    // a recorded launch is done when `record` returns
  bool joins = false;                        // does launches of a recording piece by piece where they say so
  bool shaders = false;                      // kernels are SPIR-V here; elsewhere, CPU functions
};

// Launches prepared to be submitted again and again. Destroyed before its backend, never while it may be running.
class Recording {
 public:
  virtual ~Recording() = default;
};

// How long a launch took, by the device's own clock.
struct LaunchTime {
  const KernelDef* kernel = nullptr;
  const char* operation = "";
  const Recording* recording = nullptr;  // null: it was on its own
  std::uint32_t stands_for = 1;          // then: this many launches
  std::chrono::nanoseconds start{0};     // on the host's steady clock, as nearly as that is known
  std::chrono::nanoseconds time{0};
};

// The number of a submission; 0 is before all of them.
using Serial = std::uint64_t;

class Backend {
 public:
  virtual ~Backend() = default;

  virtual BackendInfo info() = 0;
  // Null when the device has no memory left. The contents are anything.
  virtual Memory* allocate(std::size_t bytes) = 0;
  // Only when no unfinished submission uses it.
  virtual void free(Memory* memory) = 0;
  // Makes the kernel ready. Called once for each before its first launch.
  virtual void load(const KernelDef& kernel) = 0;
  // The kernel is about to be gone, and no unfinished submission or recording uses it.
  virtual void unload([[maybe_unused]] const KernelDef& kernel) {}
  // A network is being made here: what networks need can be made ready in the background. It changes no result; most do nothing.
  virtual void warm() {}
  // How long whatever waits by itself may (for room among the submissions under way, for copies) before the device counts as lost.
  virtual void set_patience([[maybe_unused]] std::chrono::nanoseconds time) {}
  // Whether launches are timed (those that stand for any): those of batches that begin from now on, of recordings baked from now on, and
  // (where launches are done at once) of recordings submitted from now on. False: there is no clock.
  virtual bool time_launches([[maybe_unused]] bool on) { return false; }
  // Takes the times of what is known to be finished.
  virtual void take_times([[maybe_unused]] std::vector<LaunchTime>& into) {}
  // Adds a launch to the open batch.
  virtual void record(const Launch& launch) = 0;
  // Writes to memory that no unfinished launch uses; done on return.
  virtual void upload(Memory* to, std::size_t offset, std::span<const std::byte> bytes) = 0;
  // Reads memory that no unfinished launch writes; done on return.
  virtual void download(Memory* from, std::size_t offset, std::span<std::byte> bytes) = 0;
  // Of images inside what is baked: how many channels lie side by side where that is faster; 0: it never is.
  virtual std::uint32_t channel_block() { return 0; }
  virtual std::unique_ptr<Recording> bake(std::span<const Launch> launches) = 0;
  // Sends off the open batch, or (with a recording) that instead; the open batch must be empty then. When it throws, the
  // batch is gone.
  virtual Serial submit(Recording* recording) = 0;
  // Whether the submission is finished. Zero asks without waiting; a longer time that runs out is a DeviceLost.
  virtual bool wait(Serial serial, std::chrono::nanoseconds time) = 0;
};

}  // namespace tidepool::inline v0
