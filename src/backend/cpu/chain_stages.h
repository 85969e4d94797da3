// The stages that belong to no kernel, and the loop that runs stages for one group of elements after the other.
#pragma once

#include "backend/cpu/chain.h"

namespace tidepool::inline v0 {

StageCode load_stage(int instructions);   // from its place
StageCode store_stage(int instructions);  // likewise, and goes on
StageCode end_stage(int instructions);

struct GroupLoop {
  const Stage* stages;
  float** places;
  std::size_t moving;    // so many of them move on with the groups
  std::size_t elements;  // whole groups
  int instructions;
};
void run_groups(const GroupLoop& loop);

}  // namespace tidepool::inline v0
