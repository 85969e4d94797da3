// One row of columns: what windows have at one place (ky, kx).
#pragma once

#include "ops/conv/conv.h"

#include <algorithm>
#include <cstddef>

namespace tidepool::inline v0 {

// Which windows along an axis have the place `k` inside the image, and where the first would have it.
struct Inside {
  std::ptrdiff_t begin, end;  // windows
  std::ptrdiff_t at_zero;     // the place of window 0; may be outside

  Inside(std::size_t k, std::size_t size, std::size_t windows, const ConvParams& p)
      : at_zero(static_cast<std::ptrdiff_t>(k * p.dilation) - static_cast<std::ptrdiff_t>(p.padding)) {
    const auto stride = static_cast<std::ptrdiff_t>(p.stride), count = static_cast<std::ptrdiff_t>(windows);
    const auto first_from = [&](std::ptrdiff_t place) { return place <= at_zero ? 0 : (place - at_zero + stride - 1) / stride; };
    begin = std::min(count, first_from(0));
    end = std::min(count, first_from(static_cast<std::ptrdiff_t>(size)));
  }
};

// to[i] = what window `first + i` of the plane has there, for windows up to `last`.
inline void copy_windows(const float* plane, const ConvParams& p, std::size_t ky, std::size_t kx, std::size_t first, std::size_t last,
                         float* to) {
  const Inside rows(ky, p.h, p.oh, p), columns(kx, p.w, p.ow, p);
  const auto stride = static_cast<std::ptrdiff_t>(p.stride), width = static_cast<std::ptrdiff_t>(p.w);
  while (first < last) {
    const auto oy = static_cast<std::ptrdiff_t>(first / p.ow), begin = static_cast<std::ptrdiff_t>(first % p.ow);
    const std::ptrdiff_t end = std::min(static_cast<std::ptrdiff_t>(p.ow), begin + static_cast<std::ptrdiff_t>(last - first));
    first += static_cast<std::size_t>(end - begin);
    const bool seen = oy >= rows.begin && oy < rows.end;
    const std::ptrdiff_t from = seen ? std::clamp(columns.begin, begin, end) : end, until = seen ? std::clamp(columns.end, from, end) : end;
    to = std::fill_n(to, from - begin, 0.0F);
    if (from < until) {
      const float* source = plane + (rows.at_zero + oy * stride) * width + columns.at_zero;
      if (stride == 1)
        to = std::copy(source + from, source + until, to);
      else
        for (std::ptrdiff_t ox = from; ox < until; ++ox) *to++ = source[ox * stride];
    }
    to = std::fill_n(to, end - until, 0.0F);
  }
}

// Adds a row of columns, all its windows, to the places of the plane.
inline void add_windows(const float* from, const ConvParams& p, std::size_t ky, std::size_t kx, float* plane) {
  const Inside rows(ky, p.h, p.oh, p), columns(kx, p.w, p.ow, p);
  const auto stride = static_cast<std::ptrdiff_t>(p.stride);
  for (std::ptrdiff_t oy = rows.begin; oy < rows.end; ++oy) {
    const float* source = from + oy * static_cast<std::ptrdiff_t>(p.ow);
    const std::ptrdiff_t row = (rows.at_zero + oy * stride) * static_cast<std::ptrdiff_t>(p.w);
    for (std::ptrdiff_t ox = columns.begin; ox < columns.end; ++ox) plane[row + columns.at_zero + ox * stride] += source[ox];
  }
}

}  // namespace tidepool::inline v0
