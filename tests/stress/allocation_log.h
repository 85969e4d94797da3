// What a program asked of a pool and gave back, in order: recorded from a run, kept as text, replayed on a pool of the null
// backend.
//
//     +4096 +64 -0 . +4096        takes of 4,096 and 64 bytes, the first comes back, a submission, another take
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "memory/block_pool.h"
#include "monitor/event.h"

namespace tidepool::stress {

// While it lives, every block that this device's pool lends or takes back is written down.
class LogRecorder final : public EventSink {
 public:
  explicit LogRecorder(std::string device) : device_(std::move(device)) { event_sink = this; }
  ~LogRecorder() { event_sink = nullptr; }
  void on(const Event& event) noexcept override;
  const std::string& text() const { return text_; }

 private:
  void add(const std::string& word);

  std::string device_, text_;
  std::map<const void*, std::size_t> number_;
  std::size_t taken_ = 0, column_ = 0;
};

// The pool's figures after the log was replayed within a limit (0: none); throws OutOfMemory when that is too small for it.
PoolStats replay(const std::string& log, std::size_t limit = 0);
// The most that was lent at once, each block rounded up to the alignment, as a device wants it.
std::size_t most_lent(const std::string& log, std::size_t alignment);

}  // namespace tidepool::stress
