// One of the products whose rows are channels of the result: forward, or the gradient of the input.
#pragma once

#include <tidepool/ops.h>

#include "ops/conv/conv.h"

#include <cstddef>

namespace tidepool::inline v0 {

constexpr std::size_t weight_rows = 6;  // of a block of packed weights

// out[image, group, row, window] = bias + the sum over taps and channels of weights * in[image, group, channel, place]
struct ConvProduct {
  const float *in, *weights, *bias;
  float *out, *packed;
  std::size_t images, groups, rows, channels;  // the last two of each group
  std::size_t in_h, in_w, out_h, out_w, kh, kw;
  std::int32_t stride, padding, dilation;
  bool forward;  // windows of `out` look at `in`; or the other way round
  Activation activation;

  ConvProduct(const CpuCall& call, bool forward, bool with_bias)
      : in(call.buffer<const float>(0)),
        weights(call.buffer<const float>(1)),
        bias(with_bias ? call.buffer<const float>(4) : nullptr),
        out(call.buffer<float>(2)),
        packed(call.buffer<float>(3)),
        forward(forward) {
    const auto& p = call.params<ConvParams>();
    images = p.n;
    groups = p.groups;
    rows = (forward ? p.o : p.c) / p.groups;
    channels = (forward ? p.c : p.o) / p.groups;
    in_h = forward ? p.h : p.oh;
    in_w = forward ? p.w : p.ow;
    out_h = forward ? p.oh : p.h;
    out_w = forward ? p.ow : p.w;
    kh = p.kh;
    kw = p.kw;
    stride = static_cast<std::int32_t>(p.stride);
    padding = static_cast<std::int32_t>(p.padding);
    dilation = static_cast<std::int32_t>(p.dilation);
    activation = forward ? static_cast<Activation>(p.activation) : Activation::none;
  }

  std::size_t taps() const { return kh * kw; }
  std::size_t depth() const { return taps() * channels; }
  std::size_t in_plane() const { return in_h * in_w; }
  std::size_t out_plane() const { return out_h * out_w; }
  std::size_t blocks() const { return (rows + weight_rows - 1) / weight_rows; }
  std::size_t first_row(std::size_t block) const { return rows * block / blocks(); }  // they are as even as can be
  // [depth][weight_rows]: the weights of the block's rows.
  float* packed_block(std::size_t group, std::size_t block) const { return packed + (group * blocks() + block) * depth() * weight_rows; }
};

// Writes the weights as the product reads them.
void pack_weights(const CpuCall& call, const ConvProduct& c);

}  // namespace tidepool::inline v0
