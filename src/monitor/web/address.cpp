#include "monitor/web/address.h"

#include <tidepool/error.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <iterator>

namespace tidepool::inline v0::monitor::web {

namespace {

constexpr const char* operation = "Dashboard";
constexpr int most_queued = 511;  // clients that the system lets wait to be accepted

union Socket {
  sockaddr_storage storage{};
  sockaddr any;
  sockaddr_in four;
  sockaddr_in6 six;
};

bool is_six(const Socket& socket) { return socket.any.sa_family == AF_INET6; }
socklen_t size_of(const Socket& socket) { return is_six(socket) ? sizeof socket.six : sizeof socket.four; }
std::uint16_t port_of(const Socket& socket) { return ntohs(is_six(socket) ? socket.six.sin6_port : socket.four.sin_port); }

// False for what is no address.
bool parse(const std::string& host, std::uint16_t port, Socket& address) {
  if (inet_pton(AF_INET, host == "localhost" ? "127.0.0.1" : host.c_str(), &address.four.sin_addr) == 1) {
    address.four.sin_family = AF_INET;
    address.four.sin_port = htons(port);
    return true;
  }
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (inet_pton(AF_INET6, (bracketed ? host.substr(1, host.size() - 2) : host).c_str(), &address.six.sin6_addr) != 1) return false;
  address.six.sin6_family = AF_INET6;
  address.six.sin6_port = htons(port);
  return true;
}

std::string host_text(const Socket& address) {
  std::array<char, INET6_ADDRSTRLEN + 2> text{};
  if (!is_six(address)) return inet_ntop(AF_INET, &address.four.sin_addr, text.data(), INET6_ADDRSTRLEN);
  text[0] = '[';
  inet_ntop(AF_INET6, &address.six.sin6_addr, text.data() + 1, INET6_ADDRSTRLEN);
  return std::string(text.data()).append("]");
}

std::string with_port(const std::string& host, std::uint16_t port) { return host + ":" + std::to_string(port); }

[[noreturn]] void cannot_listen(const Address& address, int error) {
  const std::string where = with_port(address.host, address.port);
  if (error == EADDRINUSE) throw IoError(operation, where + " is in use: choose another port, or 0 for one that is free");
  if (error == EACCES)
    throw IoError(operation, "this user may not serve at " + where + ": choose a port above 1023, or 0 for one that is free");
  if (error == EADDRNOTAVAIL)
    throw IoError(operation, address.host + " is no address of this machine: use 127.0.0.1, or 0.0.0.0 and a token for all that it has");
  throw IoError(operation, "cannot serve at " + where + ": " + std::strerror(error));
}

}  // namespace

Descriptor::~Descriptor() {
  if (number_ >= 0) close(number_);
}

Address parse_address(const std::string& host, std::int64_t port) {
  if (port < 0 || port > 65535)
    throw ArgumentError(operation, "port " + std::to_string(port) + " does not exist: choose one of 1 to 65535, or 0 for one that is free");
  Socket parsed;
  if (!parse(host, static_cast<std::uint16_t>(port), parsed))
    throw ArgumentError(operation, "'" + host + "' is no address: give one of this machine in numbers, such as 127.0.0.1 or ::1");
  Address address;
  address.host = host_text(parsed);
  address.port = static_cast<std::uint16_t>(port);
  if (is_six(parsed)) {
    address.loopback = IN6_IS_ADDR_LOOPBACK(&parsed.six.sin6_addr) != 0;
    address.every = IN6_IS_ADDR_UNSPECIFIED(&parsed.six.sin6_addr) != 0;
  } else {
    address.loopback = ntohl(parsed.four.sin_addr.s_addr) >> 24 == 127;
    address.every = parsed.four.sin_addr.s_addr == INADDR_ANY;
  }
  return address;
}

void check_token(const std::string& token, const Address& address) {
  constexpr std::size_t least = 16, most = 256;
  if (token.empty()) {
    if (address.loopback) return;
    throw ArgumentError(operation, "others than this machine can connect to " + address.host +
                                       ": give a token of at least 16 characters, or serve at 127.0.0.1");
  }
  if (token.size() < least || token.size() > most)
    throw ArgumentError(operation, "the token has " + std::to_string(token.size()) + " characters: give one of 16 to 256");
  const bool plain = std::ranges::all_of(
      token, [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || std::strchr("-._~", c); });
  if (!plain)
    throw ArgumentError(operation, "the token has characters that addresses cannot have as they are: use letters, digits, and -._~");
}

Descriptor listen_at(Address& address) {
  Socket at;
  parse(address.host, address.port, at);
  Descriptor listener(socket(at.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (listener.get() < 0) cannot_listen(address, errno);
  const int yes = 1;
  setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);  // or a port could not be used again for a minute
  if (is_six(at)) setsockopt(listener.get(), IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof yes);
  if (bind(listener.get(), &at.any, size_of(at)) != 0 || listen(listener.get(), most_queued) != 0) cannot_listen(address, errno);
  socklen_t size = sizeof at;
  if (getsockname(listener.get(), &at.any, &size) != 0) cannot_listen(address, errno);
  address.port = port_of(at);
  return listener;
}

std::vector<std::string> names_of(const Address& address) {
  std::vector<std::string> hosts{address.host};
  if (address.loopback || address.every) hosts.insert(hosts.end(), {"127.0.0.1", "localhost", "[::1]"});
  std::vector<std::string> names;
  for (const std::string& host : hosts) std::ranges::copy(names_at(host, address.port), std::back_inserter(names));
  return names;
}

std::vector<std::string> names_of_local_end(int connection) {
  Socket local;
  socklen_t size = sizeof local;
  if (getsockname(connection, &local.any, &size) != 0) return {};
  return names_at(host_text(local), port_of(local));
}

// Browsers leave out the port where it is a web server's usual one.
std::vector<std::string> names_at(const std::string& host, std::uint16_t port) {
  std::vector<std::string> names{with_port(host, port)};
  if (port == 80) names.push_back(host);
  return names;
}

std::string url_of(const Address& address, const std::string& token) {
  const bool six = address.host.front() == '[';
  const std::string host = !address.every ? address.host : six ? "[::1]" : "127.0.0.1";
  return "http://" + with_port(host, address.port) + "/" + (token.empty() ? "" : "?token=" + token);
}

}  // namespace tidepool::inline v0::monitor::web
