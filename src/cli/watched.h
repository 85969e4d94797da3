// A run that somebody watches: on the live page, or afterwards in a file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace tidepool::cli {

struct WatchedOptions {
  std::int64_t port = -1;   // of the page; 0: one that is free; -1: there is none
  std::string record = "";  // a file for `tidepool report`
  bool json = false;
};

// While it lives the monitor is on. The page's address goes to standard error; the record is written at the end, however that comes:
//
//     Watched watched({.record = "run.jsonl"});
//     train();
//     watched.finish();  // a record that cannot be written is an error; after an exception, only a line on standard error
class Watched {
 public:
  explicit Watched(const WatchedOptions& options);
  ~Watched();
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

  void finish();  // writes the record; throws IoError
  // At a terminal the page stays there until Ctrl-C.
  void stay() const;

 private:
  struct Page;
  WatchedOptions options_;
  std::unique_ptr<Page> page_;
};

}  // namespace tidepool::cli
