#include "stress/reference.h"

#include <algorithm>
#include <cmath>

namespace tidepool::stress {

namespace {
constexpr double largest = 300;  // of a value, so that nothing runs away
constexpr int most_values = 60;  // each leaf has a bit
}  // namespace

Reference::Value& Reference::usable(int number) {
  require(number >= 0 && static_cast<std::size_t>(number) < values_.size(), "no such value");
  Value& value = values_[static_cast<std::size_t>(number)];
  require(value.usable(), "a value that is not there");
  return value;
}

// The value's place is made last, when nothing can go wrong any more.
Reference::Value& Reference::fresh(const Instruction& instruction, int device) {
  require(instruction.out >= 0 && instruction.out < most_values, "no number for the result");
  const auto number = static_cast<std::size_t>(instruction.out);
  require(number >= values_.size() || !values_[number].made, "the number is taken");
  if (number >= values_.size()) values_.resize(number + 1);
  Value& value = values_[number];
  value.made = true;
  value.device = device;
  value.plan = open_plan_;
  if (!scopes_.empty()) scopes_.back().push_back(instruction.out);
  return value;
}

void Reference::meets(int device) {
  if (open_plan_ < 0) return;
  Plan& plan = plans_[static_cast<std::size_t>(open_plan_)];
  require(plan.device < 0 || plan.device == device, "a plan belongs to one device");
  plan.device = device;
}

// Inside a capture, what is done is remembered for the next runs as well.
void Reference::step(const std::shared_ptr<Numbers>& written, std::function<void()> work) {
  work();
  if (open_plan_ < 0) return;
  Plan& plan = plans_[static_cast<std::size_t>(open_plan_)];
  plan.steps.push_back(std::move(work));
  if (written) plan.written.push_back(written);
}

Array Reference::array_of(const Value& value) const {
  const auto first = value.numbers->all.begin() + value.offset;
  return {value.shape, {first, first + value.shape.numel()}, value.type};
}

void Reference::carry_out(const Instruction& i) {
  switch (i.code) {
    case Code::make:
    case Code::fill:
      return make(i);
    case Code::apply:
      return apply(i);
    case Code::copy_in:
    case Code::fill_in:
      return write(i);
    case Code::backward:
      return backward(i);
    case Code::zero_grad:
      return zero_grad(i);
    case Code::tidy_end:
      return end_scope(i);
    case Code::move:
      return move(i);
    case Code::wrong:
      return wrong(i);
    default:
      return simple(i);
  }
}

void Reference::simple(const Instruction& i) {
  switch (i.code) {
    case Code::release: {
      Value& value = usable(i.in[0]);
      // A capture that fails for want of memory is tried again, which must find everything as it was.
      require(!capturing() || value.plan == open_plan_, "a release of what is outside of the capture");
      value.released = true;
      break;
    }
    case Code::keep:
      usable(i.in[0]).kept = true;
      break;
    case Code::tidy_begin:
      scopes_.emplace_back();
      break;
    case Code::plan_begin:
      require(!capturing() && plans_.size() < 8, "a capture in a capture");
      open_plan_ = static_cast<int>(plans_.size());
      plans_.emplace_back();
      plans_.back().scopes = scopes_.size();
      break;
    case Code::plan_end: {
      require(capturing() && plans_.back().scopes == scopes_.size() && i.times >= 1, "no capture to end here");
      require(plans_.back().device >= 0, "the capture launched nothing");
      run_plan(std::exchange(open_plan_, -1), i.times - 1);  // it ran once while it was captured
      break;
    }
    case Code::plan_run:
      require(!capturing() && i.plan >= 0 && i.plan < plans() && plan_alive(i.plan), "no such plan");
      run_plan(i.plan, i.times);
      break;
    case Code::read:
      require(!capturing(), "a result inside a capture");
      read("v" + std::to_string(i.in[0]), usable(i.in[0]));
      break;
    case Code::cleanup:
      require(!capturing(), "cleanup inside a capture");
      for (Plan& plan : plans_) plan.alive = false;
      break;
    default:
      require(!capturing(), "not inside a capture");
  }
}

void Reference::run_plan(int number, std::int64_t times) {
  const Plan& plan = plans_[static_cast<std::size_t>(number)];
  const std::uint64_t own = std::uint64_t{1} << (number + 1);
  if (times > 0)
    for (const auto& numbers : plan.written) require((numbers->saved_by & ~own) == 0, "a pending backward needs what the plan writes");
  for (; times > 0; --times)
    for (const auto& work : plan.steps) work();
}

void Reference::make(const Instruction& i) {
  const std::int64_t count = i.shape.numel();
  if (i.code == Code::make) require(!capturing(), "from_host inside a capture");
  if (i.code == Code::make && i.type == DType::i32 && count > 0) require(i.below > 0, "no whole numbers below 1");
  meets(i.device);
  Value& value = fresh(i, i.device);
  value.shape = i.shape;
  value.type = i.code == Code::fill ? DType::f32 : i.type;
  value.numbers = std::make_shared<Numbers>();
  value.wants_grad = value.is_leaf = i.code == Code::make && i.wants_grad && value.type == DType::f32;
  if (value.is_leaf) value.leaves = std::uint64_t{1} << i.out;
  step(value.numbers, [i, count, numbers = value.numbers] {
    numbers->all.clear();
    if (i.code == Code::fill)
      numbers->all.assign(static_cast<std::size_t>(count), constant(i.number));
    else
      for (const float number : random_values(i.values, count, i.type, i.below))
        numbers->all.push_back(constant(static_cast<double>(number)));
  });
}

void Reference::apply(const Instruction& i) {
  std::vector<Value> in;
  for (const int number : i.in) in.push_back(usable(number));
  const Operation& operation = *i.operation;
  bool wants = false;
  for (const Value& value : in) {
    require(value.device == in[0].device, "different devices");
    wants |= value.wants_grad;
    if (value.wants_grad && !value.is_leaf && operation.name != std::string_view("detach"))
      require(value.plan == open_plan_, "a graph across the border of a plan");
  }
  wants &= operation.differentiable;
  const auto compute = [this, i, in, wants] {
    Arrays arrays;
    for (const Value& value : in) {
      arrays.push_back(array_of(value));
      if (wants && !value.wants_grad)  // the numbers of a detach() are those of the leaf, but no gradient goes that way
        for (Number& number : arrays.back().numbers) number = detached(number);
    }
    return i.operation->compute(arrays, i);
  };
  Array result = compute();
  if (exact_)
    for (const Number number : result.numbers) require(std::abs(value_of(number)) < largest, "too large");  // nor NaN
  if (!operation.view) meets(in[0].device);
  Value& value = fresh(i, in[0].device);
  value.shape = result.shape;
  value.type = result.type;
  if (operation.view) {
    value.numbers = in[0].numbers;
    value.offset = in[0].offset + (operation.offset ? operation.offset(array_of(in[0]), i) : 0);
  } else {
    value.numbers = std::make_shared<Numbers>();
    const auto first = std::make_shared<bool>(true);  // that one is computed already
    step(value.numbers, [numbers = value.numbers, compute, first, result = std::move(result.numbers)] {
      numbers->all = std::exchange(*first, false) ? result : compute().numbers;
    });
  }
  if (!wants) return;
  value.wants_grad = true;
  value.graph = std::make_shared<Graph>();
  for (const Value& from : in) {
    value.leaves |= from.leaves;
    if (from.graph) value.graph->from.push_back(from.graph);
    from.numbers->saved_by |= saver();
  }
  value.numbers->saved_by |= saver();
}

void Reference::write(const Instruction& i) {
  Value& to = usable(i.in[0]);
  require(!to.wants_grad && to.type == DType::f32 && to.numbers->saved_by == 0, "not to be written");
  std::vector<Value> in{to};
  if (i.code == Code::copy_in) in.push_back(usable(i.in[1]));
  require(in.back().shape == to.shape && in.back().type == to.type && in.back().device == to.device, "another shape");
  require(in.size() == 1 || in[1].numbers != to.numbers, "a copy onto itself");
  if (in.size() == 2 && in[1].wants_grad && !in[1].is_leaf) require(in[1].plan == open_plan_, "a graph across the border of a plan");
  meets(to.device);
  step(to.numbers, [in, i] {
    for (std::int64_t k = 0; k < in[0].shape.numel(); ++k) {
      const Number number = in.size() == 2 ? detached(in[1].numbers->all[static_cast<std::size_t>(in[1].offset + k)]) : constant(i.number);
      in[0].numbers->all[static_cast<std::size_t>(in[0].offset + k)] = number;
    }
  });
}

bool Reference::backward_is_possible(const Value& value) const {
  if (!value.wants_grad || value.is_leaf || value.plan != open_plan_) return false;
  std::vector<const Graph*> open{value.graph.get()};
  while (!open.empty()) {
    const Graph* graph = open.back();
    open.pop_back();
    if (graph->used) return false;
    for (const auto& from : graph->from) open.push_back(from.get());
  }
  return true;
}

void Reference::backward(const Instruction& i) {
  const Value root = usable(i.in[0]);
  require(backward_is_possible(root), "there is no way back");
  // Inside a capture the seed cannot come from the host, so there it is a one.
  require(!capturing() || root.shape.numel() == 1, "inside a capture only of one number");
  std::vector<Graph*> open{root.graph.get()};
  while (!open.empty()) {
    Graph* graph = open.back();
    open.pop_back();
    graph->used = true;
    for (const auto& from : graph->from) open.push_back(from.get());
  }
  const bool one = capturing();
  std::vector<bool> adds(values_.size());  // rather than being the first
  for (std::size_t k = 0; k < values_.size(); ++k) adds[k] = values_[k].has_grad;
  step(nullptr, [this, root, i, one, adds] {
    std::vector<std::pair<Number, double>> seeds;
    const std::vector<float> factors = random_values(i.values, root.shape.numel(), DType::f32, 0);
    for (std::size_t k = 0; k < factors.size(); ++k)
      seeds.emplace_back(root.numbers->all[static_cast<std::size_t>(root.offset) + k], one ? 1 : static_cast<double>(factors[k]));
    const std::vector<double> slopes = calculation_.slopes(seeds);
    for (std::size_t k = 0; k < adds.size(); ++k) {
      Value& leaf = values_[k];
      if (!leaf.is_leaf || leaf.released || !(root.leaves >> k & 1)) continue;
      if (!adds[k]) leaf.grad.clear();
      leaf.has_grad = true;
      leaf.grad.resize(static_cast<std::size_t>(leaf.shape.numel()), 0);
      for (std::size_t e = 0; e < leaf.grad.size(); ++e) leaf.grad[e] += slopes[leaf.numbers->all[e].at];
    }
  });
}

void Reference::zero_grad(const Instruction& i) {
  require(usable(i.in[0]).has_grad, "there is no gradient");
  meets(usable(i.in[0]).device);
  step(nullptr, [this, number = i.in[0]] {
    Value& value = values_[static_cast<std::size_t>(number)];
    if (!value.released) std::ranges::fill(value.grad, 0);
  });
}

void Reference::end_scope(const Instruction& i) {
  require(!scopes_.empty() && (!capturing() || scopes_.size() > plans_.back().scopes), "no scope to end here");
  for (const int number : i.in) usable(number);
  const std::vector<int> made = std::move(scopes_.back());
  scopes_.pop_back();
  for (const int number : made) {
    Value& value = values_[static_cast<std::size_t>(number)];
    if (std::ranges::find(i.in, number) == i.in.end())
      value.released |= !value.kept;
    else if (!scopes_.empty())
      scopes_.back().push_back(number);
  }
}

void Reference::move(const Instruction& i) {
  require(!capturing(), "a transfer inside a capture");
  const Value from = usable(i.in[0]);
  require(!from.wants_grad && i.device == 1 - from.device, "not to be moved");
  Value& value = fresh(i, i.device);
  value.shape = from.shape;
  value.type = from.type;
  value.numbers = std::make_shared<Numbers>();
  value.numbers->all = array_of(from).numbers;
}

void Reference::wrong(const Instruction& i) {
  const auto plain = [&](int number) -> const Value& {  // f32 that an operation would take here
    const Value& value = usable(number);
    require(value.type == DType::f32 && (!value.wants_grad || value.is_leaf || value.plan == open_plan_), "another value is wanted");
    return value;
  };
  const auto broadcasts = [](const Value& a, const Value& b) {
    try {
      broadcast_shape(a.shape, b.shape);
      return true;
    } catch (const Invalid&) {
      return false;
    }
  };
  if (i.mistake == Mistake::released) {
    require(static_cast<std::size_t>(i.in[0]) < values_.size() && values_[static_cast<std::size_t>(i.in[0])].released, "it is there");
    return;
  }
  const Value& a = usable(i.in[0]);
  switch (i.mistake) {
    case Mistake::shapes:
      require(!broadcasts(plain(i.in[0]), plain(i.in[1])) && a.device == plain(i.in[1]).device, "no mistake");
      break;
    case Mistake::axis:
      require(plain(i.in[0]).shape.rank() > 0, "a single number has axis 0, as in PyTorch");
      break;
    case Mistake::rows:
      require(a.shape.rank() > 0, "no rows");
      break;
    case Mistake::type:
      require(a.type != DType::f32, "no mistake");
      break;
    case Mistake::devices:
      require(plain(i.in[0]).device != plain(i.in[1]).device && !capturing(), "no mistake");
      break;
    case Mistake::backward:
      require(a.type == DType::f32 && !a.is_leaf && a.plan == open_plan_ && !backward_is_possible(a) && !capturing(), "no mistake");
      break;
    default:
      break;
  }
}

void Reference::read(const std::string& what, const Value& value) {
  Reading reading{what, value.shape, value.type, {}};
  for (const Number number : array_of(value).numbers) reading.values.push_back(value_of(number));
  readings_.push_back(std::move(reading));
}

void Reference::finish() {
  require(!capturing() && scopes_.empty(), "something is open");
  for (std::size_t k = 0; k < values_.size(); ++k) {
    const Value& value = values_[k];
    if (!value.usable()) continue;
    read("v" + std::to_string(k), value);
    if (value.has_grad) readings_.push_back({"v" + std::to_string(k) + ".grad()", value.shape, DType::f32, value.grad});
  }
}

}  // namespace tidepool::stress
