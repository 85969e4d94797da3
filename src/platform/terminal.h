// The terminal and Ctrl-C.
#pragma once

#include <string_view>

namespace tidepool::inline v0 {

bool error_is_terminal();
bool output_is_terminal();
int terminal_columns();  // of standard output; 80 when nobody knows
int terminal_rows();     // likewise; 24
int error_columns();     // of standard error; 80
bool colour_wanted();    // on standard output: a terminal, and NO_COLOR is not set

// From now on writing where nobody reads any more is an error, rather than the process's end.
void outlive_readers();

// While it lives, standard output, a terminal, shows a screen of its own; then what was there before is back.
class FullScreen {
 public:
  FullScreen();
  ~FullScreen();
  FullScreen(const FullScreen&) = delete;
  FullScreen& operator=(const FullScreen&) = delete;

  void show(std::string_view text);  // lines from the top; what was there goes without a flicker
};

// While it lives, the first Ctrl-C (or SIGTERM) is noted instead of ending the process; the second ends it. Of several, in whatever threads
// and order, the first begins that, and the last ends it.
class InterruptScope {
 public:
  explicit InterruptScope(bool wanted);
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;
  static bool interrupted();

 private:
  bool wanted_;
};

}  // namespace tidepool::inline v0
