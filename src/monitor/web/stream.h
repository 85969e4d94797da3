// Server-sent events: every listener gets the whole run, then what is new, about four times a second. Each message is written once for
// all listeners, and none while nobody listens. A listener that does not keep up is dropped; it may come again.
//
//     Streams streams(run, shelf, limits);
//     streams.open(connection, socket)          // in the handler of requests: the answer to queue
//     if (streams.due() <= now) streams.tell(now);
#pragma once

#include <microhttpd.h>

#include <cstdint>
#include <deque>
#include <limits>
#include <list>
#include <optional>
#include <string>
#include <string_view>

#include "monitor/web/limits.h"
#include "monitor/web/response.h"
#include "monitor/web/run_source.h"
#include "monitor/web/shelf.h"

namespace tidepool::inline v0::monitor::web {

// What of a run's lists has been told. Each has its own time, since one may lag behind another.
class Told {
 public:
  bool is_another(const RunRecord& run) const;  // the monitor was enabled anew, and times start again
  void remember(const RunRecord& run);
  void leave_new(RunRecord& run) const;  // takes out what has been told

 private:
  static constexpr double nothing = -std::numeric_limits<double>::infinity();
  std::string started_;
  double time_ = nothing, samples_ = nothing, epochs_ = nothing, events_ = nothing, anomalies_ = nothing;
};

std::string event_text(std::string_view kind, std::string_view json);

class Streams {
 public:
  Streams(RunSource& run, Shelf& shelf, const Limits& limits) : run_(run), shelf_(shelf), limits_(limits) {}

  bool any() const { return !all_.empty(); }
  bool full() const { return all_.size() >= limits_.streams; }
  Response open(MHD_Connection* connection, int socket);
  std::optional<double> due() const;  // the next time to tell; nothing while nobody listens
  void tell(double now);
  void cut_all();
  void end_all();  // with what they have been told; as soon as the daemon runs

 private:
  struct Stream {
    Streams* owner;
    MHD_Connection* connection;
    int socket;
    std::deque<Text> messages{};  // the first of them is being read
    std::size_t sent = 0;         // bytes of the first
    std::size_t waiting = 0;      // bytes of all others
    double moved = 0;             // when it last read
    bool fresh = true;            // it has not been told the run
    bool suspended = false, cut = false;
  };
  static ssize_t read(void* stream, std::uint64_t position, char* into, std::size_t most);
  static void closed(void* stream);

  void tell_run(const RunRecord& run, double now);
  void tell_news(RunRecord run, bool with_pool, double now);
  void give(Stream& stream, const Text& text, double now);
  void drop_slow(double now);
  static void cut(Stream& stream);
  static void wake(Stream& stream);

  RunSource& run_;
  Shelf& shelf_;
  const Limits& limits_;
  std::list<Stream> all_;
  Told told_;
  double last_ = -std::numeric_limits<double>::infinity();
  std::uint64_t count_ = 0;  // of updates
  bool ending_ = false;
};

}  // namespace tidepool::inline v0::monitor::web
