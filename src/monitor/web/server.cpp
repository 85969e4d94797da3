#include "monitor/web/server.h"

#include <tidepool/error.h>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <exception>
#include <utility>

#include "monitor/web/clock.h"
#include "platform/thread_clock.h"

namespace tidepool::inline v0::monitor::web {

namespace {

constexpr double time_to_end = 0.3;  // seconds for listeners to read the last that they are told

// Paths and arguments stay as they were sent: none of ours needs an escape.
std::size_t unescape_nothing(void*, MHD_Connection*, char* text) { return std::char_traits<char>::length(text); }

}  // namespace

Server::Server(const DashboardOptions& options, RunSource& run, const Limits& limits)
    : limits_(limits),
      address_(parse_address(options.host, options.port)),
      page_(page_parts()),
      shelf_(run, limits_),
      streams_(run, shelf_, limits_),
      connections_(limits_),
      budget_(limits_.share, limits_.burst),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  check_token(options.token, address_);
  if (wake_.get() < 0) throw IoError("Dashboard", "the process has no file descriptor left: close files, or raise its limit (ulimit -n)");
  Descriptor listener = listen_at(address_);
  served_ = {names_of(address_), options.token};
  start(std::move(listener));
  thread_ = std::thread([this] { serve(); });
}

Server::~Server() {
  stopping_ = true;
  const std::uint64_t one = 1;
  static_cast<void>(!write(wake_.get(), &one, sizeof one));
  thread_.join();
}

void Server::start(Descriptor listener) {
  listener_ = listener.get();
  daemon_.reset(MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, nullptr, nullptr, &Server::on_request, this,  //
                                 MHD_OPTION_LISTEN_SOCKET, listener_,                                                       //
                                 MHD_OPTION_CONNECTION_LIMIT, limits_.connections,                                          //
                                 MHD_OPTION_CONNECTION_MEMORY_LIMIT, limits_.header_bytes,                                  //
                                 MHD_OPTION_CONNECTION_TIMEOUT, static_cast<unsigned>(std::ceil(limits_.stuck_seconds)),    //
                                 MHD_OPTION_NOTIFY_CONNECTION, &Server::on_connection, this,                                //
                                 MHD_OPTION_UNESCAPE_CALLBACK, &unescape_nothing, nullptr,                                  //
                                 MHD_OPTION_STRICT_FOR_CLIENT, 1,                                                           //
                                 MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1,                                                      //
                                 MHD_OPTION_END));
  // A daemon that fails has closed its listener, or not.
  if (daemon_ || names_of_local_end(listener_).empty()) listener.release();
  if (!daemon_) throw IoError("Dashboard", "libmicrohttpd does not start: the process may have too few file descriptors (ulimit -n)");
  events_ = MHD_get_daemon_info(daemon_.get(), MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
}

void Server::serve() {
  sigset_t signals;
  sigfillset(&signals);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // they are the program's
  while (!stopping_) {
    wait();
    if (stopping_) break;
    run_daemon();
    look_after();
    const double before = cpu_seconds_;
    cpu_seconds_ = thread_seconds();
    budget_.spend(cpu_seconds_ - before, time_now());
    if (const double seconds = budget_.wait(); seconds > 0) rest(seconds);
  }
  tell_listeners(time_now());  // how it ended
  streams_.end_all();
  for (const double until = time_now() + time_to_end; streams_.any() && time_now() < until;) {
    MHD_run(daemon_.get());
    wait_for_daemon();
  }
  daemon_.reset();
  cpu_seconds_ = thread_seconds();
}

void Server::run_daemon() {
  const bool was_full = connections_.full();
  MHD_run(daemon_.get());
  // A full daemon stops looking for new clients, and looks again only when it is run.
  if (was_full && !connections_.full()) MHD_run(daemon_.get());
}

// What has its time, rather than a client, to wait for.
void Server::look_after() {
  const double now = time_now();
  connections_.cut_late(now);
  shelf_.let_go(now);
  if (const auto due = streams_.due(); due && *due <= now) tell_listeners(now);
  if (!connections_.full()) return;
  if (const auto room = connections_.next_room(); room && *room <= now) {
    pollfd knocking{.fd = listener_, .events = POLLIN, .revents = 0};
    if (poll(&knocking, 1, 0) > 0) connections_.make_room(now);
  }
}

void Server::tell_listeners(double now) try { streams_.tell(now); } catch (const std::exception&) {
  streams_.cut_all();  // they come again, and are told then or not
}

int Server::wait_milliseconds() const {
  double seconds = -1;  // for ever
  const auto at_most = [&](double limit) { seconds = seconds < 0 ? std::max(0.0, limit) : std::clamp(limit, 0.0, seconds); };
  MHD_UNSIGNED_LONG_LONG milliseconds = 0;
  if (MHD_get_timeout(daemon_.get(), &milliseconds) == MHD_YES) at_most(1e-3 * static_cast<double>(milliseconds));
  const double now = time_now();
  if (const auto due = streams_.due()) at_most(*due - now);
  if (const auto late = connections_.next_deadline()) at_most(*late - now);
  if (const auto gone = shelf_.next_to_go()) at_most(*gone - now);
  if (const auto room = connections_.next_room(); room && connections_.full() && *room > now) at_most(*room - now);
  return seconds < 0 ? -1 : static_cast<int>(std::ceil(1e3 * seconds));
}

void Server::wait() const {
  const int milliseconds = wait_milliseconds();
  // A full daemon does not look at its listener; we do, as soon as somebody could make room.
  const auto room = connections_.next_room();
  const bool could_make_room = connections_.full() && room && *room <= time_now();
  std::array<pollfd, 3> watched{{{.fd = wake_.get(), .events = POLLIN, .revents = 0},
                                 {.fd = events_, .events = POLLIN, .revents = 0},
                                 {.fd = listener_, .events = POLLIN, .revents = 0}}};
  poll(watched.data(), could_make_room ? 3 : 2, milliseconds);
}

void Server::wait_for_daemon() const {
  MHD_UNSIGNED_LONG_LONG milliseconds = 0;
  const bool at_once = MHD_get_timeout(daemon_.get(), &milliseconds) == MHD_YES && milliseconds == 0;
  pollfd daemon{.fd = events_, .events = POLLIN, .revents = 0};
  poll(&daemon, 1, at_once ? 0 : 10);
}

void Server::rest(double seconds) const {
  pollfd stop{.fd = wake_.get(), .events = POLLIN, .revents = 0};
  poll(&stop, 1, static_cast<int>(std::ceil(1e3 * seconds)));
}

Connection& Server::state_of(MHD_Connection* connection) {
  return *static_cast<Connection*>(MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context);
}

void Server::on_connection(void* server, MHD_Connection* connection, void** state, MHD_ConnectionNotificationCode what) {
  Connections& connections = static_cast<Server*>(server)->connections_;
  if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
    connections.closed(static_cast<Connection*>(*state));
  } else {
    *state = connections.opened(MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd, time_now());
  }
}

}  // namespace tidepool::inline v0::monitor::web
