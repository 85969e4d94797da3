// The live page of the monitor: charts, memory, kernels, anomalies and advice in a browser, while the program works.
//
//     tp::monitor::Dashboard dash({.host = "127.0.0.1", .port = 0});     // port 0: one that is free
//     std::puts(dash.url().c_str());                                     // http://127.0.0.1:40123/
//
// It serves this machine only, unless it is given another address and a token that every request has to show. It takes at most
// about a twentieth of one core, whatever its clients do. Link tidepool::web.
#pragma once

#include <tidepool/version.h>

#include <cstdint>
#include <memory>
#include <string>

namespace tidepool::inline v0::monitor {

struct DashboardOptions {
  std::string host = "127.0.0.1";  // an address of this machine; "0.0.0.0" or "::" for all of them
  std::int64_t port = 0;           // 0: one that is free
  std::string token = "";          // at least 16 letters, digits, or any of -._~; needed where others than this machine can connect
};

namespace web {
class Server;
struct RunSource;
}  // namespace web

// Enables the monitor if nobody has, and serves until it is destroyed. Throws ArgumentError for an address, port or token that cannot
// be used, IoError for a port that is taken.
class TIDEPOOL_API Dashboard {
 public:
  explicit Dashboard(const DashboardOptions& options);
  Dashboard();
  ~Dashboard();
  Dashboard(const Dashboard&) = delete;
  Dashboard& operator=(const Dashboard&) = delete;

  std::string url() const;     // to open in a browser, with the token; of this machine where all its addresses are served
  double cpu_seconds() const;  // that serving took so far

 private:
  std::unique_ptr<web::RunSource> run_;
  std::unique_ptr<web::Server> server_;
};

}  // namespace tidepool::inline v0::monitor
