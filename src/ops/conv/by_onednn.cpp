#include "ops/conv/by_onednn.h"

#include "backend/cpu/onednn_conv.h"
#include "ops/conv/conv.h"

namespace tidepool::inline v0 {

namespace {

constexpr double least = 4e6;  // products; below it the copies cost more than they bring

bool worth(const CpuCall& call) {
  if (!call.onednn) return false;
  const auto& p = call.params<ConvParams>();
  double products = 1;
  for (const std::uint32_t factor : {p.n, p.o, p.oh, p.ow, p.c / p.groups, p.kh, p.kw}) products *= factor;
  return products >= least;
}

OneDnnConv sizes(const CpuCall& call) {
  const auto& p = call.params<ConvParams>();
  const auto size = [](std::uint32_t count) { return static_cast<std::int32_t>(count); };
  return {.n = size(p.n),
          .c = size(p.c),
          .h = size(p.h),
          .w = size(p.w),
          .o = size(p.o),
          .oh = size(p.oh),
          .ow = size(p.ow),
          .kh = size(p.kh),
          .kw = size(p.kw),
          .stride = size(p.stride),
          .padding = size(p.padding),
          .dilation = size(p.dilation),
          .groups = size(p.groups)};
}

float* buffer(const CpuCall& call, std::size_t i) { return call.buffer<float>(i); }

}  // namespace

bool forward_by_onednn(const CpuCall& call, bool bias) {
  return worth(call) &&
         onednn_forward(*call.onednn, sizes(call),
                        {.x = buffer(call, 0), .w = buffer(call, 1), .b = bias ? buffer(call, 4) : nullptr, .y = buffer(call, 2)});
}

bool input_by_onednn(const CpuCall& call) {
  return worth(call) &&
         onednn_input(*call.onednn, sizes(call), {.x = buffer(call, 2), .w = buffer(call, 1), .b = nullptr, .y = buffer(call, 0)});
}

bool weights_by_onednn(const CpuCall& call, bool bias) {
  return worth(call) &&
         onednn_weights(*call.onednn, sizes(call),
                        {.x = buffer(call, 1), .w = buffer(call, 2), .b = bias ? buffer(call, 4) : nullptr, .y = buffer(call, 0)});
}

}  // namespace tidepool::inline v0
