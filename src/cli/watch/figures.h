// Figures as short text for a terminal.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tidepool::cli {

// "▁▂▃▄▅▆▇█": the values from first to last in at most so many columns, neighbours together where they are more. Between the least and
// the most of them, or within the bounds given. What is not finite is a cross.
std::string sparkline(const std::vector<double>& values, std::size_t columns, std::optional<std::pair<double, double>> bounds = {});

// "███▌      ": so much of the columns, in eighths.
std::string share_bar(double share, std::size_t columns);

std::string number_text(double value);      // "0.1034", "12.5", "1.2e-07", "nan"
std::string percent_text(double share);     // "75 %", "93.8 %"
std::string duration_text(double seconds);  // "850 ns", "12.5 ms", "3.2 s"
std::string clock_text(double seconds);     // "0:12", "1:02:03"

}  // namespace tidepool::cli
