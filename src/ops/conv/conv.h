// The conv family: convolutions of images [n, c, h, w] with weights [o, c / groups, kh, kw], and the columns that their
// windows make.
//
// There are three products: forward (x, w -> y), the gradient of the input (dy, w -> dx) and that of the weights
// (dy, x -> dw). A transposed convolution is the same three in other roles: its forward is the gradient of the input.
#pragma once

#include "core/op.h"

namespace tidepool::inline v0 {

struct ConvParams {
  Shifts shifts;
  std::uint32_t n, c, h, w;                 // x
  std::uint32_t o, oh, ow;                  // y
  std::uint32_t kh, kw;                     // the window
  std::uint32_t stride, padding, dilation;  // the same along both axes
  std::uint32_t groups;
  std::uint32_t activation;                              // of y
  std::uint32_t with_bias = 0, parts = 1, per_part = 0;  // for shaders; set by the launch
  ChannelBlocks blocks = {};                             // by plans on the CPU
};
static_assert(Params<ConvParams>);

// Columns [n, c * kh * kw, oh * ow]: row (c, ky, kx) holds what each window has at (ky, kx), zeros in the padding.
void im2col_cpu(const CpuCall& call);  // x -> columns
void col2im_cpu(const CpuCall& call);  // columns -> x, summed where windows overlap

// The last binding of the first three is scratch memory; those with a bias have it after that.
void conv2d_cpu(const CpuCall& call);               // x, w -> y
void conv2d_bias_cpu(const CpuCall& call);          // and b
void conv2d_input_cpu(const CpuCall& call);         // dy, w -> dx
void conv2d_input_bias_cpu(const CpuCall& call);    // and b, for each channel of dx
void conv2d_weights_cpu(const CpuCall& call);       // dy, x -> dw
void conv2d_weights_bias_cpu(const CpuCall& call);  // and db
void conv2d_bias_grad_cpu(const CpuCall& call);     // dy -> db, with n, o, oh and ow

// What they need as scratch memory.
std::size_t conv2d_scratch(const ConvParams& p);
std::size_t conv2d_input_scratch(const ConvParams& p);
std::size_t conv2d_weights_scratch(const ConvParams& p);

void register_conv(Operations& all);

}  // namespace tidepool::inline v0
