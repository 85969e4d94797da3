#include "cli/trajectories/summary.h"

#include <algorithm>
#include <bit>

namespace tidepool::cli {

// Floats from 0 on are in the order of their bits, so the first bits are bins whose width is a part of the number.
void Distribution::add(float value) {
  smallest_ = count_ == 0 ? value : std::min(smallest_, value);
  largest_ = count_ == 0 ? value : std::max(largest_, value);
  ++count_;
  sum_ += static_cast<double>(value);
  ++bins_[std::bit_cast<std::uint32_t>(value > 0 ? value : 0.0F) >> dropped_bits];
}

double Distribution::percentile(double part) const {
  const double wanted = part * static_cast<double>(count_ - 1);  // as NumPy counts
  double before = 0;
  for (std::size_t i = 0; i < bins_.size(); ++i) {
    const auto here = static_cast<double>(bins_[i]);
    if (before + here > wanted) {
      const auto begin = static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(i) << dropped_bits));
      const auto end = static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(i + 1) << dropped_bits));
      return std::clamp(begin + (end - begin) * (wanted - before + 0.5) / here, smallest(), largest());
    }
    before += here;
  }
  return largest();
}

}  // namespace tidepool::cli
