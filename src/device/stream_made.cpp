// Kernels that are made at run time, on a stream.
#include <tidepool/error.h>

#include "device/stream.h"

#include <cassert>
#include <cstring>

namespace tidepool::inline v0 {

void Stream::launch_made(const KernelDef& kernel, std::span<const Operand> operands, std::span<const std::byte> params,
                         const Extent& extent) {
  const std::size_t sent = (params.size() + 3) & ~std::size_t{3};  // whole words
  assert(operands.size() <= max_bindings && sent <= max_param_bytes);
  launch_operands(kernel, operands, extent, sent, [&](std::byte* at) {
    std::memset(at + params.size(), 0, sent - params.size());
    if (!params.empty()) std::memcpy(at, params.data(), params.size());
  });
}

// Its id may become another kernel's. What timed launches say of it is told before it is gone.
void Stream::forget(const KernelDef& kernel) {
  if (state_ != State::alive || kernel.id >= loaded_.size() || !loaded_[kernel.id]) return;
  loaded_[kernel.id] = false;
  try {
    finish_all();
    report_times();
    backend_->take_times(times_);
    times_.clear();
    backend_->unload(kernel);
  } catch (const DeviceLost&) {  // then all that it had is gone
  }
}

}  // namespace tidepool::inline v0
