// What a program should do: its values in double precision, its gradients, and which tensors are still there. It also says
// which programs make sense, so that the generator and the shrinker need no rules of their own.
#pragma once

#include "stress/number.h"
#include "stress/operations.h"
#include "stress/program.h"

#include <memory>
#include <string>
#include <vector>

namespace tidepool::stress {

struct Reading {
  std::string what = {};  // "v3", "v3.grad()"
  Shape shape = {};
  DType type = DType::f32;
  std::vector<double> values = {};
};

class Reference {
 public:
  explicit Reference(double noise = 0, std::uint64_t seed = 0) : calculation_(noise, seed), exact_(noise == 0) {}

  void carry_out(const Instruction& instruction);  // throws Invalid
  void finish();                                   // reads all that is left; throws Invalid when something is open
  const std::vector<Reading>& readings() const { return readings_; }

  struct Numbers {
    std::vector<Number> all = {};
    std::uint64_t saved_by = 0;  // bit 0: an operation outside of plans; bit k + 1: one of plan k
  };
  struct Graph {  // one operation that a backward goes through
    std::vector<std::shared_ptr<Graph>> from = {};
    bool used = false;
  };
  struct Value {
    bool made = false, released = false, kept = false;
    Shape shape = {};
    DType type = DType::f32;
    int device = 0;
    std::shared_ptr<Numbers> numbers = {};
    std::int64_t offset = 0;
    bool wants_grad = false, is_leaf = false;
    std::uint64_t leaves = 0;  // those that led to it, by number
    std::shared_ptr<Graph> graph = {};
    int plan = -1;  // that it was made in
    bool has_grad = false;
    std::vector<double> grad = {};
    bool usable() const { return made && !released; }
  };
  const std::vector<Value>& values() const { return values_; }
  int plans() const { return static_cast<int>(plans_.size()); }
  bool plan_alive(int plan) const { return plans_[static_cast<std::size_t>(plan)].alive; }
  bool capturing() const { return open_plan_ >= 0; }
  std::size_t scopes() const { return scopes_.size(); }
  Array array_of(const Value& value) const;
  bool backward_is_possible(const Value& value) const;

 private:
  struct Plan {
    std::vector<std::function<void()>> steps = {};
    std::vector<std::shared_ptr<Numbers>> written = {};
    int device = -1;
    std::size_t scopes = 0;
    bool alive = true;
  };
  Value& usable(int number);
  Value& fresh(const Instruction& instruction, int device);
  std::uint64_t saver() const { return std::uint64_t{1} << (open_plan_ + 1); }
  void meets(int device);  // the open plan belongs to one
  void step(const std::shared_ptr<Numbers>& written, std::function<void()> work);
  void make(const Instruction& instruction);
  void apply(const Instruction& instruction);
  void write(const Instruction& instruction);
  void backward(const Instruction& instruction);
  void zero_grad(const Instruction& instruction);
  void end_scope(const Instruction& instruction);
  void run_plan(int number, std::int64_t times);
  void move(const Instruction& instruction);
  void wrong(const Instruction& instruction);
  void simple(const Instruction& instruction);
  void read(const std::string& what, const Value& value);

  Calculation calculation_;
  bool exact_;
  std::vector<Value> values_;
  std::vector<std::vector<int>> scopes_;
  std::vector<Plan> plans_;
  int open_plan_ = -1;
  std::vector<Reading> readings_;
};

}  // namespace tidepool::stress
