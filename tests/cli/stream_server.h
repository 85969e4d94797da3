// A server of one connection after another, on loopback, that says what a test wants said.
//
//     StreamServer server([](Connection& client) { client.send("HTTP/1.0 200 OK\r\n…"); client.wait_for_end(); });
//     run("watch http://127.0.0.1:" + server.port());
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace tidepool::inline v0 {

// What a client of the server sees. Nothing here waits for more than ten seconds.
class Connection {
 public:
  explicit Connection(int socket) : socket_(socket) {
    while (request_.find("\r\n\r\n") == std::string::npos && receive()) {
    }
  }
  ~Connection() { close(socket_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  const std::string& request() const { return request_; }
  bool send(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t sent = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  void wait_for_end() {
    while (receive()) {
    }
  }

 private:
  bool receive() {
    pollfd entry{socket_, POLLIN, 0};
    char piece[4096];
    if (poll(&entry, 1, 10'000) <= 0) return false;
    const ssize_t got = recv(socket_, piece, sizeof piece, 0);
    if (got > 0) request_.append(piece, static_cast<std::size_t>(got));
    return got > 0;
  }
  int socket_;
  std::string request_;
};

class StreamServer {
 public:
  explicit StreamServer(std::function<void(Connection&)> serve) : serve_(std::move(serve)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(socket_, reinterpret_cast<sockaddr*>(&address), size) != 0 || listen(socket_, 4) != 0 ||
        getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size) != 0)
      ADD_FAILURE() << "no port on loopback";
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { run(); });
  }
  ~StreamServer() {
    stop_ = true;
    thread_.join();
    close(socket_);
  }
  StreamServer(const StreamServer&) = delete;
  StreamServer& operator=(const StreamServer&) = delete;

  std::string port() const { return std::to_string(port_); }
  std::string url(const std::string& path = "/") const { return "http://127.0.0.1:" + port() + path; }
  std::string last_request() const {
    const std::lock_guard lock(mutex_);
    return last_request_;
  }

 private:
  void run() {
    while (!stop_) {
      pollfd entry{socket_, POLLIN, 0};
      if (poll(&entry, 1, 20) <= 0) continue;
      Connection client(accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC));
      {
        const std::lock_guard lock(mutex_);
        last_request_ = client.request();
      }
      serve_(client);
    }
  }
  std::function<void(Connection&)> serve_;
  int socket_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<bool> stop_ = false;
  mutable std::mutex mutex_;
  std::string last_request_;
  std::thread thread_;
};

}  // namespace tidepool::inline v0
