// Values on a device (an index, a label) are checked where they are used. A kernel that finds a wrong one complains, does
// something harmless instead, and the next item, to_host or sync throws ArgumentError naming the operation.
//
//     stream.launch(gather_kernel, {read(x), read(index), write(out), stream.complaints()}, params, extent);
//     complain(call.buffer<Complaint>(3), p.code, index, p.rows);       // in the kernel; p.code = complaint_code("gather")
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

namespace tidepool::inline v0 {

struct Complaint {  // the first one; the same in common.glsl
  std::uint32_t code;
  std::int32_t value;
  std::int32_t limit;  // wanted: 0 or more and less than this
};

inline void complain(Complaint* first, std::uint32_t code, std::int32_t value, std::int32_t limit) {
  std::uint32_t none = 0;
  if (!std::atomic_ref(first->code).compare_exchange_strong(none, code)) return;
  first->value = value;
  first->limit = limit;
}

std::uint32_t complaint_code(std::string_view operation);  // for operations in complaints.cpp's list
[[noreturn]] void throw_complaint(const Complaint& complaint);

}  // namespace tidepool::inline v0
