#include "monitor/web/connections.h"

#include <sys/socket.h>

#include <algorithm>
#include <limits>

namespace tidepool::inline v0::monitor::web {

namespace {

constexpr double time_to_ask = 0.05, time_to_read = 2;  // seconds, when others want the place
constexpr double never = std::numeric_limits<double>::infinity();

std::optional<double> if_ever(double time) { return time < never ? std::optional(time) : std::nullopt; }

}  // namespace

Connection* Connections::opened(int socket, double now) { return &all_.emplace_back(Connection{socket, now}); }

void Connections::closed(const Connection* connection) {
  all_.remove_if([&](const Connection& one) { return &one == connection; });
}

double Connections::deadline(const Connection& connection) const {
  if (connection.doing == Connection::asking) return connection.since + limits_.request_seconds;
  if (connection.doing == Connection::answered) return connection.since + limits_.answer_seconds;
  return never;
}

std::optional<double> Connections::next_deadline() const {
  double first = never;
  for (const Connection& one : all_) first = std::min(first, deadline(one));
  return if_ever(first);
}

// The socket stays the daemon's, which sees that it ended and closes it.
void Connections::cut(Connection& connection, double now) {
  shutdown(connection.socket, SHUT_RDWR);
  set(connection, Connection::cut, now);
}

void Connections::cut_late(double now) {
  for (Connection& one : all_)
    if (deadline(one) <= now) cut(one, now);
}

double Connections::room(const Connection& connection) {
  if (connection.doing == Connection::asking) return connection.since + time_to_ask;
  if (connection.doing == Connection::answered) return connection.since + time_to_read;
  return never;
}

std::optional<double> Connections::next_room() const {
  double first = never;
  for (const Connection& one : all_) first = std::min(first, room(one));
  return if_ever(first);
}

void Connections::make_room(double now) {
  for (Connection& one : all_)
    if (room(one) <= now) cut(one, now);
}

}  // namespace tidepool::inline v0::monitor::web
