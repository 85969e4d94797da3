#include "device/joining.h"

#include "device/flat.h"

#include <algorithm>
#include <span>

namespace tidepool::inline v0 {

namespace {

constexpr std::uint32_t least = 8192;        // elements; fewer are in the nearest cache anyway
constexpr std::size_t near_bytes = 32768;    // of the nearest cache, for a piece of everything that a chain touches
constexpr std::uint32_t least_piece = 1024;  // elements: the calls for it should not show
constexpr std::uint32_t vectors = 64;        // elements: so that vectors begin where they would in one go

class Chain {
 public:
  Chain(std::span<CapturedLaunch> launches, std::size_t first, CapturedBlocks& blocks)
      : blocks_(blocks), first_(first), count_(elements_of(launches[first])), launches_(launches.subspan(first, 1)) {
    while (first + size() < launches.size() && elements_of(launches[first + size()]) == count_ && goes_along(launches[first + size()]))
      launches_ = launches.subspan(first, size() + 1);
    if (first + size() < launches.size() && ends(launches[first + size()])) launches_ = launches.subspan(first, size() + 1);
  }
  std::size_t size() const { return launches_.size(); }

  void join() {
    for (std::size_t i = 0; i < size(); ++i)
      for (const Operand& operand : launches_[i].operands) note(operand, i);
    place_passing();
    const std::size_t streams =
        static_cast<std::size_t>(std::ranges::count_if(seen_, [](const Seen& s) { return !s.passing; })) + slots_.size();
    std::size_t piece = near_bytes / sizeof(float) / std::max<std::size_t>(1, streams);
    piece = std::clamp<std::size_t>(piece, least_piece, piece_bytes / sizeof(float) / std::max<std::size_t>(1, slots_.size()));
    piece = piece / multiple_ * multiple_;
    for (const Seen& s : seen_) {
      blocks_.join(s.operand.block, first_, first_ + size() - 1);
      if (s.passing) blocks_.keep_in_piece(s.operand.block, s.slot * piece * sizeof(float));
    }
    launches_.front().joined = static_cast<std::uint16_t>(size() - 1);
    launches_.front().piece = static_cast<std::uint32_t>(piece);
  }

 private:
  struct Seen {
    Operand operand;
    std::size_t first, last;  // launches of the chain
    bool passing = false;     // lives within the chain
    std::size_t slot = 0;
  };

  // A sum of stretches, of which pieces can be made.
  bool ends(const CapturedLaunch& next) {
    const StretchKernel* const kernel = next.kernel->stretches;
    const std::uint32_t length = kernel ? kernel->length(next.params.data()) : 0;
    if (length == 0 || length > least_piece || next.operands[0].bytes != std::size_t{count_} * sizeof(float) || !goes_along(next))
      return false;
    multiple_ = length;
    return true;
  }

  bool goes_along(const CapturedLaunch& next) const { return size() < UINT16_MAX && tidepool::goes_along(launches_, next); }

  void note(const Operand& operand, std::size_t index) {
    const auto known = std::ranges::find_if(seen_, [&](const Seen& s) { return same(s.operand, operand); });
    if (known != seen_.end())
      known->last = index;
    else
      seen_.push_back({.operand = operand, .first = index, .last = index});
  }

  // Gives slots of a piece's room to what lives within the chain; a slot serves again when what it held is over.
  void place_passing() {
    constexpr std::size_t most = piece_bytes / sizeof(float) / least_piece;
    for (Seen& s : seen_) {
      const Operand& o = s.operand;
      const bool alone = std::ranges::count_if(seen_, [&](const Seen& other) { return other.operand.block == o.block; }) == 1;
      if (!alone || o.offset != 0 || o.bytes != std::size_t{count_} * o.element || o.element > sizeof(float) ||
          !blocks_.within(*o.block, first_, first_ + size() - 1))
        continue;
      auto slot = std::ranges::find_if(slots_, [&](std::size_t busy_until) { return busy_until < s.first; });
      if (slot == slots_.end()) {
        if (slots_.size() == most) continue;
        slot = slots_.insert(slots_.end(), 0);
      }
      *slot = s.last;
      s.passing = true;
      s.slot = static_cast<std::size_t>(slot - slots_.begin());
    }
  }

  CapturedBlocks& blocks_;
  std::size_t first_;
  std::uint32_t count_;
  std::uint32_t multiple_ = vectors;  // of elements, in a piece
  std::span<CapturedLaunch> launches_;
  std::vector<Seen> seen_;          // by first use
  std::vector<std::size_t> slots_;  // the launch at which each was last needed
};

}  // namespace

void join_launches(std::vector<CapturedLaunch>& launches, CapturedBlocks& blocks) {
  for (std::size_t i = 0; i < launches.size();) {
    if (elements_of(launches[i]) < least) {
      ++i;
      continue;
    }
    Chain chain(launches, i, blocks);
    if (chain.size() > 1) chain.join();
    i += chain.size();
  }
}

}  // namespace tidepool::inline v0
