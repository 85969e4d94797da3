#include "monitor/figures.h"

#include "monitor/statistics.h"

namespace tidepool::inline v0::monitor {

void Figures::add(std::string_view name, double value) {
  const std::scoped_lock lock(mutex_);
  auto found = figures_.find(name);
  if (found == figures_.end()) {
    if (figures_.size() == most_names) return;
    found = figures_.emplace(std::string(name), Figure{}).first;
  }
  found->second.last.push(value);
  ++found->second.count;
}

std::vector<double> Figures::values(std::string_view name) const {
  const std::scoped_lock lock(mutex_);
  const auto found = figures_.find(name);
  return found == figures_.end() ? std::vector<double>() : found->second.last.all();
}

std::vector<std::string> Figures::names() const {
  const std::scoped_lock lock(mutex_);
  std::vector<std::string> all;
  for (const auto& [name, figure] : figures_) all.push_back(name);
  return all;
}

std::map<std::string, FigureSummary> Figures::summaries() const {
  std::map<std::string, FigureSummary> all;
  for (const std::string& name : names()) {
    const std::vector<double> last = values(name);
    if (last.empty()) continue;
    FigureSummary& summary = all[name];
    {
      const std::scoped_lock lock(mutex_);
      if (const auto found = figures_.find(name); found != figures_.end()) summary.count = found->second.count;
    }
    summary.last = last.back();
    summary.mean = mean(last);
    summary.least = percentile(last, 0);
    summary.most = percentile(last, 1);
    summary.p50 = percentile(last, 0.5);
    summary.p90 = percentile(last, 0.9);
    summary.p99 = percentile(last, 0.99);
  }
  return all;
}

void Figures::clear() {
  const std::scoped_lock lock(mutex_);
  figures_.clear();
}

}  // namespace tidepool::inline v0::monitor
