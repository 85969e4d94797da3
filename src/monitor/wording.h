// Figures as sentences have them: "84 ms", "3 min 20 s", "12 %".
#pragma once

#include <string>

namespace tidepool::inline v0::monitor {

std::string three_digits(double value);            // "0.0214", "84.3", "1250"
std::string readable_ms(double ms);                // "84 ms", "21 µs", "1.2 s"
std::string readable_seconds(double seconds);      // "0.4 s", "12 s", "3 min 20 s", "2 h 5 min"
std::string readable_share(double share);          // "12 %"
std::string readable_bytes_of(double bytes);       // "1.5 GiB"
std::string ms_range(double low, double high);     // "19 to 23 ms"
std::string bytes_range(double low, double high);  // "98 MiB to 101 MiB", or "98 MiB" where that is the same

}  // namespace tidepool::inline v0::monitor
