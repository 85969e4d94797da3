// Faults on demand, at the waist, so that what happens when a device fails is an ordinary test on every backend.
//
//     set_faults("device_lost@submit:3");           // the third submission from now on loses its device
//     TIDEPOOL_FAULT="out_of_memory@allocate:5"      the same from outside
#pragma once

#include <atomic>
#include <string_view>

namespace tidepool::inline v0 {

enum class FaultPoint { launch, submit, wait, allocate };
enum class Fault { none, device_lost, out_of_memory };

// Replaces all faults; empty clears them. Throws ArgumentError for text that it cannot read.
void set_faults(std::string_view text);

extern std::atomic<bool> any_faults;
Fault next_fault(FaultPoint point);

// What should happen at this point, now that it is reached once more.
inline Fault fault_at(FaultPoint point) { return any_faults.load(std::memory_order_relaxed) ? next_fault(point) : Fault::none; }

}  // namespace tidepool::inline v0
