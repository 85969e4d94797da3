// Convolutions by oneDNN. Images, weights and results lie as everywhere here, [n, c, h, w] and [o, c / groups, kh, kw]; the
// library's kernels want blocks of channels, so there are copies on the way in and out, in memory that all of them share. Images
// inside plans may lie in blocks already.
//
//     if (call.onednn && onednn_forward(*call.onednn, sizes, {.x = x, .w = w, .b = b, .y = y})) return;
#pragma once

#include "backend/cpu/onednn.h"

#include <cstdint>

namespace tidepool::inline v0 {

struct OneDnnConv {
  std::int32_t n, c, h, w, o, oh, ow, kh, kw, stride, padding, dilation, groups;
  std::int32_t block = 0;  // of channels, in the images that lie so: 8 or 16
  bool blocked_x = false, blocked_y = false;
};

// What a product reads and what it writes: forward y, of x, w and b; input dx, which stands at x, of dy, at y, and w;
// weights dw and db, at w and b, of dy and x. The bias may be null.
struct OneDnnConvData {
  float *x, *w, *b, *y;
};

// False: not there, or not for these sizes, and nothing was done.
bool onednn_forward(OneDnn& onednn, const OneDnnConv& conv, const OneDnnConvData& data);
bool onednn_input(OneDnn& onednn, const OneDnnConv& conv, const OneDnnConvData& data);
bool onednn_weights(OneDnn& onednn, const OneDnnConv& conv, const OneDnnConvData& data);

}  // namespace tidepool::inline v0
