// Options as C has them, as C++ has them; NULL gives the defaults.
#pragma once

#include <tidepool/c.h>
#include <tidepool/ops.h>

#include "c/call.h"

namespace tidepool::inline v0::c {

inline PoolOptions pool_options(const tp_pool_options* from) {
  if (!from) return {};
  return {.kernel = from->kernel, .stride = from->stride, .padding = from->padding};
}

inline Im2colOptions im2col_options(const tp_im2col_options* from) {
  if (!from) return {};
  return {.kernel = from->kernel, .stride = from->stride, .padding = from->padding, .dilation = from->dilation};
}

inline Conv2dOptions conv2d_options(const Call& call, const tp_conv2d_options* from) {
  if (!from) return {};
  return {.stride = from->stride,
          .padding = from->padding,
          .dilation = from->dilation,
          .groups = from->groups,
          .activation = call.activation(from->activation)};
}

}  // namespace tidepool::inline v0::c
