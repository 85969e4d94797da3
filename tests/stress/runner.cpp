#include "stress/runner.h"

#include "device/slot.h"
#include "platform/cat.h"
#include "stress/operations.h"
#include "stress/reference.h"
#include "support/pool_check.h"

#include <algorithm>
#include <cmath>
#include <memory>

namespace tidepool::stress {

namespace {

struct Wrong : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Figures {
  std::int64_t tensors = 0;
  std::size_t live = 0;
  bool operator==(const Figures&) const = default;
};

std::string text_of(const std::vector<Figures>& all) {
  std::string text;
  for (const Figures& figures : all) text += cat(text.empty() ? "" : ", ", figures.tensors, " tensors of ", figures.live, " bytes");
  return text;
}

class Run {
 public:
  Run(const Program& program, const Devices& devices) : program_(program) {
    devices_.push_back(device(devices.first));
    if (!devices.second.empty()) devices_.push_back(device(devices.second));
    const auto most = std::ranges::max_element(program.instructions, {}, &Instruction::out);
    if (most != program.instructions.end()) values_.resize(static_cast<std::size_t>(std::max(most->out, 0) + 1));
  }
  ~Run() {
    configure({.memory_limit = 0});
    while (!scopes_.empty()) scopes_.pop_back();
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  void carry_out_all() {
    for (at_ = 0; at_ < program_.instructions.size() && !given_up_; ++at_) {
      if (program_.instructions[at_].code == Code::plan_begin)
        plan();
      else
        attempt([&] { carry_out(program_.instructions[at_]); });
      keep_to_limit();
    }
    lift_limit();
  }

  // Values in the order in which the reference reads them.
  std::vector<Reading> take_readings(const std::vector<Reading>& wanted) {
    for (const Reading& reading : wanted) {
      if (readings_.size() > static_cast<std::size_t>(&reading - wanted.data())) continue;
      const int number = std::stoi(reading.what.substr(1));
      const Tensor& tensor = values_[static_cast<std::size_t>(number)];
      read(reading.what, reading.what.ends_with(".grad()") ? tensor.grad() : tensor);
    }
    return std::move(readings_);
  }
  bool given_up() const { return given_up_; }
  const std::vector<Tensor>& values() const { return values_; }

 private:
  std::vector<Figures> figures() const {
    std::vector<Figures> all;
    for (const Device& device : devices_) {
      const MemoryStats stats = memory(device);
      all.push_back({stats.tensors, stats.live_bytes});
    }
    return all;
  }
  std::string here() const { return cat("instruction ", at_, ": "); }

  // Under a limit memory may be short. That changes nothing, and without the limit the same call works.
  template <class F>
  void attempt(F&& work) {
    const std::vector<Figures> before = figures();
    try {
      work();
    } catch (const OutOfMemory& error) {
      if (limit_ == 0) throw Wrong(cat(here(), "out of memory without a limit: ", error.what()));
      const bool stopped_half_way = program_.instructions[at_].code == Code::backward;
      if (!stopped_half_way && figures() != before)
        throw Wrong(
            cat(here(), "a lack of memory changed the figures from ", text_of(before), " to ", text_of(figures()), ": ", error.what()));
      lift_limit();
      given_up_ = stopped_half_way;  // some leaves may have their gradient, and what it used of the graph is gone
      if (!given_up_) work();
    }
  }

  void set_limit(std::size_t beyond) {
    std::size_t live = 0;
    for (const Device& device : devices_) live = std::max(live, memory(device).live_bytes);
    limit_ = std::max<std::size_t>(live + beyond, 1);
    configure({.memory_limit = limit_});
    reserved_.clear();
    for (const Device& device : devices_) reserved_.push_back(std::max(limit_, memory(device).reserved_bytes));
  }
  void keep_to_limit() const {
    if (limit_ == 0) return;
    for (std::size_t i = 0; i < devices_.size(); ++i)
      if (const std::size_t reserved = memory(devices_[i]).reserved_bytes; reserved > reserved_[i])
        throw Wrong(cat(here(), reserved, " bytes are reserved on ", devices_[i].id(), " with a limit of ", limit_));
  }
  void lift_limit() {
    limit_ = 0;
    configure({.memory_limit = 0});
  }

  void plan() {
    const std::size_t begin = at_ + 1;
    std::size_t end = begin;
    while (program_.instructions[end].code != Code::plan_end) ++end;
    attempt([&] {
      const std::size_t scopes = scopes_.size();
      try {
        plans_.push_back(capture([&] {
          for (at_ = begin; at_ < end; ++at_) carry_out(program_.instructions[at_]);
        }));
      } catch (const OutOfMemory&) {
        while (scopes_.size() > scopes) scopes_.pop_back();
        for (std::size_t i = begin; i < end; ++i)
          if (const int out = program_.instructions[i].out; out >= 0) values_[static_cast<std::size_t>(out)] = {};
        throw;
      }
    });
    at_ = end;
    for (std::int64_t i = 0; i < program_.instructions[end].times && !given_up_; ++i) attempt([&] { plans_.back().run(); });
  }

  Tensor make(const Instruction& i) const {
    const Device& on = devices_[static_cast<std::size_t>(i.device)];
    const std::vector<float> values = random_values(i.values, i.shape.numel(), i.type, i.below);
    if (i.type == DType::i32) return from_host(std::vector<std::int32_t>(values.begin(), values.end()), i.shape, on);
    if (i.type == DType::u8) return from_host(std::vector<std::uint8_t>(values.begin(), values.end()), i.shape, on);
    Tensor made = from_host(values, i.shape, on);
    if (i.wants_grad) made.requires_grad();
    return made;
  }

  bool capturing() const { return program_.instructions[at_].code != Code::plan_run && in_plan(at_); }
  bool in_plan(std::size_t at) const {
    while (at-- > 0) {
      if (program_.instructions[at].code == Code::plan_end) return false;
      if (program_.instructions[at].code == Code::plan_begin) return true;
    }
    return false;
  }

  void carry_out(const Instruction& i) {
    std::vector<Tensor> in;
    for (const int number : i.in)
      if (number >= 0) in.push_back(values_[static_cast<std::size_t>(number)]);
    const auto out = [&](Tensor tensor) { values_[static_cast<std::size_t>(i.out)] = std::move(tensor); };
    switch (i.code) {
      case Code::make:
        return out(make(i));
      case Code::fill:
        return out(full(i.shape, static_cast<float>(i.number), {.device = devices_[static_cast<std::size_t>(i.device)]}));
      case Code::apply:
        return out(i.operation->call(in, i));
      case Code::copy_in:
        return copy_(in[0], in[1]);
      case Code::fill_in:
        return fill_(in[0], static_cast<float>(i.number));
      case Code::release:
        return in[0].release();
      case Code::keep:
        return void(keep(in[0]));
      case Code::tidy_begin:
        return void(scopes_.push_back(std::make_unique<Tidy>()));
      case Code::tidy_end:
        for (const Tensor& tensor : in) scopes_.back()->pass_on(tensor);
        return scopes_.pop_back();
      case Code::move:
        return out(in[0].to(devices_[static_cast<std::size_t>(i.device)]));
      case Code::backward:
        if (capturing()) return in[0].backward();
        return in[0].backward(from_host(random_values(i.values, in[0].numel(), DType::f32, 0), in[0].shape(), in[0].device()));
      case Code::zero_grad:
        return in[0].zero_grad();
      case Code::plan_run:
        for (std::int64_t k = 0; k < i.times; ++k) plans_[static_cast<std::size_t>(i.plan)].run();
        return;
      case Code::read:
        return read("v" + std::to_string(i.in[0]), in[0]);
      case Code::limit:
        return set_limit(static_cast<std::size_t>(i.times));
      case Code::no_limit:
        return lift_limit();
      case Code::cleanup:
        return cleanup();
      case Code::commit:
        return void(commit());
      case Code::wrong:
        return make_mistake(i, in);
      case Code::plan_begin:
      case Code::plan_end:
        break;
    }
  }

  template <class WantedError, class F>
  void expect(const char* wanted, F&& work) {
    const std::vector<Figures> before = figures();
    try {
      work();
    } catch (const WantedError&) {
      if (figures() != before) throw Wrong(cat(here(), "the ", wanted, " changed the figures"));
      return;
    }
    throw Wrong(cat(here(), "no ", wanted));
  }

  void make_mistake(const Instruction& i, const std::vector<Tensor>& in) {
    switch (i.mistake) {
      case Mistake::released:
        return expect<ReleasedError>("ReleasedError", [&] { relu(in[0]); });
      case Mistake::shapes:
        return expect<ShapeError>("ShapeError", [&] { in[0] + in[1]; });
      case Mistake::elements:
        return expect<ShapeError>("ShapeError", [&] { in[0].reshape({in[0].numel() + 1}); });
      case Mistake::axis:
        return expect<ShapeError>("ShapeError", [&] { sum(in[0], in[0].shape().rank()); });
      case Mistake::rows:
        return expect<ShapeError>("ShapeError", [&] { in[0].slice(0, in[0].shape()[0] + 1); });
      case Mistake::type:
        return expect<DTypeError>("DTypeError", [&] { exp(in[0]); });
      case Mistake::devices:
        return expect<DeviceError>("DeviceError", [&] { in[0] + in[1]; });
      case Mistake::backward: {
        const Tensor seed = ones(in[0].shape(), {.device = in[0].device()});
        return expect<Error>("Error", [&] { in[0].backward(seed); });
      }
    }
  }

  void read(const std::string& what, const Tensor& tensor) {
    if (!tensor.defined()) throw Wrong(what + " is empty");
    Reading reading{what, tensor.shape(), tensor.dtype(), {}};
    const auto take = [&](const auto& values) { reading.values.assign(values.begin(), values.end()); };
    if (tensor.dtype() == DType::i32)
      take(tensor.to_host<std::int32_t>());
    else if (tensor.dtype() == DType::u8)
      take(tensor.to_host<std::uint8_t>());
    else
      take(tensor.to_host<float>());
    readings_.push_back(std::move(reading));
  }

  const Program& program_;
  std::vector<Device> devices_;
  std::vector<Tensor> values_;
  std::vector<Plan> plans_;
  std::vector<std::unique_ptr<Tidy>> scopes_;
  std::vector<Reading> readings_;
  std::size_t at_ = 0;
  std::size_t limit_ = 0;
  std::vector<std::size_t> reserved_;
  bool given_up_ = false;
};

struct Expected {
  std::vector<Reading> readings;
  std::vector<bool> made, released;
};

Expected expected(const Program& program, double noise, std::uint64_t seed) {
  Reference reference(noise, seed);
  for (const Instruction& instruction : program.instructions) reference.carry_out(instruction);
  reference.finish();
  Expected result{reference.readings(), {}, {}};
  for (const Reference::Value& value : reference.values()) {
    result.made.push_back(value.made);
    result.released.push_back(value.released);
  }
  return result;
}

// Where two readings differ by more than the numbers can be believed.
class Comparison {
 public:
  Comparison(const Program& program, const std::vector<Reading>& wanted, const std::vector<Reading>& got)
      : program_(program), wanted_(wanted), got_(got) {
    for (const Reading& reading : wanted) spread_.emplace_back(reading.values.size(), 0.0);
  }

  std::string difference() {
    believe(2);
    std::string found = first_difference();
    if (found.empty()) return found;
    believe(40);  // before anybody is accused
    return first_difference();
  }

 private:
  void believe(int times) {
    constexpr double noise = 4e-7;  // a few roundings of a float
    for (int i = 0; i < times; ++i) {
      std::vector<Reading> noisy;
      try {
        noisy = expected(program_, noise, next_seed_++).readings;
      } catch (const Invalid&) {  // on the edge of what makes sense
        unsure_ = true;
        return;
      }
      for (std::size_t r = 0; r < wanted_.size(); ++r)
        for (std::size_t e = 0; e < wanted_[r].values.size(); ++e)
          spread_[r][e] = std::max(spread_[r][e], std::abs(noisy[r].values[e] - wanted_[r].values[e]));
    }
  }

  std::string first_difference() const {
    if (unsure_) return "";
    for (std::size_t r = 0; r < wanted_.size(); ++r) {
      const Reading &wanted = wanted_[r], &got = got_[r];
      if (!(wanted.shape == got.shape)) return cat(wanted.what, " has shape ", got.shape, ", wanted ", wanted.shape);
      if (wanted.type != got.type) return cat(wanted.what, " is ", got.type, ", wanted ", wanted.type);
      for (std::size_t e = 0; e < wanted.values.size(); ++e) {
        const double size = std::max(1.0, std::abs(wanted.values[e])), doubt = 30 * spread_[r][e];
        if (doubt > size) continue;  // no digit can be believed: the logarithm of what is 0 but for rounding
        const double allowed = 2e-5 * size + doubt;
        if (!(std::abs(got.values[e] - wanted.values[e]) <= allowed))
          return cat(wanted.what, " at ", e, " is ", got.values[e], ", wanted ", wanted.values[e], " within ", allowed);
      }
    }
    return "";
  }

  const Program& program_;
  const std::vector<Reading>&wanted_, &got_;
  std::vector<std::vector<double>> spread_;
  std::uint64_t next_seed_ = 1;
  bool unsure_ = false;
};

std::string outcome(const Program& program, const Devices& devices, const Expected& wanted) {
  Run run(program, devices);
  try {
    run.carry_out_all();
    if (run.given_up()) return "";
    for (std::size_t i = 0; i < wanted.made.size(); ++i)
      if (wanted.made[i] && run.values()[i].released() != wanted.released[i])
        return cat("v", i, wanted.released[i] ? " was not released" : " was released");
    const std::vector<Reading> got = run.take_readings(wanted.readings);
    if (devices.first == "null") return "";
    return Comparison(program, wanted.readings, got).difference();
  } catch (const Wrong& wrong) {
    return wrong.what();
  } catch (const Error& error) {
    return cat("an error that nobody asked for: ", error.what());
  }
}

bool is_lost(const std::string& name) {
  const auto stream = slot_for(name).stream_if_open();
  if (!stream) return false;
  const StreamLock lock(*stream);
  return stream->lost();
}

}  // namespace

std::string what_is_wrong(const Program& program, const Devices& devices) {
  for (const std::string& name : {devices.first, devices.second})  // an earlier program may have lost it
    if (!name.empty() && is_lost(name)) reset(device(name));
  const Expected wanted = expected(program, 0, 0);
  std::vector<std::string> names{devices.first};
  if (!devices.second.empty()) names.push_back(devices.second);
  const auto tensors = [&] {
    std::vector<std::int64_t> all;
    for (const std::string& name : names) all.push_back(memory(device(name)).tensors);
    return all;
  };
  const std::vector<std::int64_t> before = tensors();
  std::string wrong = outcome(program, devices, wanted);
  if (!wrong.empty()) return wrong;
  if (tensors() != before) return "tensors are left over";
  for (const std::string& name : names)
    if (const auto stream = slot_for(name).stream_if_open()) {
      const StreamLock lock(*stream);
      if (const std::string inconsistent = PoolCheck::of(stream->pool()); !inconsistent.empty())
        return cat("the pool of ", name, ": ", inconsistent);
    }
  return "";
}

}  // namespace tidepool::stress
