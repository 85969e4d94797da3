// Whether something is going on that was told already: told once, and again only after it had gone back to normal.
//
//     if (out_of_bounds ? alarm.raise() : alarm.settle(inside)) report();
#pragma once

namespace tidepool::inline v0::monitor {

class Alarm {
 public:
  explicit Alarm(int calm) : calm_(calm) {}

  bool on() const { return on_; }
  bool raise() {  // whether it is news
    quiet_ = 0;
    const bool news = !on_;
    on_ = true;
    return news;
  }
  bool settle(bool quiet) {  // never news; after so many quiet samples in a row it is over
    quiet_ = quiet ? quiet_ + 1 : 0;
    if (quiet_ >= calm_) on_ = false;
    return false;
  }
  void reset() { *this = Alarm(calm_); }

 private:
  int calm_;
  int quiet_ = 0;
  bool on_ = false;
};

}  // namespace tidepool::inline v0::monitor
