// What a Trainer tells the monitor. While nobody watches, a step costs it a load and a branch.
//
//     TrainingWatch watch;
//     watch.begin({.task = "xor", .epochs = 500, …});
//     watch.step(seconds, loader_seconds, rows);          // every step
//     if (watch.due()) watch.progress(loss, accuracy);    // ten times a second; reading the loss may wait for the device
//     watch.end();
#pragma once

#include "monitor/record.h"

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

namespace tidepool::inline v0::monitor {

extern std::atomic<bool> watching;  // whether the monitor is on

class TrainingWatch {
 public:
  static bool watched() { return watching.load(std::memory_order_relaxed); }

  void begin(const RunTraining& training);
  void step(double seconds, double loader_seconds, std::int64_t rows) {
    if (watched()) [[unlikely]]
      add(seconds, loader_seconds, rows);
  }
  bool due() const { return watched() && since_ >= every_; }
  void at(std::int64_t epoch, std::int64_t step);  // epochs and steps done
  // Of the epoch so far: sums over its samples. What is new since the last time is shown. `seconds`: what it took to find out.
  static double waited(const std::string& device);  // seconds that anybody has waited for it so far
  void progress(double loss_sum, double correct_sum, std::int64_t samples, bool has_accuracy, double seconds);
  void epoch(const RunEpoch& epoch);  // of those that take less than a millisecond not every one is kept, but the last
  void said(const std::string& message);
  void batch(std::int64_t batch, std::int64_t batches);  // from here on
  void end(bool complete = true);                        // of all that it was to do

 private:
  void keep(const RunEpoch& epoch);
  void add(double seconds, double loader_seconds, std::int64_t rows);
  void tell_steps();

  double since_ = 0, every_ = 0.1;  // seconds since the last progress; between them
  double stretch_ = 0;              // seconds, and steps, that go into the next figure
  std::int64_t stretch_steps_ = 0;
  double loss_before_ = 0, correct_before_ = 0;  // of this epoch, at the last progress
  std::optional<RunEpoch> left_out_;
  double since_epoch_ = 1;  // seconds since one was kept
  std::int64_t samples_before_ = 0, epoch_ = 0, epoch_before_ = 0;
};

}  // namespace tidepool::inline v0::monitor
