// What a server sends to `tidepool watch`: an answer from its first byte on where it begins with H, the stream of events otherwise.
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <thread>

#include "cli/watch/stream.h"
#include "cli/watch/view.h"
#include "fuzz/target.h"
#include "platform/http_get.h"

namespace tidepool::fuzz {
namespace {

// Answers whoever connects with the same bytes.
class Answering {
 public:
  Answering() : listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    require(bind(listener_, reinterpret_cast<sockaddr*>(&address), size) == 0 && listen(listener_, 16) == 0 &&
                getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0,
            "no port to listen at");
    port_ = std::to_string(ntohs(address.sin_port));
    std::thread([this] { serve(); }).detach();  // for as long as the process lives
  }
  void with(std::string_view bytes) {
    const std::scoped_lock lock(mutex_);
    answer_ = bytes;
  }
  const std::string& port() const { return port_; }

 private:
  void serve() {
    for (;;) {
      const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (client < 0) continue;
      std::string request(4096, '\0');
      std::size_t got = 0;
      for (ssize_t more = 1; more > 0 && got < request.size() && request.find("\r\n\r\n") == request.npos;) {
        more = recv(client, request.data() + got, request.size() - got, 0);
        got += static_cast<std::size_t>(std::max<ssize_t>(more, 0));
      }
      std::string answer;
      {
        const std::scoped_lock lock(mutex_);
        answer = answer_;
      }
      static_cast<void>(!send(client, answer.data(), answer.size(), MSG_NOSIGNAL));
      close(client);
    }
  }
  int listener_;
  std::string port_, answer_;
  std::mutex mutex_;
};

// Nothing that a server sends may reach the terminal as a code that it obeys.
void require_harmless(std::string_view text) {
  require(std::ranges::none_of(text, [](char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7f; }),
          "a code for the terminal in what is shown");
}

class Watching {
 public:
  void feed(std::string_view piece) { stream_.feed(piece); }

 private:
  void show(const std::string& event, const std::string& data) {
    taken([&] {
      cli::follow(run_, event, monitor::run_from_json(data));
      require_harmless(cli::plain_line(run_));
      for (const cli::Screen& screen : {cli::Screen{.columns = 80, .rows = 24}, cli::Screen{.columns = 200, .rows = 60},
                                        cli::Screen{.columns = 20, .rows = 5}, cli::Screen{.columns = 1, .rows = 1}})
        require_harmless(cli::draw(run_, screen));
    });
  }
  monitor::RunRecord run_;
  cli::EventStream stream_{[this](const std::string& event, const std::string& data) { show(event, data); }};
};

void take(std::string_view bytes) {
  if (!bytes.starts_with('H')) {
    Watching whole, cut;
    taken([&] { whole.feed(bytes); });
    for (std::size_t at = 0, size = 1; at < bytes.size(); at += size, size = size * 5 % 97)
      if (!taken([&] { cut.feed(bytes.substr(at, size)); })) break;
    return;
  }
  static auto& server = *new Answering;
  server.with(bytes);
  taken([&] {
    HttpGet page(http_address("127.0.0.1:" + server.port()), std::chrono::seconds(2));
    Watching watching;
    page.read(
        [&](std::string_view piece) {
          watching.feed(piece);
          return true;
        },
        std::chrono::milliseconds(250));
  });
}

const Target target("answers", take, 1000);

}  // namespace
}  // namespace tidepool::fuzz
