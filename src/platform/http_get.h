// One page over plain HTTP/1.0, as it comes: for `tidepool watch`, whose server sends for as long as it lives.
//
//     HttpGet page(http_address("http://127.0.0.1:8080/?token=abc").beside("events"));
//     if (page.status() == 200) page.read([](std::string_view piece) { …; return true; }, 250ms);
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace tidepool::inline v0 {

struct HttpAddress {
  std::string host, port, path = "/", query;  // the query with its question mark, or nothing

  std::string server() const;                       // "127.0.0.1:8080", as the Host header has it
  HttpAddress beside(std::string_view name) const;  // in the same folder, with the same query
};
// "http://host:port/path?query"; http:// may be left out. ArgumentError says what is wrong with anything else.
HttpAddress http_address(std::string_view url);

class HttpGet {
 public:
  // Connects, asks and reads what comes before the body. IoError names the server and says what went wrong.
  explicit HttpGet(const HttpAddress& address, std::chrono::milliseconds patience = std::chrono::seconds(10));
  ~HttpGet();
  HttpGet(const HttpGet&) = delete;
  HttpGet& operator=(const HttpGet&) = delete;

  int status() const { return status_; }
  const std::string& content_type() const { return content_type_; }  // in small letters, without parameters

  // The body piece by piece until it ends or `take` says no; an empty piece after `wake` without any, or when a signal came.
  void read(const std::function<bool(std::string_view)>& take, std::chrono::milliseconds wake);

 private:
  using Clock = std::chrono::steady_clock;
  enum class Got : unsigned char { bytes, nothing_yet, end };

  void connect(const HttpAddress& address, Clock::time_point until);
  void ask(const HttpAddress& address, Clock::time_point until);
  void read_head(Clock::time_point until);
  void take_head(std::string_view head);
  void take_field(std::string_view line);
  Got receive(std::chrono::milliseconds wait);  // into piece_
  [[noreturn]] void fail(std::string_view what) const;

  std::string server_;
  int socket_ = -1;
  int status_ = 0;
  std::string content_type_;
  std::optional<std::size_t> length_;  // of the body, where the server says
  std::string piece_;                  // what was received last
};

}  // namespace tidepool::inline v0
