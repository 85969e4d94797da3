#include "backend/cpu/chain.h"

#include "backend/cpu/chain_stages.h"

#include <algorithm>

namespace tidepool::inline v0 {

void RegisterChain::run(std::size_t first, std::size_t count) const {
  if (sum_) {
    for (std::size_t i = first; i < first + count; i += unit_) results_[i / unit_] = sum_(stages_[0].params, moving_[0] + i, unit_);
    return;
  }
  alignas(64) float slots[most_places][widest_group];  // those that are not used are not touched
  float* places[most_places];
  for (std::size_t i = 0; i < moving_.size(); ++i) places[i] = moving_[i] + first;
  for (std::size_t i = 0; i < slots_; ++i) places[most_places - 1 - i] = slots[i];
  GroupLoop loop{.stages = stages_.data(), .places = places, .moving = moving_.size(), .elements = count, .instructions = instructions_};
  if (!close_) return run_groups(loop);
  float* const sums = slots[slots_ - 1];
  loop.elements = unit_;
  std::fill_n(sums, widest_group, 0.0F);
  for (std::size_t i = first; i < first + count; i += unit_) {
    run_groups(loop);
    results_[i / unit_] = close_(sums);
  }
}

// Goes through the steps in order, knowing what is in the registers.
class ChainBuilder {
 public:
  ChainBuilder(std::span<const ChainStep> steps, int instructions) : steps_(steps) {
    chain_.instructions_ = instructions;
    for (const ChainStep& step : steps_) how_.push_back(step.kernel->stages ? step.kernel->stages(instructions) : Stages{});
  }

  RegisterChain build() {
    const StretchKernel* const stretches = steps_.back().kernel->stretches;
    const std::size_t group = group_elements(chain_.instructions_);
    chain_.unit_ = stretches ? stretches->length(steps_.back().params) : group;
    if (chain_.unit_ % group != 0) return {};
    for (std::size_t i = 0; i < steps_.size(); ++i)
      if (!add(i)) return {};
    push(end_stage(chain_.instructions_), {});
    if (steps_.size() == 2 && how_[0].sum && how_[1].close && !stored(0)) {
      chain_.sum_ = how_[0].sum;
      chain_.stages_[0].params = steps_[0].params;
    }
    return std::move(chain_);
  }

 private:
  using Place = ChainStep::Place;
  static constexpr std::size_t none = SIZE_MAX;

  std::size_t inputs(std::size_t step) const { return steps_[step].kernel->bindings - std::size_t{1}; }
  const Place& input(std::size_t step, std::size_t i) const { return steps_[step].bindings[i]; }
  const Place& output(std::size_t step) const { return steps_[step].bindings[inputs(step)]; }

  // Which input a step finds in the registers after the step before it.
  std::size_t taken(std::size_t step) const {
    if (step == 0) return none;
    for (std::size_t i = 0; i < std::min(inputs(step), std::size(how_[step].with)); ++i)
      if (how_[step].with[i] && input(step, i) == output(step - 1)) return i;
    return none;
  }

  // What only the next step needs, and that in registers, is never stored.
  bool stored(std::size_t step) const {
    if (!output(step).passing) return true;
    for (std::size_t later = step + 1; later < steps_.size(); ++later) {
      for (std::size_t i = 0; i < inputs(later); ++i)
        if (input(later, i) == output(step) && (later != step + 1 || i != taken(later))) return true;
      if (output(later) == output(step)) break;
    }
    return false;
  }

  bool add(std::size_t step) {
    const Stages& how = how_[step];
    std::size_t in_registers = taken(step);
    if (in_registers == none) {
      const auto* const first = std::ranges::find_if(how.with, [](StageCode code) { return code != nullptr; });
      if (first == std::end(how.with)) return false;
      in_registers = static_cast<std::size_t>(first - how.with);
      if (inputs(step) > 0) push(load_stage(chain_.instructions_), {}, {number(input(step, in_registers))});
    }
    std::array<std::size_t, 2> operands{};
    std::size_t count = 0;
    for (std::size_t i = 0; i < inputs(step); ++i)
      if (i != in_registers) operands.at(count++) = number(input(step, i));
    if (how.close) {
      chain_.close_ = how.close;
      chain_.results_ = reinterpret_cast<float*>(output(step).memory);
      operands[0] = new_slot();
    }
    push(how.with[in_registers], steps_[step].params, operands);
    if (!how.close && stored(step)) push(store_stage(chain_.instructions_), {}, {number(output(step))});
    return chain_.moving_.size() + chain_.slots_ <= most_places;
  }

  void push(StageCode code, const std::byte* params, std::array<std::size_t, 2> operands = {}) {
    chain_.stages_.push_back({code, params, {static_cast<std::uint16_t>(operands[0]), static_cast<std::uint16_t>(operands[1])}});
  }

  std::size_t new_slot() { return most_places - ++chain_.slots_; }
  std::size_t number(const Place& place) {
    const auto known = std::ranges::find(known_, place, &Known::place);
    if (known != known_.end()) return known->number;
    std::size_t number = chain_.moving_.size();
    if (place.passing)
      number = new_slot();
    else
      chain_.moving_.push_back(reinterpret_cast<float*>(place.memory));
    known_.push_back({place, number});
    return number;
  }

  struct Known {
    Place place;
    std::size_t number;
  };
  std::span<const ChainStep> steps_;
  std::vector<Stages> how_;
  std::vector<Known> known_;
  RegisterChain chain_;
};

RegisterChain chain_in_registers(std::span<const ChainStep> steps, int instructions) { return ChainBuilder(steps, instructions).build(); }

}  // namespace tidepool::inline v0
