// Advice that is followed between epochs, one piece at a time, and kept only if the next epoch was faster.
//
//     const AutoTune::Decision decision = tune.after_epoch(samples_per_second, monitor::advice());
#pragma once

#include <tidepool/monitor.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tidepool::inline v0 {

// What is followed: the monitor's advice, or a test's.
extern std::vector<monitor::Advice> (*advice_to_follow)();

class AutoTune {
 public:
  struct Decision {
    enum Verdict { nothing, kept, taken_back };
    Verdict verdict = nothing;  // on what was tried in this epoch
    std::optional<monitor::Advice> judged = {};
    double before = 0, after = 0;              // samples a second
    std::optional<monitor::Advice> next = {};  // to be tried in the next epoch
  };

  // An epoch trained so many samples a second, and this is advised now.
  Decision after_epoch(double rate, const std::vector<monitor::Advice>& advice);
  // Training ends: what was being tried, if anything was.
  std::optional<monitor::Advice> drop();

 private:
  static constexpr double better = 1.03;  // times: less may be chance

  struct Trial {
    monitor::Advice advice;
    double rate;  // without it
  };
  std::optional<Trial> trial_;
  std::set<std::string> tried_;  // by what to write for it
};

}  // namespace tidepool::inline v0
