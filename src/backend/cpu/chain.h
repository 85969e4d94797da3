// A chain of elementwise launches in registers: what one makes, the next takes without touching memory.
//
// There is no code to generate. Each kernel has a stage: a function with a group of elements in vector registers as its arguments, which
// does its work on them and ends by calling the next stage with what came of it. Compilers make a jump of such a call, so a group goes
// through the whole chain without leaving the registers. What is needed later than by the next stage waits in a slot in the nearest cache.
//
//     const RegisterChain chain = chain_in_registers(steps, instructions);  // once
//     if (chain.usable()) chain.run(first, count);                          // whole units of elements
#pragma once

#include "backend/cpu/instructions.h"
#include "backend/launch.h"

#include <span>
#include <vector>

namespace tidepool::inline v0 {

constexpr std::size_t group_vectors = 8;                                                              // as many as calls pass in registers
constexpr std::size_t most_places = 64;                                                               // in memory, that one chain touches
constexpr std::size_t group_elements(int instructions) { return instructions == avx512 ? 128 : 64; }  // or a part of them
constexpr std::size_t widest_group = group_elements(avx512);

struct Stage {
  StageCode code;
  const std::byte* params;
  std::uint16_t operands[2];  // what it has from memory: numbers of places
};

class RegisterChain {
 public:
  bool usable() const { return !stages_.empty(); }
  // So many elements are done at a time: a group, or a stretch where the chain ends with sums.
  std::size_t unit() const { return unit_; }
  // Elements [first, first + count), both multiples of the unit.
  void run(std::size_t first, std::size_t count) const;

 private:
  friend class ChainBuilder;
  std::vector<Stage> stages_;
  std::vector<float*> moving_;  // places that move along with the elements, numbered from the front
  std::size_t slots_ = 0;       // places for a group each, numbered from the back
  std::size_t unit_ = 0;
  float (*close_)(float* sums) = nullptr;  // with sums, which have the last slot and begin with 0,
  float* results_ = nullptr;               // goes here, a stretch after the other
  float (*sum_)(const std::byte* params, const float* from, std::size_t count) = nullptr;  // of one kernel and a sum: the whole chain
  int instructions_ = 0;
};

// What it must know of a launch.
struct ChainStep {
  struct Place {
    std::byte* memory;  // the first element; of what lives within the chain, whatever tells it from others
    bool passing;
    friend bool operator==(const Place&, const Place&) = default;
  };
  const KernelDef* kernel;
  const std::byte* params;
  std::array<Place, max_bindings> bindings;
};
// Not usable where a kernel has no stage.
RegisterChain chain_in_registers(std::span<const ChainStep> steps, int instructions);

}  // namespace tidepool::inline v0
