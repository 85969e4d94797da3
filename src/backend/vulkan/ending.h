// What the end of the process waits for. Drivers are torn down soon after main has returned, and must not be while they compile or
// compute for us.
//
//     class Warming : AtTheEnd { void end() noexcept override { … } };
//     if (!enlist()) return;     // the process is ending
//     give_work();               // before the driver gets some
//     leave();                   // before anything that end() uses goes
#pragma once

namespace tidepool::inline v0 {

class AtTheEnd {
 public:
  AtTheEnd() = default;
  AtTheEnd(const AtTheEnd&) = delete;
  AtTheEnd& operator=(const AtTheEnd&) = delete;

 protected:
  ~AtTheEnd() = default;
  bool enlist();  // when drivers are loaded: what is registered later is called earlier
  static void give_work() noexcept;
  void leave();  // waits where end() is being called

 private:
  struct List;
  struct OfThread;
  static List& list();
  static void end_all(bool over) noexcept;
  virtual void end() noexcept = 0;  // from the thread that ends the process, perhaps twice
};

}  // namespace tidepool::inline v0
