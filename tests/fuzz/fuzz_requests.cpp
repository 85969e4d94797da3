// What a client sends to the live page: any bytes at all to a server that is there, and any fields to the guard alone.
#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "fuzz/target.h"
#include "monitor/web/guard.h"
#include "monitor/web/server.h"

namespace tidepool::fuzz {
namespace {

namespace web = monitor::web;

constexpr const char* token = "opensesame1234567";
constexpr std::string_view placeholder = "HOST";  // in kept inputs, for what the server's address happens to be

struct SmallSource : web::RunSource {
  monitor::RunRecord record(bool) override { return {}; }
  std::string metrics() override { return "tidepool_up 1\n"; }
  std::string trace() override { return "{}"; }
  std::string csv() override { return "time\n"; }
  std::string lines() override { return "{}\n"; }
  std::string report() override { return "<!doctype html>"; }
};

class Served {
 public:
  Served() : server_({.host = "127.0.0.1", .port = 0, .token = token}, source_, {.period = 0.01, .share = 1, .burst = 1}) {
    const std::string url = server_.url();
    host_ = url.substr(url.find("//") + 2);
    host_.resize(host_.find('/'));
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address_.sin_port = htons(static_cast<std::uint16_t>(std::stoi(host_.substr(host_.find(':') + 1))));
  }
  const std::string& host() const { return host_; }

  // What it says, up to where there is enough of it.
  std::string answer(std::string_view request) const {
    const int client = connected();
    static_cast<void>(!send(client, request.data(), request.size(), MSG_NOSIGNAL));
    shutdown(client, SHUT_WR);
    std::string all;
    for (pollfd entry{client, POLLIN, 0}; all.find("text/event-stream") == all.npos && poll(&entry, 1, 20) > 0;) {
      char piece[4096];
      const ssize_t got = recv(client, piece, sizeof piece, 0);
      if (got <= 0) break;
      all.append(piece, static_cast<std::size_t>(got));
      if (all.size() > (1 << 14)) break;
    }
    close(client);
    return all;
  }

 private:
  int connected() const {
    // A port rests for a minute after use, and an address has 28,000: the next request comes from the next address.
    static std::uint32_t requests = 0;
    sockaddr_in from = address_;
    from.sin_port = 0;
    from.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1 + requests++ % 200);
    for (;;) {
      const int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      require(bind(client, reinterpret_cast<const sockaddr*>(&from), sizeof from) == 0, "there is no port left");
      if (connect(client, reinterpret_cast<const sockaddr*>(&address_), sizeof address_) == 0) return client;
      // libFuzzer's clock interrupts.
      require(errno == EINTR, (std::string("the server is gone: ") + std::strerror(errno)).c_str());
      close(client);
    }
  }

  SmallSource source_;
  web::Server server_;
  std::string host_;
  sockaddr_in address_{};
};

std::string_view next_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// The guard by itself, over fields that no parser has looked at.
void judge_alone(std::string_view text, const std::string& host) {
  const std::string_view first = next_line(text);
  const std::size_t space = std::min(first.find(' '), first.size());
  web::Request request{first.substr(0, space), first.substr(std::min(space + 1, first.size())), {}, {}};
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    const std::size_t mark = std::min(line.find_first_of(":="), line.size());
    const web::Field field{line.substr(0, mark), line.substr(std::min(mark + 1, line.size()))};
    (line.substr(mark).starts_with('=') ? request.arguments : request.headers).push_back(field);
  }
  const web::Verdict verdict = judge(request, {{host}, token});
  require(verdict.status != 200 || (request.method == "GET" || request.method == "HEAD"), "something other than reading is allowed");
  const auto shows = [](const web::Field& field) { return field.value.find(token) != field.value.npos; };
  require(verdict.status != 200 || std::ranges::any_of(request.headers, shows) || std::ranges::any_of(request.arguments, shows),
          "answered without the token");
}

void take(std::string_view bytes) {
  static auto& served = *new Served;  // never destroyed: connections may be open when the process ends
  judge_alone(bytes, "HOST");
  std::string request(bytes);
  for (std::size_t at = 0; (at = request.find(placeholder, at)) != request.npos; at += served.host().size())
    request.replace(at, placeholder.size(), served.host());
  const std::string answer = served.answer(request);
  require(answer.empty() || answer.starts_with("HTTP/1."), "an answer that is no HTTP");
  require(!answer.starts_with("HTTP/1.1 200") || request.find(token) != request.npos, "answered without the token");
  require(!answer.starts_with("HTTP/1.1 500"), "the server failed");
}

const Target target("requests", take, 500);

}  // namespace
}  // namespace tidepool::fuzz
