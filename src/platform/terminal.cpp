#include "platform/terminal.h"

#include "platform/environment.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <mutex>
#include <string>

namespace tidepool::inline v0 {

namespace {

volatile std::sig_atomic_t noted = 0;
std::mutex interrupt_mutex;
int interrupt_scopes = 0;  // fits may overlap
struct sigaction before_interrupt, before_terminate;

void note(int) { noted = 1; }

winsize size_of(int terminal) {
  winsize size{};
  return ioctl(terminal, TIOCGWINSZ, &size) == 0 ? size : winsize{};
}

int known_or(int cells, int otherwise) { return cells > 0 ? cells : otherwise; }

void write_all(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno != EINTR) return;  // a terminal that is gone needs nothing
    text.remove_prefix(written > 0 ? static_cast<std::size_t>(written) : 0);
  }
}

}  // namespace

bool error_is_terminal() { return isatty(STDERR_FILENO) == 1; }
bool output_is_terminal() { return isatty(STDOUT_FILENO) == 1; }
int terminal_columns() { return known_or(size_of(STDOUT_FILENO).ws_col, 80); }
int terminal_rows() { return known_or(size_of(STDOUT_FILENO).ws_row, 24); }
int error_columns() { return known_or(size_of(STDERR_FILENO).ws_col, 80); }
bool colour_wanted() { return output_is_terminal() && !environment("NO_COLOR"); }

void outlive_readers() { std::signal(SIGPIPE, SIG_IGN); }

// The other screen, without a cursor, and lines that are cut rather than wrapped: a terminal that has just shrunk is not torn.
FullScreen::FullScreen() { write_all("\x1b[?1049h\x1b[?25l\x1b[?7l"); }
FullScreen::~FullScreen() { write_all("\x1b[?7h\x1b[?25h\x1b[?1049l"); }

// Lines are erased before they are written: after the last column a terminal would erase just that one.
void FullScreen::show(std::string_view text) {
  std::string frame = "\x1b[H\x1b[K";
  for (const char c : text) c == '\n' ? frame += "\r\n\x1b[K" : frame += c;
  if (std::ranges::count(text, '\n') + 1 < terminal_rows()) frame += "\r\n\x1b[J";
  write_all(frame);
}

InterruptScope::InterruptScope(bool wanted) : wanted_(wanted) {
  if (!wanted_) return;
  const std::scoped_lock lock(interrupt_mutex);
  if (interrupt_scopes++ > 0) return;
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
  const std::scoped_lock lock(interrupt_mutex);
  if (--interrupt_scopes > 0) return;
  sigaction(SIGINT, &before_interrupt, nullptr);
  sigaction(SIGTERM, &before_terminate, nullptr);
}

bool InterruptScope::interrupted() { return noted != 0; }

}  // namespace tidepool::inline v0
