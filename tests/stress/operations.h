// The operations that random programs are made of: how each is called, what it computes, one number at a time, and what it wants
// beside its first input.
#pragma once

#include "stress/number.h"
#include "stress/program.h"

#include <functional>
#include <random>
#include <span>

namespace tidepool::stress {

using Random = std::mt19937_64;
inline std::int64_t any_of(Random& random, std::int64_t from, std::int64_t to) {  // both included
  return from + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(to - from + 1));
}

struct Array {
  Shape shape = {};
  std::vector<Number> numbers = {};
  DType type = DType::f32;
};
using Arrays = std::vector<Array>;

// What the generator has to find or make before it can write the instruction down.
struct Wish {
  struct Other {
    Shape shape = {};
    DType type = DType::f32;
    std::int64_t below = 0;
  };
  std::vector<Other> others = {};
  Shape shape = {};
  std::vector<std::int64_t> numbers = {};
  double number = 0;
};

struct Operation {
  const char* name;
  const char* text;  // of the call: $0 is an input, #0 a number, # the number, @ the shape
  std::function<Tensor(const std::vector<Tensor>&, const Instruction&)> call;
  std::function<Array(const Arrays&, const Instruction&)> compute;  // throws Invalid
  std::function<bool(Random&, const Array& first, Wish&)> wish;     // false: not with this first input
  bool view = false;                                                // shares its input's numbers
  bool differentiable = true;
  // Which part of the input's numbers a view shows.
  std::function<std::int64_t(const Array&, const Instruction&)> offset = {};
};

const std::vector<Operation>& operations();
const Operation& operation(const std::string& name);

void add_elementwise(std::vector<Operation>& all);
void add_layout(std::vector<Operation>& all);
void add_reductions(std::vector<Operation>& all);
void add_products(std::vector<Operation>& all);

// For the functions above.
void require(bool condition, const char* what);
Shape shape_of(std::span<const std::int64_t> sizes);
std::vector<std::int64_t> sizes_of(const Shape& shape);
std::vector<std::int64_t> place_of(const Shape& shape, std::int64_t index);
std::int64_t index_of(const Shape& shape, std::span<const std::int64_t> place);
Shape broadcast_shape(const Shape& a, const Shape& b);
Array broadcast(const Array& a, const Shape& shape);
// Every element from its place: f(place).
Array from_places(const Shape& shape, DType type, const std::function<Number(std::span<const std::int64_t>)>& f);
// An axis of the shape and whether to keep it.
bool wish_axis(Random& random, const Array& first, Wish& wish);

}  // namespace tidepool::stress
