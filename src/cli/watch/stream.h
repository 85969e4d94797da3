// What a run's server sends at /events, and the record that it adds up to.
//
//     EventStream stream([&](const std::string& event, const std::string& data) { follow(run, event, run_from_json(data)); });
//     page.read([&](std::string_view piece) { stream.feed(piece); return true; }, 250ms);
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "monitor/record.h"

namespace tidepool::cli {

// Server-sent events, out of pieces that are cut anywhere.
class EventStream {
 public:
  using Take = std::function<void(const std::string& event, const std::string& data)>;
  explicit EventStream(Take take) : take_(std::move(take)) {}
  void feed(std::string_view piece);  // IoError for an event without end

 private:
  void take_line(std::string_view line);

  Take take_;
  std::string line_, event_, data_;
  bool after_return_ = false;  // a line feed that follows belongs to it
};

// A "run" is the whole record; an "update" has what is new, and all else as it is now.
void follow(monitor::RunRecord& run, const std::string& event, monitor::RunRecord message);

}  // namespace tidepool::cli
