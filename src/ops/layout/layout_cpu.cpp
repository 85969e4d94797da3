#include "backend/cpu/team.h"
#include "ops/layout/layout.h"

#include <algorithm>
#include <cstring>

namespace tidepool::inline v0 {

namespace {

constexpr std::size_t grain = 65536;
constexpr std::size_t tile = 16;

template <class T>
void fill(const CpuCall& call) {
  const auto& p = call.params<FillParams>();
  auto* out = call.buffer<T>(0);
  call.team->run(p.count, grain, [&](std::size_t begin, std::size_t end) { std::fill(out + begin, out + end, static_cast<T>(p.bits)); });
}

template <class T>
void copy(const CpuCall& call) {
  const auto& p = call.params<FillParams>();
  const auto* in = call.buffer<const T>(0);
  auto* out = call.buffer<T>(1);
  call.team->run(p.count, grain,
                 [&](std::size_t begin, std::size_t end) { std::memmove(out + begin, in + begin, (end - begin) * sizeof(T)); });
}

// A plane of the last two axes, or some of its rows.
template <class T>
struct Plane {
  const T* in;
  T* out;
  std::size_t in_row, in_step, out_row, out_step;  // from row to row, from element to element

  void move(std::size_t first, std::size_t last, std::size_t width) const {
    if (in_step == 1 && out_step == 1) {
      for (std::size_t i = first; i < last; ++i) std::memcpy(out + i * out_row, in + i * in_row, width * sizeof(T));
      return;
    }
    if (in_row != 1) {
      for (std::size_t i = first; i < last; ++i)
        for (std::size_t j = 0; j < width; ++j) out[i * out_row + j * out_step] = in[i * in_row + j * in_step];
      return;
    }
    // Reads run down the columns: in tiles, every line of the cache that is fetched is used up.
    for (std::size_t column = 0; column < width; column += tile)
      for (std::size_t i = first; i < last; ++i)
        for (std::size_t j = column; j < std::min(width, column + tile); ++j) out[i * out_row + j * out_step] = in[i + j * in_step];
  }
};

template <class T>
void strided(const CpuCall& call) {
  const auto& p = call.params<StridedParams>();
  const std::size_t width = p.size[p.rank - 1], height = p.rank > 1 ? p.size[p.rank - 2] : 1;
  const std::size_t bands = (height + tile - 1) / tile, planes = p.count / width / height;
  const auto outer = static_cast<std::size_t>(p.rank > 1 ? p.rank - 2 : 0);
  call.team->run(planes * bands, std::max<std::size_t>(1, grain / (width * std::min(height, tile))),
                 [&](std::size_t begin, std::size_t end) {
                   for (std::size_t at = begin; at < end; ++at) {
                     std::size_t in_at = p.in_offset, out_at = p.out_offset, rest = at / bands;
                     for (std::size_t axis = outer; axis-- > 0;) {
                       const std::size_t place = rest % p.size[axis];
                       rest /= p.size[axis];
                       in_at += place * p.in_stride[axis];
                       out_at += place * p.out_stride[axis];
                     }
                     const Plane<T> plane{call.buffer<const T>(0) + in_at,
                                          call.buffer<T>(1) + out_at,
                                          p.rank > 1 ? p.in_stride[p.rank - 2] : 0U,
                                          p.in_stride[p.rank - 1],
                                          p.rank > 1 ? p.out_stride[p.rank - 2] : 0U,
                                          p.out_stride[p.rank - 1]};
                     const std::size_t first = at % bands * tile;
                     plane.move(first, std::min(height, first + tile), width);
                   }
                 });
}

}  // namespace

namespace layout_cpu {
void fill_4(const CpuCall& call) { fill<std::uint32_t>(call); }
void fill_2(const CpuCall& call) { fill<std::uint16_t>(call); }
void fill_1(const CpuCall& call) { fill<std::uint8_t>(call); }
void copy_4(const CpuCall& call) { copy<std::uint32_t>(call); }
void copy_2(const CpuCall& call) { copy<std::uint16_t>(call); }
void copy_1(const CpuCall& call) { copy<std::uint8_t>(call); }
void strided_4(const CpuCall& call) { strided<std::uint32_t>(call); }
void strided_2(const CpuCall& call) { strided<std::uint16_t>(call); }
void strided_1(const CpuCall& call) { strided<std::uint8_t>(call); }
}  // namespace layout_cpu

}  // namespace tidepool::inline v0
