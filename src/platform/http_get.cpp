#include "platform/http_get.h"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <tidepool/error.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>

#include "platform/cat.h"

namespace tidepool::inline v0 {

namespace {

constexpr std::size_t most_of_head = 16 << 10;  // bytes before the body

[[noreturn]] void refuse(std::string_view url, std::string_view why) {
  std::string shown(url.substr(0, 100));
  for (char& c : shown)
    if (c < ' ' || c == 127) c = '?';
  throw ArgumentError("url", cat('\'', shown, "' ", why));
}

// Waits until something can be done with the socket; what came of it. A signal counts as a wait that came to nothing.
short wait_for(int socket, short events, std::chrono::milliseconds time) {
  pollfd entry{socket, events, 0};
  return poll(&entry, 1, static_cast<int>(std::max<std::int64_t>(time.count(), 0))) > 0 ? entry.revents : short{0};
}

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

std::string in_small_letters(std::string_view text) {
  std::string small(text);
  for (char& c : small)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return small;
}

}  // namespace

std::string HttpAddress::server() const { return host.find(':') == std::string::npos ? cat(host, ':', port) : cat('[', host, "]:", port); }

HttpAddress HttpAddress::beside(std::string_view name) const {
  HttpAddress other = *this;
  other.path.resize(other.path.rfind('/') + 1);
  other.path += name;
  return other;
}

HttpAddress http_address(std::string_view url) {
  constexpr const char* wanted = "is no address of a run's page; wanted one such as http://127.0.0.1:8080/";
  for (const char c : url)
    if (c <= ' ' || c == 127) refuse(url, wanted);
  std::string_view rest = url;
  if (const std::size_t scheme = rest.find("://"); scheme != std::string_view::npos) {
    const std::string name = in_small_letters(rest.substr(0, scheme));
    if (name == "https")
      refuse(url,
             "asks for https, which a run's page is not served over; use http, and `ssh -L 8080:localhost:8080 HOST` for a far machine");
    if (name != "http") refuse(url, wanted);
    rest.remove_prefix(scheme + 3);
  }
  rest = rest.substr(0, rest.find('#'));
  HttpAddress address;
  if (const std::size_t query = rest.find('?'); query != std::string_view::npos) {
    address.query = rest.substr(query);
    rest = rest.substr(0, query);
  }
  if (const std::size_t slash = rest.find('/'); slash != std::string_view::npos) {
    address.path = rest.substr(slash);
    rest = rest.substr(0, slash);
  }
  std::string_view port = "80";
  const std::size_t bracket = rest.starts_with('[') ? rest.find(']') : 0;  // [::1]:8080
  if (bracket == std::string_view::npos) refuse(url, wanted);
  if (const std::size_t colon = rest.find(':', bracket); colon != std::string_view::npos) {
    port = rest.substr(colon + 1);
    rest = rest.substr(0, colon);
  }
  address.host = bracket > 0 ? rest.substr(1, bracket - 1) : rest;
  const bool whole = bracket == 0 || rest.size() == bracket + 1;
  int number = 0;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  const bool numbered = error == std::errc() && end == port.data() + port.size() && number > 0 && number < 65536;
  if (!whole || !numbered || address.host.empty() || address.host.find_first_of("@[]") != std::string::npos) refuse(url, wanted);
  address.port = port;
  return address;
}

HttpGet::HttpGet(const HttpAddress& address, std::chrono::milliseconds patience) : server_(address.server()) {
  const Clock::time_point until = Clock::now() + patience;
  try {
    connect(address, until);
    ask(address, until);
    read_head(until);
  } catch (...) {
    if (socket_ >= 0) close(socket_);
    throw;
  }
}

HttpGet::~HttpGet() { close(socket_); }

void HttpGet::fail(std::string_view what) const { throw IoError("http", cat(server_, ": ", what)); }

void HttpGet::connect(const HttpAddress& address, Clock::time_point until) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error = getaddrinfo(address.host.c_str(), address.port.c_str(), &hints, &found); error != 0)
    fail(cat("there is no such host: ", gai_strerror(error)));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> addresses(found, freeaddrinfo);
  int error = EADDRNOTAVAIL;
  for (const addrinfo* a = found; a; a = a->ai_next) {
    socket_ = socket(a->ai_family, a->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, a->ai_protocol);
    error = errno;
    if (socket_ < 0) continue;
    error = ::connect(socket_, a->ai_addr, a->ai_addrlen) == 0 ? 0 : errno;
    if (error == EINPROGRESS) {
      while (wait_for(socket_, POLLOUT, std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now())) == 0)
        if (Clock::now() >= until) break;
      socklen_t size = sizeof error;
      getsockopt(socket_, SOL_SOCKET, SO_ERROR, &error, &size);
      if (error == 0 && Clock::now() >= until) error = ETIMEDOUT;
    }
    if (error == 0) return;
    close(socket_);
    socket_ = -1;
  }
  fail(in_small_letters(std::strerror(error)));
}

void HttpGet::ask(const HttpAddress& address, Clock::time_point until) {
  const std::string request = cat("GET ", address.path, address.query, " HTTP/1.0\r\nHost: ", server_,
                                  "\r\nAccept: text/event-stream, application/json\r\nUser-Agent: tidepool/" TIDEPOOL_VERSION "\r\n\r\n");
  for (std::string_view rest = request; !rest.empty();) {
    const ssize_t sent = send(socket_, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent > 0) {
      rest.remove_prefix(static_cast<std::size_t>(sent));
      continue;
    }
    if (errno != EAGAIN && errno != EINTR) fail(in_small_letters(std::strerror(errno)));
    if (Clock::now() >= until) fail("does not take the request");
    wait_for(socket_, POLLOUT, std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()));
  }
}

HttpGet::Got HttpGet::receive(std::chrono::milliseconds wait) {
  piece_.clear();
  if (wait_for(socket_, POLLIN, wait) == 0) return Got::nothing_yet;
  piece_.resize(64 << 10);
  const ssize_t got = recv(socket_, piece_.data(), piece_.size(), 0);
  piece_.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return Got::nothing_yet;
  return got > 0 ? Got::bytes : Got::end;  // a connection that breaks off is as good as ended
}

void HttpGet::read_head(Clock::time_point until) {
  std::string head;
  while (true) {
    const Got got = receive(std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()));
    if (got == Got::end) fail("ended before it answered");
    head += piece_;
    const std::size_t blank = std::min(head.find("\r\n\r\n"), head.find("\n\n"));
    if (std::min(blank, head.size()) > most_of_head) fail(cat("sends more than ", most_of_head, " bytes before its page"));
    if (blank != std::string::npos) {
      piece_ = head.substr(blank + (head[blank] == '\r' ? 4 : 2));
      take_head(std::string_view(head).substr(0, blank));
      return;
    }
    if (Clock::now() >= until) fail("does not answer");
  }
}

void HttpGet::take_head(std::string_view head) {
  const std::string_view first = head.substr(0, head.find('\n'));
  if (!first.starts_with("HTTP/1.") || first.size() < 12) fail("does not speak HTTP");
  const std::string_view status = first.substr(9, 3);
  const auto [end, error] = std::from_chars(status.data(), status.data() + status.size(), status_);
  if (error != std::errc() || end != status.data() + status.size()) fail("does not speak HTTP");
  while (!head.empty()) {
    const std::size_t line = head.find('\n');
    head.remove_prefix(line == std::string_view::npos ? head.size() : line + 1);
    take_field(head.substr(0, head.find('\n')));
  }
}

void HttpGet::take_field(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return;
  const std::string name = in_small_letters(line.substr(0, colon));
  const std::string_view value = without_blanks(line.substr(colon + 1));
  if (name == "content-type") content_type_ = in_small_letters(without_blanks(value.substr(0, value.find(';'))));
  if (name == "transfer-encoding" && in_small_letters(value) != "identity") fail("answers in chunks, which HTTP/1.0 has not");
  if (name == "content-length") {
    std::size_t length = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), length);
    if (error != std::errc() || end != value.data() + value.size()) fail("does not know the length of its page");
    length_ = length;
  }
}

void HttpGet::read(const std::function<bool(std::string_view)>& take, std::chrono::milliseconds wake) {
  std::size_t taken = 0;
  for (Got got = Got::bytes; got != Got::end; got = receive(wake)) {
    std::string_view piece = piece_;
    if (length_) piece = piece.substr(0, *length_ - taken);
    taken += piece.size();
    if (!take(piece)) return;
    if (length_ && taken == *length_) return;
  }
}

}  // namespace tidepool::inline v0
