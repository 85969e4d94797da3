// The server of the live page: one thread, which sleeps while nobody asks for anything.
//
//     Server server({.host = "127.0.0.1"}, *this_process());
//     server.url();
#pragma once

#include <tidepool/dashboard.h>

#include <microhttpd.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "monitor/web/address.h"
#include "monitor/web/budget.h"
#include "monitor/web/connections.h"
#include "monitor/web/guard.h"
#include "monitor/web/limits.h"
#include "monitor/web/page.h"
#include "monitor/web/response.h"
#include "monitor/web/run_source.h"
#include "monitor/web/shelf.h"
#include "monitor/web/stream.h"

namespace tidepool::inline v0::monitor::web {

class Server {
 public:
  // The source has to outlive the server.
  Server(const DashboardOptions& options, RunSource& run, const Limits& limits);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::string url() const { return url_of(address_, served_.token); }
  double cpu_seconds() const { return cpu_seconds_; }

 private:
  struct Stop {
    void operator()(MHD_Daemon* daemon) const { MHD_stop_daemon(daemon); }
  };
  static MHD_Result on_request(void* server, MHD_Connection* connection, const char* path, const char* method, const char* version,
                               const char* body, std::size_t* bytes, void** state);
  static void on_connection(void* server, MHD_Connection* connection, void** state, MHD_ConnectionNotificationCode what);

  static Connection& state_of(MHD_Connection* connection);

  void start(Descriptor listener);
  void serve();
  void run_daemon();
  void wait() const;
  int wait_milliseconds() const;
  void wait_for_daemon() const;
  void rest(double seconds) const;
  void look_after();
  void tell_listeners(double now);

  MHD_Result answer(MHD_Connection* connection, std::string_view path, std::string_view method);
  MHD_Result answer_with_page(MHD_Connection* connection, const Route& route, const Text& data) const;
  MHD_Result answer_with_events(MHD_Connection* connection, Connection& state, const Route& route, bool only_headers);

  const Limits limits_;
  Address address_;
  Served served_;
  Page page_;
  Shelf shelf_;
  Streams streams_;
  Connections connections_;
  Budget budget_;
  Descriptor wake_;
  std::unique_ptr<MHD_Daemon, Stop> daemon_;
  int listener_ = -1, events_ = -1;  // the daemon's
  std::atomic<double> cpu_seconds_{0};
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace tidepool::inline v0::monitor::web
