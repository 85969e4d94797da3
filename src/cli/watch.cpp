// tidepool watch: a run that serves its page, in the terminal.
#include <tidepool/error.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <iostream>
#include <memory>
#include <optional>

#include "cli/cli.h"
#include "cli/watch/figures.h"
#include "cli/watch/stream.h"
#include "cli/watch/view.h"
#include "platform/bytes.h"
#include "platform/cat.h"
#include "platform/http_get.h"
#include "platform/terminal.h"

namespace tidepool::cli {

namespace {

using Clock = std::chrono::steady_clock;

struct WatchCommand {
  std::string url;
  bool json = false, once = false;
};

std::string check_url(const std::string& text) {
  try {
    http_address(text);
    return "";
  } catch (const ArgumentError& error) {
    return std::string(error.what()).substr(std::string("url: ").size());
  }
}

Screen screen_now(int rows_kept = 0) {  // for what else is to be seen
  return {.columns = static_cast<std::size_t>(terminal_columns()),
          .rows = static_cast<std::size_t>(std::max(terminal_rows() - rows_kept, 1)),
          .colour = colour_wanted()};
}
constexpr int prompt_rows = 3;  // where the view stays behind, with what is said of the end

class Watch {
 public:
  explicit Watch(const WatchCommand& options) : options_(options), live_(!options.json && !options.once && output_is_terminal()) {}

  int run() {
    const std::unique_ptr<HttpGet> page = open();
    EventStream stream([this](const std::string& event, const std::string& data) { take(event, data); });
    {
      const InterruptScope interrupt(true);
      if (live_) full_.emplace();
      page->read(
          [&](std::string_view piece) {
            if (!over()) stream.feed(piece);
            show();
            return !over();
          },
          std::chrono::milliseconds(250));
      full_.reset();
      if (InterruptScope::interrupted()) return interrupted;
    }
    return end();
  }

 private:
  std::unique_ptr<HttpGet> open() const {
    const HttpAddress address = http_address(options_.url).beside("events");
    constexpr const char* advice = "; use the address that a run with --dashboard printed, while it runs";
    std::unique_ptr<HttpGet> page;
    try {
      page = std::make_unique<HttpGet>(address);
    } catch (const IoError& error) {
      throw IoError("watch", cat(std::string_view(error.what()).substr(std::strlen("http: ")), advice));
    }
    if (page->status() == 401 || page->status() == 403)
      throw IoError("watch", cat(address.server(), " wants a token; use the address as the run printed it, with ?token=…"));
    if (page->status() != 200 || page->content_type() != "text/event-stream")
      throw IoError("watch", cat(address.server(), " is no tidepool server (status ", page->status(), ")", advice));
    return page;
  }

  void take(const std::string& event, const std::string& data) {
    if (over() || (event != "run" && event != "update")) return;
    try {
      follow(run_, event, monitor::run_from_json(data));
    } catch (const IoError& error) {
      throw IoError("watch", cat("the server sent what is no record of a run: ", error.what(), "; are both of the same version?"));
    }
    ++messages_;
    heard_ = Clock::now();
    if (!options_.json) return;
    std::string line = data;
    for (char& c : line)
      if (c == '\n') c = ' ';  // between two tokens, then
    std::cout << line << '\n' << std::flush;
  }

  // Enough was seen, or nobody sees it.
  bool over() const { return InterruptScope::interrupted() || (options_.once && messages_ > 0) || !std::cout; }

  void show() {
    if (options_.json || options_.once || messages_ == 0) return;
    const Clock::time_point now = Clock::now();
    if (live_) {
      Screen screen = screen_now();
      constexpr std::chrono::seconds silence(5);
      if (now - heard_ > silence) screen.note = cat("no word for ", clock_text(std::chrono::duration<double>(now - heard_).count()));
      full_->show(draw(run_, screen));
    } else if (now - shown_ >= std::chrono::seconds(1)) {
      shown_ = now;
      std::cout << plain_line(run_) << '\n' << std::flush;
    }
  }

  // The stream has ended, or one message was all that was asked for.
  int end() const {
    if (messages_ == 0) throw IoError("watch", "the server went away without a word");
    if (options_.once) {
      if (!options_.json) std::cout << (output_is_terminal() ? draw(run_, screen_now(prompt_rows)) : plain_line(run_)) << '\n';
      return done;
    }
    const bool finished = run_.training && run_.training->finished;
    if (live_) {
      Screen screen = screen_now(prompt_rows);
      screen.note = finished ? "finished, server gone" : "the server is gone";
      std::cout << draw(run_, screen) << '\n';
    } else if (!options_.json) {
      std::cout << plain_line(run_) << '\n';
    }
    if (finished) {
      if (!options_.json) std::cout << "Training had finished when the server went away.\n";
      return done;
    }
    std::cout << std::flush;
    throw IoError("watch", run_.training ? cat("the server went away at step ", with_commas(run_.training->step),
                                               ", before training had finished; what the run itself printed says why")
                                         : "the server went away; what the run itself printed says why");
  }

  const WatchCommand& options_;
  const bool live_;
  monitor::RunRecord run_;
  std::uint64_t messages_ = 0;
  Clock::time_point heard_{}, shown_{};
  std::optional<FullScreen> full_;
};

}  // namespace

void add_watch(Parser& parser) {
  Command command = parser.command("watch", "Watch a run that serves its page (--dashboard), here in the terminal");
  const auto options = std::make_shared<WatchCommand>();
  command.text("url", options->url, "As the run printed it, such as http://127.0.0.1:8080/",
               {.type = "URL", .check = check_url, .required = true});
  command.flag("--json", options->json, "One line of JSON for each message, as the server sent it");
  command.flag("--once", options->once, "Show how it stands, once, and end");
  command.runs([options] { return Watch(*options).run(); });
}

}  // namespace tidepool::cli
