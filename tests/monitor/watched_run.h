// Watching a synthetic run: what was told, as tests look at it.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "monitor/anomalies.h"
#include "monitor/synthetic_run.h"

namespace tidepool::inline v0::monitor {

inline std::string told(const std::vector<Anomaly>& found) {
  std::string text;
  for (const Anomaly& a : found) text += "  at " + std::to_string(a.time) + " s: " + a.message + "\n";
  return text;
}

inline std::vector<Anomaly> watch_on(AnomalyWatch& watch, SyntheticRun& run, int samples) {
  std::vector<Anomaly> all;
  for (int i = 0; i < samples; ++i)
    for (Anomaly& a : watch.add(run.next())) all.push_back(std::move(a));
  return all;
}

}  // namespace tidepool::inline v0::monitor
