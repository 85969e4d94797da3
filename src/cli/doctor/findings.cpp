#include "cli/doctor/findings.h"

#include <algorithm>
#include <iostream>

namespace tidepool::cli {

const char* name_of(Finding::Level level) {
  if (level == Finding::ok) return "ok";
  return level == Finding::warn ? "warn" : "fail";
}

std::size_t Findings::count(Finding::Level level) const {
  return static_cast<std::size_t>(std::ranges::count(all_, level, &Finding::level));
}

void Findings::add(const Finding& finding) {
  all_.push_back(finding);
  if (!print_) return;
  const std::string level = name_of(finding.level);
  std::cout << level << std::string(6 - level.size(), ' ') << finding.about << ": " << finding.text
            << (finding.fix.empty() ? "" : "; to do: " + finding.fix) << std::endl;  // seen at once: what follows may take long
}

}  // namespace tidepool::cli
