#include "stress/generate.h"

#include "stress/operations.h"
#include "stress/reference.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace tidepool::stress {

namespace {

// Writes a program down while the reference carries it out; what the reference refuses is not written.
class Writer {
 public:
  Writer(std::uint64_t seed, const GenerateOptions& options) : random_(seed), options_(options) {}

  Program write() {
    const std::int64_t length = any_of(random_, 4, 22);
    for (std::int64_t i = any_of(random_, 1, 3); i > 0; --i) make();
    for (std::int64_t i = 0; i < length; ++i) one_more();
    if (reference_.capturing()) end_plan();
    while (reference_.scopes() > 0) end_scope();
    if (random_() % 2) try_backward();
    reference_.finish();
    for (const Reading& reading : reference_.readings())
      for (const double value : reading.values)
        if (!(std::abs(value) < 1e5)) throw Invalid("a number that grew too large");
    return std::move(program_);
  }

 private:
  bool chance(std::uint64_t one_in) { return random_() % one_in == 0; }

  bool add(Instruction instruction) {
    try {
      reference_.carry_out(instruction);
    } catch (const Invalid&) {
      // A plan that runs may have got half way; then the program is worth nothing.
      if (instruction.code == Code::plan_end || instruction.code == Code::plan_run) throw;
      return false;
    }
    if (instruction.out >= 0) next_ = instruction.out + 1;
    program_.instructions.push_back(std::move(instruction));
    return true;
  }

  // One of the values that can be used, later ones more often; -1 when there is none.
  template <class Fits>
  int pick(Fits&& fits) {
    const auto& values = reference_.values();
    std::vector<int> good;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (values[i].usable() && fits(values[i])) good.push_back(static_cast<int>(i));
    if (good.empty()) return -1;
    const std::size_t from = chance(2) ? good.size() / 2 : 0;
    return good[from + random_() % (good.size() - from)];
  }
  int pick_any() {
    return pick([](const auto&) { return true; });
  }
  const Reference::Value& value(int number) const { return reference_.values()[static_cast<std::size_t>(number)]; }

  std::int64_t any_size() {
    if (chance(40)) return 0;
    if (chance(200)) return any_of(random_, 63, 66);
    return any_of(random_, 1, 4);
  }
  Shape any_shape() {
    if (chance(60)) {  // of rank 8
      std::vector<std::int64_t> sizes(8, 1);
      for (std::int64_t i = 0; i < 4; ++i) sizes[random_() % 8] = 2;
      return shape_of(sizes);
    }
    static constexpr std::int64_t ranks[] = {0, 1, 1, 2, 2, 2, 2, 3, 3, 4, 4};
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(ranks[random_() % std::size(ranks)]));
    for (std::int64_t& size : sizes) size = any_size();
    return shape_of(sizes);
  }

  int make(const std::optional<Wish::Other>& wanted = {}, int device = 0) {
    Instruction i{.code = Code::make, .out = next_, .values = random_()};
    i.shape = wanted ? wanted->shape : any_shape();
    i.type = wanted ? wanted->type : chance(12) ? DType::u8 : DType::f32;
    i.below = wanted ? wanted->below : 0;
    i.wants_grad = i.type == DType::f32 && chance(2);
    i.device = wanted || !options_.two_devices ? device : static_cast<int>(random_() % 2);
    if (reference_.capturing()) {
      if (i.type != DType::f32) return -1;
      i = {.code = Code::fill,
           .out = next_,
           .shape = i.shape,
           .number = static_cast<double>(any_of(random_, -8, 8)) / 4,
           .device = i.device};
    }
    return add(i) ? next_ - 1 : -1;
  }

  // A value like this, one that is there or a new one.
  int find(const Wish::Other& wanted, int device, bool whole_numbers_known) {
    const int there = whole_numbers_known ? -1 : pick([&](const Reference::Value& v) {
      return v.shape == wanted.shape && v.type == wanted.type && v.device == device;
    });
    return there >= 0 && !chance(3) ? there : make(wanted, device);
  }

  void apply() {
    const auto& all = operations();
    const Operation& operation = all[random_() % all.size()];
    const int first = pick_any();
    if (first < 0) return;
    const int device = value(first).device;
    Wish wish;
    if (!operation.wish(random_, reference_.array_of(value(first)), wish)) return;
    Instruction i{
        .code = Code::apply, .operation = &operation, .in = {first}, .shape = wish.shape, .numbers = wish.numbers, .number = wish.number};
    for (const Wish::Other& other : wish.others) {
      const int found = find(other, device, other.type == DType::i32);
      if (found < 0) return;
      i.in.push_back(found);
    }
    i.out = next_;
    add(i);
  }

  void write_in_place() {
    const int to = pick([](const Reference::Value& v) { return v.type == DType::f32 && !v.wants_grad && v.numbers->saved_by == 0; });
    if (to < 0) return;
    if (chance(2)) {
      add({.code = Code::fill_in, .in = {to}, .number = static_cast<double>(any_of(random_, -8, 8)) / 4});
    } else {
      const int from = pick([&](const Reference::Value& v) { return v.shape == value(to).shape && v.numbers != value(to).numbers; });
      if (from >= 0) add({.code = Code::copy_in, .in = {to, from}});
    }
  }

  void try_backward() {
    const bool inside = reference_.capturing();
    const int root =
        pick([&](const Reference::Value& v) { return reference_.backward_is_possible(v) && (!inside || v.shape.numel() == 1); });
    if (root >= 0) add({.code = Code::backward, .in = {root}, .values = random_()});
  }

  void end_scope() {
    Instruction i{.code = Code::tidy_end};
    if (const int result = pick_any(); result >= 0 && chance(2)) i.in = {result};
    add(i);
  }
  void end_plan() {
    while (reference_.scopes() > scopes_before_plan_) end_scope();
    add({.code = Code::plan_end, .times = any_of(random_, 1, 3)});
  }

  void mistake() {
    Instruction i{.code = Code::wrong, .mistake = static_cast<Mistake>(random_() % mistakes)};
    if (i.mistake == Mistake::released) {
      std::vector<int> gone;
      for (std::size_t k = 0; k < reference_.values().size(); ++k)
        if (reference_.values()[k].released) gone.push_back(static_cast<int>(k));
      if (gone.empty()) return;
      i.in = {gone[random_() % gone.size()]};
    } else {
      const int a = pick_any(), b = pick_any();
      if (a < 0) return;
      i.in = {a, b};
    }
    add(i);
  }

  void memory() {
    switch (random_() % 6) {
      case 0:
        add({.code = Code::limit, .times = any_of(random_, 0, 3000)});
        break;
      case 1:
        add({.code = Code::no_limit});
        break;
      case 2:
        if (chance(8)) add({.code = Code::cleanup});
        break;
      case 3:
        add({.code = Code::commit});
        break;
      default:
        if (const int number = pick_any(); number >= 0) add({.code = Code::release, .in = {number}});
    }
  }

  void plans() {
    if (reference_.capturing()) return end_plan();
    if (reference_.plans() > 0 && chance(2)) {
      const auto plan = static_cast<int>(random_() % static_cast<std::uint64_t>(reference_.plans()));
      if (reference_.plan_alive(plan)) add({.code = Code::plan_run, .times = any_of(random_, 1, 2), .plan = plan});
      return;
    }
    scopes_before_plan_ = reference_.scopes();
    if (!add({.code = Code::plan_begin})) return;
    for (std::int64_t k = any_of(random_, 2, 8); k > 0; --k) one_more();
    // It has to launch something.
    for (int tries = 0; tries < 20; ++tries) apply();
    if (reference_.capturing()) end_plan();
  }

  void one_more() {
    const std::uint64_t kind = random_() % 100;
    const bool inside = reference_.capturing();
    if (kind < 55) return apply();
    if (kind < 60) return void(make());
    if (kind < 66) return write_in_place();
    if (kind < 70) return void(reference_.scopes() < 3 && add({.code = Code::tidy_begin}));
    if (kind < 74) return reference_.scopes() > (inside ? scopes_before_plan_ : 0) ? end_scope() : void();
    if (kind < 79) return memory();
    if (kind < 84) return try_backward();
    if (kind < 87) return mistake();
    if (kind < 89) return inside ? void() : plans();
    const int number = pick_any();
    if (number < 0) return;
    if (kind < 92) return void(add({.code = Code::read, .in = {number}}));
    if (kind < 94) return void(add({.code = Code::keep, .in = {number}}));
    if (kind < 96) return void(add({.code = Code::zero_grad, .in = {number}}));
    if (options_.two_devices) add({.code = Code::move, .out = next_, .in = {number}, .device = 1 - value(number).device});
  }

  Random random_;
  GenerateOptions options_;
  Reference reference_;
  Program program_;
  int next_ = 0;
  std::size_t scopes_before_plan_ = 0;
};

}  // namespace

Program random_program(std::uint64_t seed, const GenerateOptions& options) {
  for (std::uint64_t turn = 0;; ++turn) {
    try {
      return Writer(seed * 1'000'003 + turn, options).write();
    } catch (const Invalid&) {  // it came to nothing: another
    }
  }
}

}  // namespace tidepool::stress
