// The random family: Philox4x32-10, a generator that makes number i of call c from the seed alone, so that every device
// and any number of threads give the same numbers. Seed and call stand in the device's memory (Stream::random_state), and
// each use moves the call on by one launch, so that a plan draws new numbers in every run.
#pragma once

#include "core/op.h"

namespace tidepool::inline v0 {

struct RandomParams {
  Shifts shifts;
  std::uint32_t count;
  std::uint32_t kind;       // 0: uniform in [0, 1), 1: normal, 2: 0 below the threshold, else the scale
  std::uint32_t threshold;  // of 2^32
  float scale;
  std::uint32_t first;  // element of the call that is the first here
  std::uint32_t ahead;  // calls beyond the state's; for `advance`, how many it moves on
};
static_assert(Params<RandomParams>);

namespace random_cpu {
void draw(const CpuCall& call);     // state, out
void advance(const CpuCall& call);  // state
}  // namespace random_cpu

}  // namespace tidepool::inline v0
