// Figures and foreign words as a report shows them. The same in every locale.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tidepool::inline v0::monitor {

std::string number_text(double value, int digits = 3);                    // significant ones: "0.314", "12,345"; "1.2e-5"; "nan"
std::string duration_text(double seconds);                                // "12.3 ms", "4 min 10 s"
std::string moment_text(double seconds);                                  // since the start: "0.1 s", "4 min 10 s"
std::string percent_text(double share);                                   // "12.3 %"
std::string change_text(double share);                                    // "+12.3 %"
std::vector<std::string> shares_text(const std::vector<double>& shares);  // that add up to 1: these add up to 100.0 % as they are written
std::string counted(std::uint64_t count, const char* one, const char* many);  // "1 step", "3 steps"

// What somebody else has named, on one line: no control or direction characters, only UTF-8, and not without end.
std::string clean(std::string_view words);

}  // namespace tidepool::inline v0::monitor
