// A batch that is worked on in parts draws the numbers that it would draw as a whole.
//
//     BatchWindow window;
//     for (each part) {
//       window.at(begin, end);                 // samples of the batch
//       loss(net(part)).backward();            // dropout masks are those of these samples
//     }
//     window.finish(device);                   // the next batch draws others
#pragma once

#include <tidepool/device.h>

#include <cstdint>

namespace tidepool::inline v0 {

class BatchWindow {
 public:
  BatchWindow();
  ~BatchWindow();
  BatchWindow(const BatchWindow&) = delete;
  BatchWindow& operator=(const BatchWindow&) = delete;

  void at(std::int64_t begin, std::int64_t end);
  void finish(const Device& device);

  // For draws: this thread's window, if any.
  static BatchWindow* current() { return current_; }
  std::uint32_t next_draw() { return draws_++; }
  std::uint32_t first_element(std::int64_t count) const;  // of a draw of so many, which belong to the part

 private:
  static constinit thread_local BatchWindow* current_;
  BatchWindow* before_;
  std::int64_t begin_ = 0, end_ = 1;
  std::uint32_t draws_ = 0, most_draws_ = 0;
};

}  // namespace tidepool::inline v0
