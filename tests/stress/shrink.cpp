#include "stress/shrink.h"

#include "stress/operations.h"

#include <algorithm>
#include <set>

namespace tidepool::stress {

namespace {

// Without the instructions in [begin, end), and without all that needs what they made.
Program without(const Program& program, std::size_t begin, std::size_t end) {
  Program result;
  std::set<int> gone;
  for (std::size_t i = 0; i < program.instructions.size(); ++i) {
    Instruction instruction = program.instructions[i];
    if (instruction.code == Code::tidy_end) std::erase_if(instruction.in, [&](int value) { return gone.contains(value); });
    const bool needs = std::ranges::any_of(instruction.in, [&](int value) { return gone.contains(value); });
    if ((i >= begin && i < end) || needs)
      gone.insert(instruction.out);
    else
      result.instructions.push_back(std::move(instruction));
    gone.erase(-1);
  }
  return result;
}

// Without the begin and the end of a scope or a plan, but with what is between.
Program without_pair(const Program& program, std::size_t begin, std::size_t end) {
  Program result = program;
  const bool is_plan = program.instructions[begin].code == Code::plan_begin;
  int number = 0;
  for (std::size_t i = 0; i < begin; ++i) number += program.instructions[i].code == Code::plan_begin;
  result.instructions.erase(result.instructions.begin() + static_cast<std::ptrdiff_t>(end));
  result.instructions.erase(result.instructions.begin() + static_cast<std::ptrdiff_t>(begin));
  if (is_plan) {
    std::erase_if(result.instructions, [&](const Instruction& i) { return i.code == Code::plan_run && i.plan == number; });
    for (Instruction& i : result.instructions)
      if (i.plan > number) --i.plan;
  }
  return result;
}

std::size_t end_of(const Program& program, std::size_t begin) {
  const Code opens = program.instructions[begin].code;
  const Code closes = opens == Code::plan_begin ? Code::plan_end : Code::tidy_end;
  int depth = 0;
  for (std::size_t i = begin; i < program.instructions.size(); ++i) {
    depth += program.instructions[i].code == opens;
    depth -= program.instructions[i].code == closes;
    if (depth == 0) return i;
  }
  return program.instructions.size();
}

// The input in place of the result.
Program passed_through(const Program& program, std::size_t at) {
  Program result = program;
  const Instruction gone = program.instructions[at];
  result.instructions.erase(result.instructions.begin() + static_cast<std::ptrdiff_t>(at));
  for (Instruction& i : result.instructions) std::ranges::replace(i.in, gone.out, gone.in[0]);
  return result;
}

// Everywhere another size for this one.
Program resized(const Program& program, std::int64_t from, std::int64_t to) {
  Program result = program;
  for (Instruction& i : result.instructions) {
    std::vector<std::int64_t> sizes = sizes_of(i.shape);
    std::ranges::replace(sizes, from, to);
    i.shape = shape_of(sizes);
    if (i.below == from) i.below = to;
    if (i.code == Code::apply && i.operation->name == std::string_view("slice")) std::ranges::replace(i.numbers, from, to);
  }
  return result;
}

class Shrinker {
 public:
  Shrinker(Program program, const std::function<bool(const Program&)>& fails) : program_(std::move(program)), fails_(fails) {}

  Program shrink() {
    while (tries_ > 0 && (fewer() || flatter() || shorter_ways() || smaller() || simpler())) {
    }
    return std::move(program_);
  }

 private:
  bool take(const Program& candidate) {
    if (--tries_ <= 0) return false;
    try {
      if (!fails_(candidate)) return false;
    } catch (const Invalid&) {
      return false;
    }
    program_ = candidate;
    return true;
  }
  std::size_t size() const { return program_.instructions.size(); }

  bool fewer() {
    bool any = false;
    for (std::size_t length = std::max<std::size_t>(size() / 2, 1); length > 0; length /= 2)
      for (std::size_t begin = size(); begin-- > 0;) {
        if (begin + length > size()) continue;
        while (begin + length <= size() && take(without(program_, begin, begin + length))) any = true;
      }
    return any;
  }
  bool flatter() {
    bool any = false;
    for (std::size_t i = 0; i < size(); ++i) {
      const Code code = program_.instructions[i].code;
      if (code != Code::tidy_begin && code != Code::plan_begin) continue;
      const std::size_t end = end_of(program_, i);
      if (end < size()) any |= take(without_pair(program_, i, end)) || take(without(program_, i, end + 1));
    }
    return any;
  }
  bool shorter_ways() {
    bool any = false;
    for (std::size_t i = size(); i-- > 0;)
      if (i < size() && program_.instructions[i].code == Code::apply) any |= take(passed_through(program_, i));
    return any;
  }
  bool smaller() {
    std::set<std::int64_t> sizes;
    for (const Instruction& i : program_.instructions)
      for (const std::int64_t size : i.shape) sizes.insert(size);
    bool any = false;
    for (const std::int64_t size : sizes)
      for (std::int64_t to = 1; to < size && !any; ++to) any |= take(resized(program_, size, to));
    return any;
  }
  bool simpler() {
    bool any = false;
    for (std::size_t i = 0; i < size(); ++i) {
      Program candidate = program_;
      Instruction& instruction = candidate.instructions[i];
      if (instruction.times > 1 && instruction.code != Code::limit) {
        --instruction.times;
        any |= take(candidate);
      } else if (instruction.wants_grad) {
        instruction.wants_grad = false;
        any |= take(candidate);
      }
    }
    return any;
  }

  Program program_;
  const std::function<bool(const Program&)>& fails_;
  int tries_ = 3000;
};

}  // namespace

Program shrunk(Program program, const std::function<bool(const Program&)>& fails) { return Shrinker(std::move(program), fails).shrink(); }

}  // namespace tidepool::stress
