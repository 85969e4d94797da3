// Faults on demand, for programs that want to know what they do when a device fails. On every device, at the one place through
// which all work goes.
//
//     tp::faults::set("device_lost@submit:37");           // the 37th submission from now on loses its device
//     tp::faults::set("slow@launch:every:10");            // every tenth launch takes 10 ms longer
//     TIDEPOOL_FAULT="out_of_memory@allocate:5,hang@wait:9"    the same from outside; several, with commas
//
// A fault is what happens, where, and when: FAULT@POINT:N at the Nth time, FAULT@POINT:every:N at every Nth.
//     device_lost         at launch, submit, wait, allocate, upload or download
//     hang                at wait: the device does not answer, until the wait's limit is over and it counts as lost
//     slow                at launch, submit, wait, upload or download: 10 ms
//     out_of_memory       at allocate: the device has none left
//     host_out_of_memory  at alloc: the host has none left for a tensor, a plan or a result
//     VK_ERROR_… or another result of Vulkan, at the name of one of its functions: VK_ERROR_DEVICE_LOST@vkQueueSubmit:2
#pragma once

#include <tidepool/version.h>

#include <cstdint>
#include <string_view>

namespace tidepool::inline v0::faults {

// Replaces all faults and counts points from now on; empty clears them. Throws ArgumentError for text that it cannot read, which
// changes nothing.
TIDEPOOL_API void set(std::string_view text);
// Counts points without any fault: a run that is counted says how many places there are for one.
TIDEPOOL_API void count();
// How often a point ("submit", "vkQueueSubmit") was reached since `set` or `count`.
TIDEPOOL_API std::int64_t reached(std::string_view point);
// How many faults have happened since.
TIDEPOOL_API std::int64_t happened();

}  // namespace tidepool::inline v0::faults
