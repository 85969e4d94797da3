// What `tidepool watch` shows: a record as a screen full of text, and as one line.
#pragma once

#include <string>

#include "monitor/record.h"

namespace tidepool::cli {

struct Screen {
  std::size_t columns = 80, rows = 24;
  bool colour = false;
  std::string note = "";  // in the place of the run's state: "the server is gone"
};
// Lines that fill the screen at most, none wider than it, without a line feed after the last. What matters least is left out first.
std::string draw(const monitor::RunRecord& run, const Screen& screen);

// "0:12  epoch 3/10  step 2,345  loss 0.1034  …"
std::string plain_line(const monitor::RunRecord& run);

}  // namespace tidepool::cli
