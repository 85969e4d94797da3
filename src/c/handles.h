// What a caller in C holds: a name that looks like a pointer. It says which place of a table, and the how-manieth use of that place, so
// that one which was freed, or never was a handle, is told without touching memory that is not ours; and freeing it on one thread while
// another uses it is no harm (a finalizer of another language does that).
//
//     tp_tensor* h = tensors().add(t);
//     tensors().find("tp_relu", "a", h);     // t, or an error that says what `h` is instead
//     tensors().free("tp_tensor_free", h);   // and the handle is over
#pragma once

#include <tidepool/c.h>
#include <tidepool/run.h>
#include <tidepool/tensor.h>

#include "platform/mutex.h"

#include <cstdint>
#include <deque>
#include <mutex>
#include <utility>

namespace tidepool::inline v0::c {

// Odd, so that no address of an object looks like a handle.
enum class HandleKind : std::uint8_t { tensor = 1, plan = 3, device = 5, ticket = 7 };

struct HandleBits {
  HandleKind kind{};
  std::uint32_t place = 0, use = 0;
};
std::uintptr_t pack(const HandleBits& bits);
HandleBits unpack(std::uintptr_t handle);
// Throws what is the matter with a handle that `find` does not have. `uses` is how often its place was used, the present use included.
[[noreturn]] void refuse_handle(const char* function, const char* name, std::uintptr_t handle, HandleKind wanted, std::uint32_t uses);

template <class Handle, class T, HandleKind kind>
class Handles {
 public:
  Handle* add(T value) {
    const std::scoped_lock lock(mutex_);
    if (idle_ == none) {
      if (places_.size() == most) throw_full();
      places_.push_back({.next = none});
      idle_ = static_cast<std::uint32_t>(places_.size() - 1);
    }
    const std::uint32_t at = idle_;
    Place& place = places_[at];
    idle_ = std::exchange(place.next, taken);
    ++place.use;
    place.value = std::move(value);
    return reinterpret_cast<Handle*>(pack({.kind = kind, .place = at, .use = place.use}));
  }

  bool has(const Handle* handle) {
    const std::scoped_lock lock(mutex_);
    return place_of(handle) != nullptr;
  }

  T find(const char* function, const char* name, const Handle* handle) {
    const std::scoped_lock lock(mutex_);
    if (const Place* place = place_of(handle)) [[likely]]
      return place->value;
    refuse(function, name, handle);
  }

  // Ends the handle; false when it was none.
  bool drop(const Handle* handle) {
    T last{};  // is destroyed after the lock
    const std::scoped_lock lock(mutex_);
    Place* const place = place_of(handle);
    if (!place) return false;
    place->next = std::exchange(idle_, unpack(number(handle)).place);
    std::swap(last, place->value);
    return true;
  }
  void free(const char* function, const Handle* handle) {
    if (drop(handle)) return;
    const std::scoped_lock lock(mutex_);
    refuse(function, "the handle", handle);
  }

 private:
  static constexpr std::uint32_t none = ~0U, taken = ~1U, most = 1U << 28;
  struct Place {
    T value{};
    std::uint32_t use = 0;
    std::uint32_t next = taken;  // of those that are idle
  };

  static std::uintptr_t number(const Handle* handle) { return reinterpret_cast<std::uintptr_t>(handle); }
  Place* place_of(const Handle* handle) {
    const HandleBits bits = unpack(number(handle));
    if (bits.kind != kind || bits.place >= places_.size()) return nullptr;
    Place& place = places_[bits.place];
    return place.next == taken && place.use == bits.use ? &place : nullptr;
  }
  [[noreturn]] void refuse(const char* function, const char* name, const Handle* handle) const {
    const HandleBits bits = unpack(number(handle));
    refuse_handle(function, name, number(handle), kind, bits.place < places_.size() ? places_[bits.place].use : 0);
  }
  [[noreturn]] static void throw_full();

  Mutex mutex_;
  std::deque<Place> places_;
  std::uint32_t idle_ = none;
};

// Never destroyed: handles may be freed after main.
using TensorHandles = Handles<tp_tensor, Tensor, HandleKind::tensor>;
using PlanHandles = Handles<tp_plan, Plan, HandleKind::plan>;
using DeviceHandles = Handles<tp_device, Device, HandleKind::device>;
using TicketHandles = Handles<tp_ticket, Ticket, HandleKind::ticket>;
TensorHandles& tensors();
PlanHandles& plans();
DeviceHandles& device_handles();
TicketHandles& tickets();

}  // namespace tidepool::inline v0::c
