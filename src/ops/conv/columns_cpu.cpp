#include "ops/conv/columns.h"

#include "backend/cpu/team.h"

namespace tidepool::inline v0 {

void im2col_cpu(const CpuCall& call) {
  const auto& p = call.params<ConvParams>();
  const auto* x = call.buffer<const float>(0);
  auto* columns = call.buffer<float>(1);
  const std::size_t taps = static_cast<std::size_t>(p.kh) * p.kw, windows = static_cast<std::size_t>(p.oh) * p.ow;
  const std::size_t rows = static_cast<std::size_t>(p.n) * p.c * taps, plane = static_cast<std::size_t>(p.h) * p.w;
  call.team->run(rows, 16384 / windows + 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      const std::size_t tap = row % taps;
      copy_windows(x + row / taps * plane, p, tap / p.kw, tap % p.kw, 0, windows, columns + row * windows);
    }
  });
}

void col2im_cpu(const CpuCall& call) {
  const auto& p = call.params<ConvParams>();
  const auto* columns = call.buffer<const float>(0);
  auto* x = call.buffer<float>(1);
  const std::size_t taps = static_cast<std::size_t>(p.kh) * p.kw, windows = static_cast<std::size_t>(p.oh) * p.ow;
  const std::size_t planes = static_cast<std::size_t>(p.n) * p.c, elements = static_cast<std::size_t>(p.h) * p.w;
  call.team->run(planes, 16384 / (windows * taps + elements) + 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t plane = begin; plane < end; ++plane) {
      float* to = x + plane * elements;
      std::fill_n(to, elements, 0.0F);
      for (std::size_t tap = 0; tap < taps; ++tap) add_windows(columns + (plane * taps + tap) * windows, p, tap / p.kw, tap % p.kw, to);
    }
  });
}

}  // namespace tidepool::inline v0
