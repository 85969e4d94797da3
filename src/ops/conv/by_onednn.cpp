#include "ops/conv/by_onednn.h"

#include "backend/cpu/onednn_conv.h"
#include "ops/conv/conv.h"

#include <cstddef>

namespace tidepool::inline v0 {

namespace {

constexpr double least = 3e6;  // products; below it the copies cost more than they bring

bool worth(const ConvParams& p) {
  double products = 1;
  for (const std::uint32_t factor : {p.n, p.o, p.oh, p.ow, p.c / p.groups, p.kh, p.kw}) products *= factor;
  return products >= least;
}

bool worth(const CpuCall& call) { return call.onednn && worth(call.params<ConvParams>()); }

// x and y are these bindings.
OneDnnConv sizes(const CpuCall& call, std::size_t x, std::size_t y) {
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
          .groups = size(p.groups),
          .block = size(p.blocks.size),
          .blocked_x = p.blocks.has(x),
          .blocked_y = p.blocks.has(y)};
}

float* buffer(const CpuCall& call, std::size_t i) { return call.buffer<float>(i); }

ImageShape shape_of(const std::byte* params, bool of_x) {
  const auto& p = *reinterpret_cast<const ConvParams*>(params);
  if (p.groups != 1 || !worth(p)) return {};
  return of_x ? ImageShape{p.c, p.h * p.w} : ImageShape{p.o, p.oh * p.ow};
}
template <std::size_t x, std::size_t y>
ImageShape shape_at(const std::byte* params, std::size_t binding) {
  return binding == x || binding == y ? shape_of(params, binding == x) : ImageShape{};
}
template <std::size_t x, std::size_t y>
constexpr BlockedImages images{.gains = true, .shape = shape_at<x, y>, .at = offsetof(ConvParams, blocks)};

}  // namespace

const BlockedImages forward_images = images<0, 2>, input_images = images<2, 0>, weights_images = images<1, 0>;

bool forward_by_onednn(const CpuCall& call, bool bias) {
  return worth(call) &&
         onednn_forward(*call.onednn, sizes(call, 0, 2),
                        {.x = buffer(call, 0), .w = buffer(call, 1), .b = bias ? buffer(call, 4) : nullptr, .y = buffer(call, 2)});
}

bool input_by_onednn(const CpuCall& call) {
  return worth(call) &&
         onednn_input(*call.onednn, sizes(call, 2, 0), {.x = buffer(call, 2), .w = buffer(call, 1), .b = nullptr, .y = buffer(call, 0)});
}

bool weights_by_onednn(const CpuCall& call, bool bias) {
  return worth(call) &&
         onednn_weights(*call.onednn, sizes(call, 1, 0),
                        {.x = buffer(call, 1), .w = buffer(call, 2), .b = bias ? buffer(call, 4) : nullptr, .y = buffer(call, 0)});
}

}  // namespace tidepool::inline v0
