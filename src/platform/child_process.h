// Another program, run to its end or to a deadline: for what may crash or hang, as drivers do.
//
//     const ChildResult child = run_program("/proc/self/exe", {"doctor", "--trial", "cpu"}, {{"TIDEPOOL_VALIDATION", "1"}}, 60s);
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tidepool::inline v0 {

struct ChildResult {
  int status = -1;         // of exit; -1 when it did not exit by itself
  int signal = 0;          // that ended it
  bool timed_out = false;  // and was killed
  std::string output;      // standard output; standard error is dropped
};

// The variables are added to our own environment, the input is its standard input. Throws IoError when the program cannot be started.
ChildResult run_program(const std::string& program, const std::vector<std::string>& arguments,
                        const std::vector<std::pair<std::string, std::string>>& variables, std::chrono::milliseconds time,
                        std::string_view input = {});

}  // namespace tidepool::inline v0
