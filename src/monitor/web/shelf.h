// Documents that are being served. One that was just made serves every client that asks for it, so that no number of clients makes
// the program write it more often; and while clients are slow to read old ones, no new ones are made.
//
//     Shelf shelf(run, limits);
//     const Text text = shelf.get(Content::run, time_now());      // nullptr: not now
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "monitor/web/limits.h"
#include "monitor/web/routes.h"
#include "monitor/web/run_source.h"

namespace tidepool::inline v0::monitor::web {

using Text = std::shared_ptr<const std::string>;

class Shelf {
 public:
  Shelf(RunSource& run, const Limits& limits) : run_(run), limits_(limits) {}

  Text get(Content content, double now);
  Text keep(std::string text);  // counted like the documents, until nobody has it any more
  bool has_room() const { return *held_ < limits_.held_bytes; }

  std::optional<double> next_to_go() const;  // when
  void let_go(double now);                   // of what would not be served again

 private:
  struct Entry {
    Text text;
    double until = 0;  // it is served again
  };
  std::string make(Content content);

  RunSource& run_;
  const Limits& limits_;
  std::shared_ptr<std::size_t> held_ = std::make_shared<std::size_t>(0);  // bytes
  std::map<Content, Entry> entries_;
};

}  // namespace tidepool::inline v0::monitor::web
