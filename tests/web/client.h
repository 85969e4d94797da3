// A client that says exactly what it is told to, byte by byte, and waits for conditions rather than for time.
#pragma once

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tidepool::inline v0 {

constexpr double patience = 20;  // seconds, after which what is waited for will not come

inline double seconds_now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// False when it did not become true in time.
template <class Condition>
bool wait_until(Condition&& condition, double seconds = patience) {
  for (const double end = seconds_now() + seconds; seconds_now() < end; usleep(2000))
    if (condition()) return true;
  return condition();
}

struct Answer {
  int status = 0;                              // 0: the connection ended without an answer
  std::map<std::string, std::string> headers;  // names in small letters
  std::string body;
};

class Client {
 public:
  // `receive_bytes` bounds what the system keeps for us while we do not read.
  explicit Client(std::uint16_t port, int receive_bytes = 0) : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (receive_bytes > 0) setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof receive_bytes);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = connect(socket_, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0;
  }
  ~Client() { close_now(); }
  Client(Client&& other) noexcept
      : socket_(std::exchange(other.socket_, -1)), connected_(other.connected_), seen_(std::move(other.seen_)), ended_(other.ended_) {}
  Client& operator=(Client&&) = delete;

  bool connected() const { return connected_; }
  bool ended() const { return ended_; }
  void close_now() {
    if (socket_ >= 0) close(std::exchange(socket_, -1));
  }
  bool send(std::string_view text) {
    while (!text.empty()) {
      const ssize_t sent = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  // Reads until the text has come, and gives back everything up to its end; nothing when the connection ended or time was up before.
  std::optional<std::string> read_to(std::string_view text, double seconds = patience) {
    for (const double end = seconds_now() + seconds;;) {
      if (const std::size_t at = seen_.find(text); at != std::string::npos) return take(at + text.size());
      if (!read_more(end)) return std::nullopt;
    }
  }
  std::optional<std::string> read_bytes(std::size_t bytes, double seconds = patience) {
    for (const double end = seconds_now() + seconds; seen_.size() < bytes;)
      if (!read_more(end)) return std::nullopt;
    return take(bytes);
  }
  // True when the other side has ended the connection in time; what came until then is dropped.
  bool sees_end(double seconds = patience) {
    for (const double end = seconds_now() + seconds; read_more(end);) seen_.clear();
    return ended_;
  }

  Answer answer(bool with_body = true, double seconds = patience) {
    Answer answer;
    const auto head = read_to("\r\n\r\n", seconds);
    if (!head) return answer;
    answer.status = std::atoi(head->c_str() + head->find(' '));
    for (std::size_t at = head->find("\r\n") + 2; at + 2 < head->size();) {
      const std::size_t end = head->find("\r\n", at), colon = head->find(": ", at);
      std::string name = head->substr(at, colon - at);
      for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      answer.headers[name] = head->substr(colon + 2, end - colon - 2);
      at = end + 2;
    }
    if (with_body) answer.body = read_bytes(std::strtoul(answer.headers["content-length"].c_str(), nullptr, 10), seconds).value_or("");
    return answer;
  }
  // The next piece of an answer without a known end; nothing at its end.
  std::optional<std::string> chunk(double seconds = patience) {
    const auto size = read_to("\r\n", seconds);
    if (!size) return std::nullopt;
    const std::size_t bytes = std::strtoul(size->c_str(), nullptr, 16);
    auto data = read_bytes(bytes + 2, seconds);
    if (!data || bytes == 0) return std::nullopt;
    data->resize(bytes);
    return data;
  }

 private:
  std::string take(std::size_t bytes) {
    std::string taken = seen_.substr(0, bytes);
    seen_.erase(0, bytes);
    return taken;
  }
  bool read_more(double end) {
    const double left = end - seconds_now();
    pollfd waiting{.fd = socket_, .events = POLLIN, .revents = 0};
    if (ended_ || left <= 0 || poll(&waiting, 1, static_cast<int>(left * 1000) + 1) <= 0) return false;
    static thread_local std::array<char, 65536> part;
    const ssize_t got = recv(socket_, part.data(), part.size(), 0);
    if (got <= 0) {
      ended_ = true;
      return false;
    }
    seen_.append(part.data(), static_cast<std::size_t>(got));
    return true;
  }

  int socket_;
  bool connected_ = false;
  std::string seen_;
  bool ended_ = false;
};

// A listener to events.
struct Event {
  std::string kind, data;
};
class Listener {
 public:
  explicit Listener(Client client) : client_(std::move(client)) {}
  Client& client() { return client_; }
  // Nothing when the stream ended or time was up.
  std::optional<Event> next(double seconds = patience) {
    std::size_t end = 0;
    while ((end = text_.find("\n\n")) == std::string::npos) {
      auto more = client_.chunk(seconds);
      if (!more) return std::nullopt;
      text_ += *more;
    }
    Event event;
    for (std::size_t at = 0; at < end;) {
      const std::size_t line_end = text_.find('\n', at);
      const std::string line = text_.substr(at, line_end - at);
      if (line.starts_with("event: ")) event.kind = line.substr(7);
      if (line.starts_with("data: ")) event.data += line.substr(6);
      at = line_end + 1;
    }
    text_.erase(0, end + 2);
    return event;
  }

 private:
  Client client_;
  std::string text_;
};

}  // namespace tidepool::inline v0
