// A program as data: instructions over numbered values. The generator makes random ones, the reference and the runner carry
// them out, and when the two disagree the shrinker takes away what is not needed for that.
#pragma once

#include <tidepool/tidepool.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace tidepool::stress {

struct Operation;

enum class Code : std::uint8_t {
  make,        // out: a tensor from the host, of `shape`; `type`; with f32, `wants_grad`
  fill,        // out: full(shape, number)
  apply,       // out: operation(in…)
  copy_in,     // copy_(in[0], in[1])
  fill_in,     // fill_(in[0], number)
  release,     // in[0]
  keep,        // in[0]
  tidy_begin,  //
  tidy_end,    // in: what the scope returns
  move,        // out: in[0] on the other device
  backward,    // in[0], with a seed of random numbers
  zero_grad,   // in[0]
  plan_begin,  // what follows is captured
  plan_end,    // and run `times`
  plan_run,    // plan number `plan`, `times`
  read,        // in[0] to the host
  limit,       // what is live and `times` bytes more; lifted by the first OutOfMemory
  no_limit,
  cleanup,
  commit,
  wrong,  // a mistake on purpose, of kind `mistake`, with in…
};

enum class Mistake : std::uint8_t {
  released,  // in[0] was released
  shapes,    // in[0] + in[1] do not broadcast
  elements,  // in[0] reshaped to one element more
  axis,      // sum of in[0] along an axis that it does not have
  rows,      // rows of in[0] beyond the last
  type,      // exp of in[0], which is not f32
  devices,   // in[0] + in[1] are on different devices
  backward,  // of in[0], to which nothing led that wants a gradient, or whose graph was used
};
constexpr int mistakes = 8;

struct Instruction {
  Code code = Code::make;
  Mistake mistake = Mistake::released;
  const Operation* operation = nullptr;
  int out = -1;
  std::vector<int> in = {};
  Shape shape = {};
  std::vector<std::int64_t> numbers = {};  // axes, strides, flags: what the operation wants beside tensors
  double number = 0;
  DType type = DType::f32;
  bool wants_grad = false;
  int device = 0;            // of what is made; 0 is the first device of the run, 1 the second
  std::uint64_t values = 0;  // a seed for random numbers
  std::int64_t below = 0;    // whole numbers are from 0 to this less 1
  std::int64_t times = 0;
  int plan = -1;
};

struct Program {
  std::vector<Instruction> instructions = {};
  std::string as_cpp() const;  // to be pasted into a test
};

// The instruction cannot be carried out in this place. Not an error of the library's.
struct Invalid : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The numbers that `make` gives: short ones, exact in a float.
std::vector<float> random_values(std::uint64_t seed, std::int64_t count, DType type, std::int64_t below);

}  // namespace tidepool::stress
