// Where a device's random numbers stand: the seed, and how many times numbers were drawn since it was set.
#pragma once

#include <cstdint>
#include <span>

namespace tidepool::inline v0 {

struct RandomState {  // the same in ops/random/draw.comp
  std::uint32_t seed[2];
  std::uint32_t call[2];
  float normal_table[1024];  // see make_normal_table.py
};
std::span<const float> normal_table();

// Where the numbers of a device stand: the first members of its state.
struct RandomPosition {
  std::uint32_t seed[2];
  std::uint32_t call[2];
};

// The process's seed. `version` changes with every call of manual_seed, for devices to notice.
struct RandomSeed {
  std::uint64_t seed;
  std::uint64_t version;
};
void set_random_seed(std::uint64_t seed);
void take_random_seed(std::uint64_t seed);  // sets it if it is another: the other devices' numbers go on where they can
RandomSeed random_seed();

// Where the numbers stood when a device was closed, for it to go on from when it opens again.
struct RandomPlace {
  RandomPosition position{};
  std::uint64_t version = 0;  // of the seed; 0: nowhere
};

}  // namespace tidepool::inline v0
