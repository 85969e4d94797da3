// The bar on a terminal.
#pragma once

#include <tidepool/train.h>

#include <chrono>
#include <string>

namespace tidepool::inline v0 {

class Progress {
 public:
  explicit Progress(bool wanted);  // nothing unless standard error is a terminal
  bool shown() const { return shown_; }
  bool due();  // a tenth of a second after the last time

  struct Figures {
    StepInfo step;
    std::int64_t epochs = 0;
    double loss = 0, accuracy = 0, samples_per_second = 0, seconds_left = 0;
    std::size_t memory = 0;
  };
  void show(const Figures& figures);
  // In less than so many columns; what is wanted most comes first, and the rest is left out.
  static std::string text(const Figures& figures, int columns);
  void line(const std::string& text);  // one that stays, above the bar
  void clear();

 private:
  bool shown_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point last_{};
};

// "epoch 2/3  loss 0.3120  accuracy 0.8870  test loss 0.3351  test accuracy 0.8792  21.3 s"
std::string epoch_line(const EpochResult& epoch, std::int64_t epochs, bool tested);

}  // namespace tidepool::inline v0
