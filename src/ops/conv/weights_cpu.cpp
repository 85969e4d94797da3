// The gradients of the weights and of the bias. Each element of dw is a sum over all windows of all images, in an order that
// depends on the shapes alone: chunks of windows, and vectors within a chunk.
#define TIDEPOOL_SIMD_WIDE
#include "backend/cpu/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/conv/weights_cpu.cpp"
#include <hwy/foreach_target.h>

#include "backend/cpu/simd-inl.h"
#include "backend/cpu/team.h"
#include "ops/conv/by_onednn.h"
#include "ops/conv/columns.h"
#include "ops/conv/plain_images.h"
#include "ops/conv/weights.h"

#include <algorithm>
#include <utility>

HWY_BEFORE_NAMESPACE();
namespace tidepool::inline v0 {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_AVX3
constexpr std::size_t tile_rows = 8;  // 24 sums, three vectors of columns, one of dy: 28 of 32 registers
#else
constexpr std::size_t tile_rows = 4;
#endif

// By parts, whole vectors too, where that costs nothing: then it is one loop, and a load is not done again for each product.
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
HWY_INLINE FloatVector load_windows(const float* from, std::size_t count) { return load_part(from, count).v; }
#else
HWY_INLINE FloatVector load_windows(const float* from, std::size_t count) { return load_some(from, count).v; }
#endif

// What one chunk has for a block of columns and a group of dy's rows.
struct Chunk {
  const float* dy;         // row 0, the first window
  const float* columns;    // [column][image][stretch]
  std::size_t images;      // one when the chunk is a part of an image
  std::size_t windows;     // of each
  std::size_t stretch;     // windows, rounded up; the rest of the columns is 0
  std::size_t image_step;  // of dy
  std::size_t row_step;
};

// work(0), work(1), …: written out, which a compiler does not do with long loops, so that all sums stay in registers.
template <class Work, std::size_t... numbers>
HWY_INLINE void for_each(std::index_sequence<numbers...>, Work&& work) {
  (work(numbers), ...);
}

template <std::size_t rows, std::size_t columns>
HWY_INLINE void add_products(const Chunk& k, std::size_t row, std::size_t column, float* dw, std::size_t dw_step) {
  FloatVector sums[rows][columns];
  for (auto& of_row : sums)
    for (FloatVector& sum : of_row) sum = hn::Zero(FloatTag());
  const float* b = k.columns + column * k.images * k.stretch;
  for (std::size_t image = 0; image < k.images; ++image, b += k.stretch) {
    const float* a = k.dy + image * k.image_step + row * k.row_step;
    for (std::size_t at = 0; at < k.windows; at += lanes) {
      FloatVector from_b[columns];
      for (std::size_t c = 0; c < columns; ++c) from_b[c] = load(b + c * k.images * k.stretch + at).v;
      const std::size_t part = std::min(lanes, k.windows - at);
      for (std::size_t r = 0; r < rows; ++r) {
        const FloatVector from_a = load_windows(a + r * k.row_step + at, part);
        for (std::size_t c = 0; c < columns; ++c) sums[r][c] = hn::MulAdd(from_a, from_b[c], sums[r][c]);
      }
    }
  }
  for_each(std::make_index_sequence<rows>(), [&](std::size_t r) HWY_ATTR {
    for (std::size_t c = 0; c < columns; ++c) dw[(row + r) * dw_step + column + c] += add_lanes(sums[r][c]);
  });
}

template <std::size_t rows>
HWY_INLINE void add_row_products(const Chunk& k, std::size_t row, std::size_t columns, float* dw, std::size_t dw_step) {
  std::size_t column = 0;
  for (; column + 3 <= columns; column += 3) add_products<rows, 3>(k, row, column, dw, dw_step);
  for (; column < columns; ++column) add_products<rows, 1>(k, row, column, dw, dw_step);
}

HWY_INLINE void add_chunk(const Chunk& k, std::size_t rows, std::size_t columns, float* dw, std::size_t dw_step) {
  std::size_t row = 0;
  for (; row + tile_rows <= rows; row += tile_rows) add_row_products<tile_rows>(k, row, columns, dw, dw_step);
  for (; row + 4 <= rows; row += 4) add_row_products<4>(k, row, columns, dw, dw_step);
  for (; row < rows; ++row) add_row_products<1>(k, row, columns, dw, dw_step);
}

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
// As copy_windows, a vector at a time: what it writes beyond the last window is to be written again, or never read.
HWY_INLINE void copy_windows_by_vectors(const float* plane, const ConvParams& p, std::size_t ky, std::size_t kx, std::size_t first,
                                        std::size_t last, float* to) {
  if (p.stride != 1) return copy_windows(plane, p, ky, kx, first, last, to);
  const Inside rows(ky, p.h, p.oh, p), columns(kx, p.w, p.ow, p);
  auto oy = static_cast<std::ptrdiff_t>(first / p.ow);
  for (std::size_t begin = first % p.ow, end; first < last; first += end - begin, to += end - begin, begin = 0, ++oy) {
    end = std::min<std::size_t>(p.ow, begin + (last - first));
    const bool seen = oy >= rows.begin && oy < rows.end;
    const std::ptrdiff_t row = (rows.at_zero + oy) * static_cast<std::ptrdiff_t>(p.w) + columns.at_zero;
    for (std::size_t at = begin; at < end; at += lanes) {
      const auto lanes_until = [&](std::ptrdiff_t window) HWY_ATTR {
        return hn::FirstN(FloatTag(),
                          static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(window - static_cast<std::ptrdiff_t>(at), 0, lanes)));
      };
      const auto inside = hn::AndNot(lanes_until(columns.begin), lanes_until(seen ? columns.end : 0));
      store(hn::MaskedLoad(inside, FloatTag(), plane + row + static_cast<std::ptrdiff_t>(at)), to + (at - begin));
    }
  }
}
#else
HWY_INLINE void copy_windows_by_vectors(const float* plane, const ConvParams& p, std::size_t ky, std::size_t kx, std::size_t first,
                                        std::size_t last, float* to) {
  copy_windows(plane, p, ky, kx, first, last, to);
}
#endif

// One piece of dw: some columns of some rows of a group.
HWY_INLINE void make_piece(const CpuCall& call, const WeightPieces& pieces, std::size_t index) {
  const auto& p = call.params<ConvParams>();
  const WeightPieces::Piece piece = pieces.piece(index);
  const std::size_t taps = pieces.taps, windows = static_cast<std::size_t>(p.oh) * p.ow, plane = static_cast<std::size_t>(p.h) * p.w;
  const std::size_t first_row = piece.group * pieces.rows + piece.first_row;
  const auto* dy = call.buffer<const float>(0) + first_row * windows;
  const auto* x = call.buffer<const float>(1) + piece.group * pieces.channels * plane;
  float* dw = call.buffer<float>(2) + first_row * pieces.columns + piece.first_column;
  float* columns = call.buffer<float>(3) + index * pieces.scratch;
  for (std::size_t row = 0; row < piece.rows; ++row) std::fill_n(dw + row * pieces.columns, piece.columns, 0.0F);
  for (std::size_t image = 0; image < p.n; image += pieces.chunk_images) {
    const std::size_t images = std::min(pieces.chunk_images, p.n - image);
    for (std::size_t first = 0; first < windows; first += pieces.chunk_windows) {
      const std::size_t count = std::min(pieces.chunk_windows, windows - first), stretch = (count + lanes - 1) / lanes * lanes;
      for (std::size_t c = 0; c < piece.columns; ++c)
        for (std::size_t i = 0; i < images; ++i) {
          const std::size_t column = piece.first_column + c, tap = column % taps;
          float* to = columns + (c * images + i) * stretch;
          copy_windows_by_vectors(x + ((image + i) * p.c + column / taps) * plane, p, tap / p.kw, tap % p.kw, first, first + count, to);
          std::fill(to + count, to + stretch, 0.0F);
        }
      add_chunk({.dy = dy + image * p.o * windows + first,
                 .columns = columns,
                 .images = images,
                 .windows = count,
                 .stretch = stretch,
                 .image_step = p.o * windows,
                 .row_step = windows},
                piece.rows, piece.columns, dw, pieces.columns);
    }
  }
}

void run_weights(const CpuCall& call) {
  const WeightPieces pieces(call.params<ConvParams>());
  call.team->run(pieces.count(), 1, [&](std::size_t begin, std::size_t end) HWY_ATTR {
    for (std::size_t i = begin; i < end; ++i) make_piece(call, pieces, i);
  });
}

HWY_INLINE float sum_stretch(const float* from, std::size_t count) {
  Pack a(0.0F), b(0.0F);
  std::size_t i = 0;
  for (; i + 2 * lanes <= count; i += 2 * lanes) {
    a = a + load(from + i);
    b = b + load(from + i + lanes);
  }
  for (; i < count; i += lanes) a = a + load_part(from + i, std::min(lanes, count - i));
  return add_lanes(a + b);
}

HWY_INLINE void sum_channels(const CpuCall& call, const float* dy, float* db) {
  const auto& p = call.params<ConvParams>();
  const std::size_t windows = static_cast<std::size_t>(p.oh) * p.ow;
  call.team->run(p.o, 32768 / (p.n * windows + 1) + 1, [&](std::size_t begin, std::size_t end) HWY_ATTR {
    for (std::size_t channel = begin; channel < end; ++channel) {
      float sum = 0;
      for (std::size_t image = 0; image < p.n; ++image) sum += sum_stretch(dy + (image * p.o + channel) * windows, windows);
      db[channel] = sum;
    }
  });
}

void run_weights_alone(const CpuCall& call) {
  if (weights_by_onednn(call, false)) return;
  run_weights(PlainImages(call, PlainImages::Product::of_weights).call());
}
void run_bias(const CpuCall& call) { sum_channels(call, call.buffer<const float>(0), call.buffer<float>(1)); }
void run_weights_bias(const CpuCall& call) {
  if (weights_by_onednn(call, true)) return;
  const PlainImages plain(call, PlainImages::Product::of_weights);
  run_weights(plain.call());
  sum_channels(call, plain.call().buffer<const float>(0), call.buffer<float>(4));
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tidepool::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tidepool::inline v0 {
void conv2d_weights_cpu(const CpuCall& call) { TIDEPOOL_RUN(run_weights_alone, call); }
void conv2d_weights_bias_cpu(const CpuCall& call) { TIDEPOOL_RUN(run_weights_bias, call); }
void conv2d_bias_grad_cpu(const CpuCall& call) { TIDEPOOL_RUN(run_bias, call); }
std::size_t conv2d_weights_scratch(const ConvParams& p) {
  const WeightPieces pieces(p);
  return pieces.count() * pieces.scratch * sizeof(float);
}
}  // namespace tidepool::inline v0
#endif
