// Running: submitting what is recorded, waiting for it, and plans that are recorded once and run often.
//
//     tp::Plan plan = tp::capture([&] { step(); });   // records, runs nothing
//     for (int i = 0; i < 1000; ++i) plan.run();
#pragma once

#include <tidepool/device.h>
#include <tidepool/version.h>

#include <cstdint>
#include <functional>
#include <memory>

namespace tidepool::inline v0 {

// A point in a device's work. A frame loop can poll it.
class TIDEPOOL_API Ticket {
 public:
  Ticket() = default;
  bool ready() const;
  void wait() const;

 private:
  friend TIDEPOOL_API Ticket commit();
  DeviceSlot* slot_ = nullptr;
  std::uint32_t epoch_ = 0;
  std::uint64_t serial_ = 0;
};

TIDEPOOL_API Ticket commit();  // submits what is recorded on the default device
TIDEPOOL_API void sync();      // submits and waits, on every open device

struct PlanState;

class TIDEPOOL_API Plan {
 public:
  Plan() = default;
  explicit Plan(std::shared_ptr<PlanState> state) : state_(std::move(state)) {}
  void run() const;
  std::int64_t launches() const;

 private:
  friend struct PlanAccess;
  std::shared_ptr<PlanState> state_;
};

// Calls the function once on this thread and records its launches without running them. What would need a result
// (`item`, `to_host`, `from_host`, `sync`) throws inside. A plan belongs to one device, the first that the function uses.
TIDEPOOL_API Plan capture(const std::function<void()>& function);

}  // namespace tidepool::inline v0
