#include "platform/load/gpu_busy_percent.h"

#include <fstream>

namespace tidepool::inline v0 {

std::optional<double> read_gpu_busy_percent(const DrmCard& card) {
  std::ifstream file(card.folder + "/gpu_busy_percent");
  double percent = -1.0;
  if (!(file >> percent) || percent < 0.0 || percent > 100.0) return std::nullopt;
  return percent / 100.0;
}

}  // namespace tidepool::inline v0
