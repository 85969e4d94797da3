// Figures by name: the last 1,000 values of each, of at most 256 names.
#pragma once

#include "monitor/record.h"
#include "monitor/ring.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace tidepool::inline v0::monitor {

class Figures {
 public:
  static constexpr std::size_t most_values = 1000, most_names = 256;

  void add(std::string_view name, double value);  // names beyond the most are passed over
  std::vector<double> values(std::string_view name) const;
  std::vector<std::string> names() const;
  std::map<std::string, FigureSummary> summaries() const;
  void clear();

 private:
  struct Figure {
    Ring<double> last{most_values};
    std::uint64_t count = 0;
  };
  mutable std::mutex mutex_;
  std::map<std::string, Figure, std::less<>> figures_;
};

}  // namespace tidepool::inline v0::monitor
