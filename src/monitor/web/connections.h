// The connections that are open, and how long each has been at what it does. One that takes too long is cut off; when all places
// are taken, those that have asked for nothing make room.
#pragma once

#include <list>
#include <optional>

#include "monitor/web/limits.h"

namespace tidepool::inline v0::monitor::web {

struct Connection {
  int socket = -1;
  double since = 0;  // that it does what it does
  enum Doing { asking, answered, listening, cut } doing = asking;
};

class Connections {
 public:
  explicit Connections(const Limits& limits) : limits_(limits) {}

  Connection* opened(int socket, double now);
  void closed(const Connection* connection);
  static void set(Connection& connection, Connection::Doing doing, double now) {
    connection.doing = doing;
    connection.since = now;
  }

  bool full() const { return all_.size() >= limits_.connections; }
  std::optional<double> next_deadline() const;  // when there may be something to cut
  void cut_late(double now);

  // One may be cut for another client as soon as it has had time to send a request that it was about to send, or to read an answer
  // that it was about to read.
  std::optional<double> next_room() const;  // when; nothing while all are listening
  void make_room(double now);

 private:
  void cut(Connection& connection, double now);
  double deadline(const Connection& connection) const;
  static double room(const Connection& connection);

  const Limits& limits_;
  std::list<Connection> all_;
};

}  // namespace tidepool::inline v0::monitor::web
