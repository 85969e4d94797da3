#include "cli/watched.h"

#include <tidepool/monitor.h>
#ifdef TIDEPOOL_WEB
#include <tidepool/dashboard.h>
#endif

#include <chrono>
#include <exception>
#include <iostream>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "cli/command.h"
#include "platform/terminal.h"

namespace tidepool::cli {

#ifdef TIDEPOOL_WEB
struct Watched::Page {
  explicit Page(std::int64_t port) : dashboard({.host = "127.0.0.1", .port = port}) {}
  std::string url() const { return dashboard.url(); }
  monitor::Dashboard dashboard;
};
#else
struct Watched::Page {
  explicit Page(std::int64_t) {
    throw WrongUsage("this tidepool was built without the live page: install libmicrohttpd and Chart.js and build it again");
  }
  static std::string url() { return ""; }
};
#endif

Watched::Watched(const WatchedOptions& options) : options_(options) {
  if (options_.port < 0 && options_.record.empty()) return;
  monitor::enable();
  if (options_.port < 0) return;
  page_ = std::make_unique<Page>(options_.port);
  std::cerr << "dashboard: " << page_->url() << '\n';
  if (options_.json) std::cout << nlohmann::ordered_json{{"event", "dashboard"}, {"url", page_->url()}}.dump() << '\n' << std::flush;
}

Watched::~Watched() {
  try {
    finish();
  } catch (const std::exception& error) {
    std::cerr << "tidepool: " << error.what() << '\n';
  }
}

void Watched::finish() {
  if (options_.record.empty()) return;
  monitor::disable();
  monitor::write_run(std::exchange(options_.record, ""));
}

void Watched::stay() const {
  if (!page_ || options_.json || !error_is_terminal()) return;
  std::cerr << "dashboard: the run is over and its page stays at " << page_->url() << " until Ctrl-C\n";
  const InterruptScope interrupts(true);
  while (!InterruptScope::interrupted()) std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

}  // namespace tidepool::cli
