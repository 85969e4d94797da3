#include "platform/terminal.h"

#include "platform/environment.h"

#include <sys/ioctl.h>
#include <unistd.h>
#include <csignal>

namespace tidepool::inline v0 {

namespace {

volatile std::sig_atomic_t noted = 0;
struct sigaction before_interrupt, before_terminate;

void note(int) { noted = 1; }

}  // namespace

bool error_is_terminal() { return isatty(STDERR_FILENO) == 1; }
bool output_is_terminal() { return isatty(STDOUT_FILENO) == 1; }
int terminal_columns() {
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}
bool colour_wanted() { return output_is_terminal() && !environment("NO_COLOR"); }

InterruptScope::InterruptScope(bool wanted) : wanted_(wanted) {
  if (!wanted_) return;
  noted = 0;
  struct sigaction action {};
  action.sa_handler = note;
  sigemptyset(&action.sa_mask);
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // the second one ends the process
  sigaction(SIGINT, &action, &before_interrupt);
  sigaction(SIGTERM, &action, &before_terminate);
}

InterruptScope::~InterruptScope() {
  if (!wanted_) return;
  sigaction(SIGINT, &before_interrupt, nullptr);
  sigaction(SIGTERM, &before_terminate, nullptr);
}

bool InterruptScope::interrupted() { return noted != 0; }

}  // namespace tidepool::inline v0
