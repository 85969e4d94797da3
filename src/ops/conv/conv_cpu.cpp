// Forward and the gradient of the input. Both are a product of weights [rows, taps * channels] with columns that are never
// stored: a panel of them, two vectors wide, is gathered from the image while it is used.
#define TIDEPOOL_SIMD_WIDE
#include "backend/cpu/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/conv/conv_cpu.cpp"
#include <hwy/foreach_target.h>

#include "backend/cpu/simd-inl.h"
#include "backend/cpu/team.h"
#include "ops/conv/by_onednn.h"
#include "ops/conv/conv.h"
#include "ops/conv/plain_images.h"
#include "ops/conv/product.h"
#include "ops/linear/activation-inl.h"

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace tidepool::inline v0 {
namespace HWY_NAMESPACE {
namespace {

constexpr std::size_t panel_width = 2 * lanes;
constexpr std::size_t panel_depth = 256;

// Where the windows of a panel have one of their places: an element of the image's plane, or -1 in the padding.
struct Places {
  HWY_ALIGN std::int32_t at[panel_width];
};

// The windows of a panel: the row and the column where each begins, or, against the direction of the windows, where it lies.
struct Panel {
  std::size_t count;  // the others have no places
  std::int32_t y[panel_width], x[panel_width];

  Panel(const ConvProduct& c, std::size_t first) : count(std::min(panel_width, c.out_plane() - first)) {
    auto row = static_cast<std::int32_t>(first / c.out_w), column = static_cast<std::int32_t>(first % c.out_w);
    for (std::size_t i = 0; i < panel_width; ++i) {
      y[i] = c.forward ? row * c.stride - c.padding : row + c.padding;
      x[i] = c.forward ? column * c.stride - c.padding : column + c.padding;
      if (++column == static_cast<std::int32_t>(c.out_w)) {
        column = 0;
        ++row;
      }
      if (i + 1 >= count) row = column = 0;  // further ones could be more than 32 bits hold
    }
  }
};

HWY_INLINE Places places_of(const ConvProduct& c, const Panel& panel, std::size_t tap) {
  const auto ky = static_cast<std::int32_t>(tap / c.kw) * c.dilation, kx = static_cast<std::int32_t>(tap % c.kw) * c.dilation;
  const auto h = static_cast<std::int32_t>(c.in_h), w = static_cast<std::int32_t>(c.in_w);
  const bool strided = !c.forward && c.stride != 1;
  Places places;
  for (std::size_t i = 0; i < panel_width; ++i) {
    std::int32_t y = c.forward ? panel.y[i] + ky : panel.y[i] - ky, x = c.forward ? panel.x[i] + kx : panel.x[i] - kx;
    bool inside = i < panel.count && y >= 0 && x >= 0;
    if (strided) {
      inside = inside && y % c.stride == 0 && x % c.stride == 0;
      y /= c.stride;
      x /= c.stride;
    }
    places.at[i] = inside && y < h && x < w ? y * w + x : -1;
  }
  return places;
}

// One vector of a panel for each of `channels` channels.
HWY_INLINE void gather_one_by_one(const std::int32_t* at, const float* in, std::size_t plane, std::size_t channels, float* to) {
  for (std::size_t c = 0; c < channels; ++c)
    for (std::size_t i = 0; i < lanes; ++i) to[c * panel_width + i] = at[i] < 0 ? 0.0F : in[c * plane + static_cast<std::size_t>(at[i])];
}

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
// Places that follow each other come in one load; most vectors are one such run, or two where a row of windows ends.
HWY_INLINE void gather_vectors(const std::int32_t* at, const float* in, std::size_t plane, std::size_t channels, float* to) {
  const hn::ScalableTag<std::int32_t> tag;
  const auto places = hn::Load(tag, at), starts = hn::Sub(places, hn::Iota(tag, 0));
  const auto none = hn::Set(tag, -1);
  const auto all = hn::Gt(places, none);
  const auto run_of = [&](auto mask, std::ptrdiff_t& start) HWY_ATTR {
    const auto first = hn::FindFirstTrue(tag, mask);
    start = first < 0 ? 0 : at[first] - first;
    return hn::And(mask, hn::Eq(starts, hn::Set(tag, static_cast<std::int32_t>(start))));
  };
  std::ptrdiff_t start = 0, second_start = 0;
  const auto run = run_of(all, start);
  if (hn::AllTrue(tag, run)) {
    for (std::size_t c = 0; c < channels; ++c) store(load(in + c * plane + start), to + c * panel_width);
    return;
  }
  const auto second = run_of(hn::AndNot(run, all), second_start);
  if (!hn::AllFalse(tag, hn::AndNot(hn::Or(run, second), all))) return gather_one_by_one(at, in, plane, channels, to);
  const auto lanes_of_run = hn::RebindMask(FloatTag(), run), lanes_of_second = hn::RebindMask(FloatTag(), second);
  for (std::size_t c = 0; c < channels; ++c) {
    const float* from = in + c * plane;
    const FloatVector one = hn::MaskedLoad(lanes_of_run, FloatTag(), from + start);
    store(hn::Or(one, hn::MaskedLoad(lanes_of_second, FloatTag(), from + second_start)), to + c * panel_width);
  }
}
#else
HWY_INLINE void gather_vectors(const std::int32_t* at, const float* in, std::size_t plane, std::size_t channels, float* to) {
  gather_one_by_one(at, in, plane, channels, to);
}
#endif

// Rows [first, last) of the panel, which run over taps and, within each, over channels.
HWY_INLINE void gather_panel(const ConvProduct& c, const float* in, const Panel& panel, std::size_t first, std::size_t last, float* to) {
  while (first < last) {
    const std::size_t tap = first / c.channels, channel = first % c.channels, count = std::min(c.channels - channel, last - first);
    const Places places = places_of(c, panel, tap);
    for (std::size_t half = 0; half < panel.count; half += lanes)
      gather_vectors(places.at + half, in + channel * c.in_plane(), c.in_plane(), count, to + half);
    to += count * panel_width;
    first += count;
  }
}

struct Tile {
  const float* a;  // [depth][weight_rows]
  const float* b;  // [depth][panel_width]
  std::size_t depth;
  float* out;
  std::size_t out_step, count;
  bool first;
  const float* bias;  // or null
};

template <std::size_t rows, std::size_t vectors>
HWY_INLINE void multiply(const Tile& t) {
  FloatVector sums[rows][vectors];
  const std::size_t last = t.count - (vectors - 1) * lanes;  // lanes of the last vector
  for (std::size_t r = 0; r < rows; ++r) {
    const float* from = t.out + r * t.out_step;
    const Pack start = t.bias ? t.bias[r] : 0.0F;
    for (std::size_t v = 0; v < vectors; ++v)
      sums[r][v] = t.first ? start.v : load_some(from + v * lanes, v + 1 < vectors ? lanes : last).v;
  }
  const float *a = t.a, *b = t.b;
  for (std::size_t k = 0; k < t.depth; ++k, a += weight_rows, b += panel_width) {
    FloatVector from_b[vectors];
    for (std::size_t v = 0; v < vectors; ++v) from_b[v] = hn::Load(FloatTag(), b + v * lanes);
    for (std::size_t r = 0; r < rows; ++r) {
      const FloatVector from_a = hn::Set(FloatTag(), a[r]);
      for (std::size_t v = 0; v < vectors; ++v) sums[r][v] = hn::MulAdd(from_a, from_b[v], sums[r][v]);
    }
  }
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t v = 0; v < vectors; ++v) store_some(sums[r][v], t.out + r * t.out_step + v * lanes, v + 1 < vectors ? lanes : last);
}

template <std::size_t vectors>
HWY_INLINE void multiply_rows(std::size_t rows, const Tile& tile) {
  switch (rows) {
    case 1:
      return multiply<1, vectors>(tile);
    case 2:
      return multiply<2, vectors>(tile);
    case 3:
      return multiply<3, vectors>(tile);
    case 4:
      return multiply<4, vectors>(tile);
    case 5:
      return multiply<5, vectors>(tile);
    default:
      return multiply<6, vectors>(tile);
  }
}
static_assert(weight_rows == 6);

HWY_INLINE void activate_panel(Activation activation, float* out, std::size_t rows, std::size_t step, std::size_t count) {
  if (activation == Activation::none) return;
  with_activation(activation, [&](auto act) HWY_ATTR {
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t i = 0; i < count; i += lanes) {
        float* at = out + r * step + i;
        const std::size_t part = std::min(lanes, count - i);
        if (part == lanes)
          store(activate(act, load(at)), at);
        else
          store_part(activate(act, load_part(at, part)), at, part);
      }
  });
}

// All rows of one panel of one image and group.
HWY_INLINE void multiply_panel(const ConvProduct& c, std::size_t image, std::size_t group, std::size_t first_window) {
  HWY_ALIGN float columns[panel_depth * panel_width];
  const Panel panel(c, first_window);
  const std::size_t depth = c.depth();
  const float* in = c.in + (image * c.groups + group) * c.channels * c.in_plane();
  float* out = c.out + (image * c.groups + group) * c.rows * c.out_plane() + first_window;
  std::size_t from = 0;
  do {
    const std::size_t until = std::min(depth, from + panel_depth);
    gather_panel(c, in, panel, from, until, columns);
    for (std::size_t block = 0; block < c.blocks(); ++block) {
      const std::size_t row = c.first_row(block), rows = c.first_row(block + 1) - row;
      const Tile tile{.a = c.packed_block(group, block) + from * weight_rows,
                      .b = columns,
                      .depth = until - from,
                      .out = out + row * c.out_plane(),
                      .out_step = c.out_plane(),
                      .count = panel.count,
                      .first = from == 0,
                      .bias = c.bias ? c.bias + group * c.rows + row : nullptr};
      panel.count > lanes ? multiply_rows<2>(rows, tile) : multiply_rows<1>(rows, tile);
    }
    from = until;
  } while (from < depth);
  activate_panel(c.activation, out, c.rows, c.out_plane(), panel.count);
}

void run_product(const CpuCall& call, const ConvProduct& c) {
  pack_weights(call, c);
  const std::size_t panels = (c.out_plane() + panel_width - 1) / panel_width;
  const std::size_t worth = 65536 / (panel_width * c.rows * c.depth() + panel_width) + 1;
  call.team->run(c.images * c.groups * panels, worth, [&](std::size_t begin, std::size_t end) HWY_ATTR {
    for (std::size_t i = begin; i < end; ++i) multiply_panel(c, i / panels / c.groups, i / panels % c.groups, i % panels * panel_width);
  });
}

// What oneDNN gave has no activation: its own would turn NaN into 0.
HWY_INLINE void activate_planes(const CpuCall& call, const ConvProduct& c) {
  if (c.activation == Activation::none) return;
  call.team->run(c.images * c.groups * c.rows, 32768 / c.out_plane() + 1, [&](std::size_t begin, std::size_t end) HWY_ATTR {
    activate_panel(c.activation, c.out + begin * c.out_plane(), 1, 0, (end - begin) * c.out_plane());
  });
}

HWY_INLINE void run_forward_with(const CpuCall& call, bool bias) {
  if (forward_by_onednn(call, bias)) return activate_planes(call, ConvProduct(call, true, bias));
  const PlainImages plain(call, PlainImages::Product::forward);
  run_product(call, ConvProduct(plain.call(), true, bias));
}

void run_forward(const CpuCall& call) { run_forward_with(call, false); }
void run_forward_bias(const CpuCall& call) { run_forward_with(call, true); }
void run_input(const CpuCall& call) {
  if (input_by_onednn(call)) return;
  const PlainImages plain(call, PlainImages::Product::of_input);
  run_product(call, ConvProduct(plain.call(), false, false));
}
void run_input_bias(const CpuCall& call) { run_product(call, ConvProduct(call, false, true)); }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tidepool::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tidepool::inline v0 {
void conv2d_cpu(const CpuCall& call) { TIDEPOOL_RUN(run_forward, call); }
void conv2d_bias_cpu(const CpuCall& call) { TIDEPOOL_RUN(run_forward_bias, call); }
void conv2d_input_cpu(const CpuCall& call) { TIDEPOOL_RUN(run_input, call); }
void conv2d_input_bias_cpu(const CpuCall& call) { TIDEPOOL_RUN(run_input_bias, call); }
}  // namespace tidepool::inline v0
#endif
