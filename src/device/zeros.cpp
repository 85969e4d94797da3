#include "device/zeros.h"

#include <algorithm>
#include <optional>
#include <span>
#include <unordered_map>

namespace tidepool::inline v0 {

namespace {

bool overlap(const Operand& a, const Operand& b) {
  return a.block == b.block && a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
}
bool same_range(const Operand& a, const Operand& b) { return a.block == b.block && a.offset == b.offset && a.bytes == b.bytes; }
bool holds(const Operand& whole, const Operand& part) {
  return whole.block == part.block && whole.offset <= part.offset && part.offset + part.bytes <= whole.offset + whole.bytes;
}

bool zeroes(const CapturedLaunch& launch) {
  return is_flat(launch) && launch.kernel->flat->zeroes && launch.kernel->flat->zeroes(launch.params.data());
}
bool adds(const CapturedLaunch& launch) { return is_flat(launch) && launch.kernel->flat->adds; }

// Where a block is used, by launches.
using Uses = std::unordered_map<const Block*, std::vector<std::size_t>>;

class Zeros {
 public:
  Zeros(std::vector<CapturedLaunch>& launches, std::size_t at, const Uses& uses, const std::function<bool(const Block&)>& temporary)
      : launches_(launches), at_(at), uses_(uses), temporary_(temporary), filled_(launches[at].operands[0]) {}

  // Marks the launches that are not needed.
  void skip(std::vector<bool>& gone) {
    for (const std::size_t i : uses_.at(filled_.block)) {
      if (i <= at_ || gone[i]) continue;
      if (const std::optional<std::size_t> maker = maker_of_sum(i)) {
        const Operand& range = launches_[i].operands[2];
        for (Operand& operand : launches_[*maker].operands)
          if (operand.block == launches_[i].operands[1].block)
            operand = {range.block, range.offset, range.bytes, operand.access, operand.element};
        touched_.push_back(range);
        written_ += range.bytes;
        gone[i] = true;
        continue;
      }
      for (const Operand& operand : launches_[i].operands)
        if (overlap(operand, filled_)) touched_.push_back(operand);
    }
    if (written_ == filled_.bytes) gone[at_] = true;
  }

 private:
  // The launch that makes what launch `i` adds to a stretch which is zero until then, if it can write it there itself.
  std::optional<std::size_t> maker_of_sum(std::size_t i) const {
    const CapturedLaunch& sum = launches_[i];
    if (!adds(sum)) return {};
    const Operand &to = sum.operands[0], &from = sum.operands[1];
    if (!same_range(to, sum.operands[2]) || !holds(filled_, to) || from.block == to.block || from.offset != 0 ||
        from.bytes != from.block->asked || from.bytes != to.bytes || !temporary_(*from.block) ||
        std::ranges::any_of(touched_, [&](const Operand& o) { return overlap(o, to); }))
      return {};
    const std::vector<std::size_t>& uses = uses_.at(from.block);
    if (uses.size() != 2 || uses[1] != i || uses[0] <= at_) return {};
    const CapturedLaunch& maker = launches_[uses[0]];
    const auto writes_all = [&](const Operand& o) { return o.block == from.block && same_range(o, from) && o.access == Access::write; };
    const bool once = std::ranges::count_if(maker.operands, [&](const Operand& o) { return o.block == from.block; }) == 1;
    if (!once || std::ranges::none_of(maker.operands, writes_all)) return {};
    return uses[0];
  }

  std::vector<CapturedLaunch>& launches_;
  std::size_t at_;
  const Uses& uses_;
  const std::function<bool(const Block&)>& temporary_;
  Operand filled_;
  std::vector<Operand> touched_;  // of it, by launches so far
  std::size_t written_ = 0;       // bytes of it that nobody needs to be zero
};

}  // namespace

void skip_zeros(std::vector<CapturedLaunch>& launches, const std::function<bool(const Block&)>& temporary) {
  if (std::ranges::none_of(launches, zeroes)) return;
  Uses uses;
  for (std::size_t i = 0; i < launches.size(); ++i)
    for (const Operand& operand : launches[i].operands)
      if (std::vector<std::size_t>& of = uses[operand.block]; of.empty() || of.back() != i) of.push_back(i);
  std::vector<bool> gone(launches.size());
  for (std::size_t i = 0; i < launches.size(); ++i)
    if (zeroes(launches[i])) Zeros(launches, i, uses, temporary).skip(gone);
  std::size_t i = 0;
  std::erase_if(launches, [&](const CapturedLaunch&) { return gone[i++]; });
}

}  // namespace tidepool::inline v0
