// What a conformance case is. One value describes an operation's cases; the checks in checks.h all read it, on every
// backend. Each family has a file of them, and all_cases.cpp lists the files.
//
//     OpCases{.op = "leaky_relu",
//             .make = [](Inputs& in, const Case& c) { return leaky_relu(in.uniform(c.shape), 0.1F); },
//             .reference = [](const RefTensors& in, const Case&) { return map(in[0], [](double x) { return x > 0 ? x : 0.1F * x; }); },
//             .over = {{.shape = {1}}, {.shape = {127}}, {.shape = {5, 6, 7}}},
//             .kinks = {0.0}}
#pragma once

#include <tidepool/tidepool.h>

#include "conformance/reference.h"

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace tidepool::conformance {

// What the inputs hold.
enum class Values {
  random,
  special,    // NaN, infinities, both zeros, the largest numbers: no gradients are checked
  denormals,  // likewise; Vulkan leaves arithmetic on them to the device, so it is checked on the CPU only
};

struct Case {
  Shape shape = {};
  Shape other = {};                     // of the second input, or the shape asked for
  std::vector<std::int64_t> axes = {};  // to reduce; none: the form without axes
  bool keepdim = false;
  std::int64_t begin = 0, end = 0;         // rows
  std::vector<std::int64_t> options = {};  // what else the operation wants: a stride, a padding
  bool view = false;                       // inputs and seed start in the middle of a block, at an odd element
  Values values = Values::random;
};
std::string describe(const Case& c);

// The inputs of one run: leaves on the device under test (those of floats want their gradient), and the same numbers for
// the reference. The same seed gives the same numbers.
class Inputs {
 public:
  Inputs(const Device& device, const Case& c, std::vector<double> kinks);

  Tensor uniform(const Shape& shape, double low = -1, double high = 1);
  Tensor normal(const Shape& shape);
  Tensor integers(const Shape& shape, std::int32_t low, std::int32_t high);  // i32 from low to high - 1
  Tensor bytes(const Shape& shape, int low, int high);                       // u8, likewise
  void rewind() { next_ = 0; }                   // the next calls give the tensors that there are, in the same order
  Tensor seed_like(const Tensor& result) const;  // something to start a backward with

  const std::vector<Tensor>& leaves() const { return leaves_; }
  const RefTensors& numbers() const { return numbers_; }

 private:
  template <class Draw>
  Tensor leaf(const Shape& shape, Draw&& draw);
  template <class T>
  Tensor whole_numbers(const Shape& shape, int low, int high);
  double away_from_kinks(double value) const;
  template <class T>
  Tensor place(const Shape& shape, const std::vector<T>& values) const;

  Device device_;
  const Case& case_;
  std::vector<double> kinks_;
  std::mt19937_64 random_;
  std::vector<Tensor> leaves_;
  RefTensors numbers_;
  std::size_t next_ = 0;
};

std::vector<float> seed_values(std::size_t count);     // what `seed_like` holds
std::vector<float> host_values(const Tensor& tensor);  // of any type

struct OpCases {
  std::string op = {};
  std::string form = {};  // another way to call it, for the test's name
  std::function<Tensor(Inputs&, const Case&)> make = {};
  std::function<RefTensor(const RefTensors&, const Case&)> reference = {};  // in plain double precision
  std::vector<Case> over = {};
  std::vector<double> kinks = {};  // random inputs keep away from these, so that finite differences are sound
  double tolerance = 1e-6;         // of the magnitude; 0: the very bits
  double gradient_tolerance = 1e-5;
  bool differentiable = true;
  bool vulkan = true;  // whether Vulkan has it yet
};

const std::vector<OpCases>& all_cases();
const OpCases* find_cases(const std::string& op);  // null when there are none

// One for each family.
void conv_cases(std::vector<OpCases>& all);
void elementwise_cases(std::vector<OpCases>& all);
void index_cases(std::vector<OpCases>& all);
void layout_cases(std::vector<OpCases>& all);
void linear_cases(std::vector<OpCases>& all);
void matmul_cases(std::vector<OpCases>& all);
void pool_cases(std::vector<OpCases>& all);
void reduce_cases(std::vector<OpCases>& all);
void typed_cases(std::vector<OpCases>& all);
void statistics_cases(std::vector<OpCases>& all);
void softmax_cases(std::vector<OpCases>& all);
void norm_cases(std::vector<OpCases>& all);
void loss_cases(std::vector<OpCases>& all);

std::string name_of(const OpCases& cases);  // "sum" or "sum_of_rows"

// Ranks 0 to 8, sizes around vectors and workgroups, views, and nothing at all.
std::vector<Case> plain_shapes();
std::vector<Case> with(std::vector<Case> cases, std::vector<Case> more);
inline constexpr std::int64_t special_count = 14;  // how many different values `Values::special` has
inline constexpr std::int64_t denormal_count = 6;

}  // namespace tidepool::conformance
