// Launches as the CPU runs them again and again: a flat array of calls, walked in order.
#pragma once

#include "backend/backend.h"
#include "backend/cpu/chain.h"
#include "backend/cpu/team.h"

#include <array>
#include <chrono>
#include <span>
#include <vector>

namespace tidepool::inline v0 {

class CpuRecording final : public Recording {
 public:
  struct Step {
    const KernelDef* kernel;
    const char* operation;
    void (*function)(const CpuCall&);
    CpuCall call;
    std::uint8_t passing;  // bindings that live within a piece, as bits; their buffers are offsets
    std::uint8_t param_bytes;
    std::uint16_t joined;  // so many after it are done with it, piece by piece
    std::uint32_t piece;
    std::uint32_t chain;  // in registers: of the first of joined steps
    std::array<std::uint8_t, max_bindings> element;
    alignas(16) std::array<std::byte, max_param_bytes> params;
  };

  CpuRecording(std::span<const Launch> launches, const CpuCall& common);
  void run(CpuTeam& team) const;
  void run_timed(CpuTeam& team, std::vector<LaunchTime>& times);

 private:
  using Times = std::vector<std::chrono::nanoseconds>;  // by steps that are joined
  void add_chain(std::span<Step> steps);
  void run_joined(std::span<const Step> steps, CpuTeam& team, Times* times) const;

  std::vector<Step> steps_;
  std::vector<RegisterChain> chains_;
  Times shares_;  // room for them, so that a run takes nothing from the heap
};

// What a call has from its launch, but for the buffers.
inline void take_work(CpuCall& call, const Launch& launch, const std::byte* params) {
  call.param_bytes = params;
  call.extent = launch.extent;
  call.program = launch.kernel->program;
  if (!call.program) [[likely]]
    return;
  for (std::size_t i = 0; i < launch.binding_count; ++i) call.bytes[i] = launch.bindings[i].bytes;
  call.param_size = launch.param_bytes;
}

inline std::chrono::nanoseconds steady_now() { return std::chrono::steady_clock::now().time_since_epoch(); }

}  // namespace tidepool::inline v0
