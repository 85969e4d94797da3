// What the server grants its clients, so that no number of them can hold up or bloat the program that it serves.
#pragma once

#include <cstddef>

namespace tidepool::inline v0::monitor::web {

struct Limits {
  unsigned connections = 64;
  std::size_t streams = 16;                    // connections that listen to events
  std::size_t header_bytes = 16 << 10;         // memory of a connection, of which a request's headers take most
  double request_seconds = 10;                 // for a request to arrive; likewise for a connection that asks for nothing
  double stuck_seconds = 10;                   // that an answer may stand still
  double answer_seconds = 120;                 // for an answer to be taken, however slowly
  double stream_stuck_seconds = 5;             // that a listener may read nothing
  std::size_t stream_waiting_bytes = 1 << 20;  // that wait for one listener, beside the message it is reading
  double period = 0.25;                        // between updates, and for which a document is served again
  std::size_t held_bytes = 8 << 20;            // of documents that clients are still reading, before new ones are made
  double share = 0.04;                         // of one core
  double burst = 0.1;                          // seconds of processor time that may be taken at once
};

}  // namespace tidepool::inline v0::monitor::web
