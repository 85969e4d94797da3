// Faults on demand (tidepool/faults.h), as the waist asks for them.
#pragma once

#include <tidepool/faults.h>

#include <atomic>

namespace tidepool::inline v0 {

enum class FaultPoint { launch, submit, wait, allocate, upload, download, alloc };
enum class Fault { none, device_lost, hang, slow, out_of_memory, host_out_of_memory };

extern std::atomic<bool> any_faults;  // or points are counted
void faults_from_outside();           // TIDEPOOL_FAULT, which is read once
Fault next_fault(FaultPoint point);
int next_vulkan_fault(const char* function);
[[noreturn]] void host_out_of_memory(const char* operation);

// What should happen at this point, now that it is reached once more. What is merely slow has been so.
inline Fault fault_at(FaultPoint point) { return any_faults.load(std::memory_order_relaxed) ? next_fault(point) : Fault::none; }
// The result that this call of Vulkan is to give instead of being made, or 0.
inline int vulkan_fault_at(const char* function) { return any_faults.load(std::memory_order_relaxed) ? next_vulkan_fault(function) : 0; }
// Where the host takes memory for something that a user asked for.
inline void host_memory_point(const char* operation) {
  if (fault_at(FaultPoint::alloc) != Fault::none) [[unlikely]]
    host_out_of_memory(operation);
}

}  // namespace tidepool::inline v0
