// Where the server listens: the address that it was given, checked, and the socket.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tidepool::inline v0::monitor::web {

// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&&) = delete;
  int get() const { return number_; }
  int release() {
    const int number = number_;
    number_ = -1;
    return number;
  }

 private:
  int number_;
};

struct Address {
  std::string host;  // as it stands in a URL: "127.0.0.1", "[::1]"
  std::uint16_t port = 0;
  bool loopback = false;  // only this machine can connect
  bool every = false;     // all addresses of this machine
};

// Throws ArgumentError for what is no address or no port.
Address parse_address(const std::string& host, std::int64_t port);

// Throws ArgumentError for a token that cannot be used, or that is missing where others can connect.
void check_token(const std::string& token, const Address& address);

// Sets the port where it was 0. Throws IoError where it cannot be done.
Descriptor listen_at(Address& address);

// What clients may call us in their Host header.
std::vector<std::string> names_of(const Address& address);
// Likewise, of the address that this client connected to; none where it is unknown.
std::vector<std::string> names_of_local_end(int connection);
std::vector<std::string> names_at(const std::string& host, std::uint16_t port);

std::string url_of(const Address& address, const std::string& token);

}  // namespace tidepool::inline v0::monitor::web
