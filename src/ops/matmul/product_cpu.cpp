// Our own matrix product. The result is cut into tiles that fit into registers; every element of it is one chain of
// multiply-adds over blocks of k, so its bits do not depend on where the cuts are.
#define TIDEPOOL_SIMD_WIDE
#include "backend/cpu/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/matmul/product_cpu.cpp"
#include <hwy/foreach_target.h>

#include "backend/cpu/simd-inl.h"
#include "backend/cpu/team.h"
#include "ops/linear/activation-inl.h"
#include "ops/matmul/product.h"

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace tidepool::inline v0 {
namespace HWY_NAMESPACE {
namespace {

constexpr std::size_t tile_rows = 6, tile_columns = 2 * lanes;  // twelve sums, two vectors of b, one number of a: 15 registers
constexpr std::size_t block_depth = 256;                        // a tile's part of b stays in the first cache,
constexpr std::size_t block_rows = 16 * tile_rows;              // a block of a in the second,
constexpr std::size_t block_columns = 512;                      // and one of b not far

// How a block of an operand lies in memory: element (item, step of k).
struct Walk {
  const float* at;
  std::size_t item, step;
  HWY_INLINE Walk from(std::size_t first_item, std::size_t first_step) const {
    return {at + first_item * item + first_step * step, item, step};
  }
};

struct Target {
  float* at;
  std::size_t row;
  bool add;  // to what is there
};

// `rows` rows of c, `vectors` vectors wide; of the last one `part` lanes are c's, and b's too unless b is padded.
template <std::size_t rows, std::size_t vectors, bool padded>
HWY_INLINE void tile(const Walk& a, const Walk& b, const Target& c, std::size_t depth, std::size_t part) {
  FloatVector sums[rows][vectors];
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t v = 0; v < vectors; ++v) sums[r][v] = hn::Zero(FloatTag());
  const float* from_a = a.at;
  const float* from_b = b.at;
  for (std::size_t at = 0; at < depth; ++at, from_a += a.step, from_b += b.step) {
    FloatVector column[vectors];
    for (std::size_t v = 0; v < vectors; ++v)
      column[v] = padded || v + 1 < vectors ? load(from_b + v * lanes).v : load_part(from_b + v * lanes, part).v;
    for (std::size_t r = 0; r < rows; ++r) {
      const FloatVector value = hn::Set(FloatTag(), from_a[r * a.item]);
      for (std::size_t v = 0; v < vectors; ++v) sums[r][v] = hn::MulAdd(value, column[v], sums[r][v]);
    }
  }
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t v = 0; v < vectors; ++v) {
      float* to = c.at + r * c.row + v * lanes;
      const bool whole = v + 1 < vectors || part == lanes;
      Pack sum = sums[r][v];
      if (c.add) sum = (whole ? load(to) : load_part(to, part)) + sum;
      if (whole)
        store(sum, to);
      else
        store_part(sum, to, part);
    }
}

template <std::size_t rows>
HWY_INLINE void tile_of(const Walk& a, const Walk& b, const Target& c, std::size_t depth, std::size_t columns, bool padded) {
  const bool two = columns > lanes;
  const std::size_t part = two ? columns - lanes : columns;
  if (padded || part == lanes)
    two ? tile<rows, 2, true>(a, b, c, depth, part) : tile<rows, 1, true>(a, b, c, depth, part);
  else
    two ? tile<rows, 2, false>(a, b, c, depth, part) : tile<rows, 1, false>(a, b, c, depth, part);
}

HWY_NOINLINE void some_rows(const Walk& a, const Walk& b, const Target& c, std::size_t depth, std::size_t rows, std::size_t columns,
                            bool padded) {
  switch (rows) {
    case 1:
      return tile_of<1>(a, b, c, depth, columns, padded);
    case 2:
      return tile_of<2>(a, b, c, depth, columns, padded);
    case 3:
      return tile_of<3>(a, b, c, depth, columns, padded);
    case 4:
      return tile_of<4>(a, b, c, depth, columns, padded);
    case 5:
      return tile_of<5>(a, b, c, depth, columns, padded);
    default:
      return tile_of<tile_rows>(a, b, c, depth, columns, padded);
  }
}

// Panels of `width` items: [panel][depth][width]. What is missing of the last is 0.
template <std::size_t width>
void pack(const Walk& from, std::size_t items, std::size_t depth, float* to) {
  for (std::size_t first = 0; first < items; first += width, to += depth * width) {
    const std::size_t count = std::min(width, items - first);
    const Walk panel = from.from(first, 0);
    if (count < width) std::fill_n(to, depth * width, 0.0F);
    if (panel.item == 1 && count == width) {
      for (std::size_t at = 0; at < depth; ++at) std::copy_n(panel.at + at * panel.step, width, to + at * width);
    } else {
      for (std::size_t i = 0; i < count; ++i)
        for (std::size_t at = 0; at < depth; ++at) to[at * width + i] = panel.at[i * panel.item + at * panel.step];
    }
  }
}

HWY_INLINE Walk panel_of(const Walk& whole, bool packed, std::size_t first, std::size_t depth, std::size_t width) {
  return packed ? Walk{whole.at + first * depth, 1, width} : whole.from(first, 0);
}

// A block of c: rows by columns by depth.
void block(const Walk& a, const Walk& b, const Target& c, std::size_t rows, std::size_t columns, std::size_t depth, bool packed_a,
           bool packed_b) {
  for (std::size_t j = 0; j < columns; j += tile_columns) {
    const Walk panel = panel_of(b, packed_b, j, depth, tile_columns);
    const std::size_t width = std::min(tile_columns, columns - j);
    for (std::size_t i = 0; i < rows; i += tile_rows)
      some_rows(panel_of(a, packed_a, i, depth, tile_rows), panel, {c.at + i * c.row + j, c.row, c.add}, depth,
                std::min(tile_rows, rows - i), width, packed_b);
  }
}

void finish(const Product& product, std::size_t row, std::size_t row_end, std::size_t column, std::size_t column_end) {
  const std::size_t n = product.gemm.n;
  with_activation(product.activation, [&](auto act) HWY_ATTR {
    for (; row < row_end; ++row) {
      float* c = product.gemm.c + row * n;
      const float* bias = product.bias;
      std::size_t j = column;
      for (; j + lanes <= column_end; j += lanes) {
        const Pack sum = load(c + j);
        store(activate(act, bias ? sum + load(bias + j) : sum), c + j);
      }
      if (const std::size_t rest = column_end - j; rest > 0) {
        const Pack sum = load_part(c + j, rest);
        store_part(activate(act, bias ? sum + load_part(bias + j, rest) : sum), c + j, rest);
      }
    }
  });
}

// What an element's activation costs, in multiplications.
constexpr std::size_t to_activate(Activation activation) {
  return activation == Activation::tanh || activation == Activation::sigmoid ? 16 : 0;
}

struct Range {
  std::size_t begin, end;
};

// The part of c that is one thread's.
void rectangle(const ProductCall& call, Range rows, Range columns) {
  const Gemm& g = call.product.gemm;
  const Walk a = g.transposed_a ? Walk{g.a, 1, g.m} : Walk{g.a, g.k, 1};
  const Walk b = g.transposed_b ? Walk{g.b, g.k, 1} : Walk{g.b, 1, g.n};
  // Direct tiles want the columns of b side by side.
  const bool pack_b = call.packed || g.transposed_b, pack_a = call.packed;
  float* const packed_b = pack_b ? packing_buffer(block_depth * (block_columns + block_rows)) : nullptr;
  float* const packed_a = pack_a ? packed_b + block_depth * block_columns : nullptr;
  for (std::size_t j = columns.begin; j < columns.end; j += block_columns) {
    const std::size_t width = std::min(block_columns, columns.end - j);
    std::size_t k = 0;
    do {  // once for k = 0: zeros
      const std::size_t depth = std::min(block_depth, g.k - k);
      const Walk from_b = pack_b ? Walk{packed_b, 0, 0} : b.from(j, k);
      if (pack_b) pack<tile_columns>(b.from(j, k), width, depth, packed_b);
      for (std::size_t i = rows.begin; i < rows.end; i += block_rows) {
        const std::size_t height = std::min(block_rows, rows.end - i);
        const Walk from_a = pack_a ? Walk{packed_a, 0, 0} : a.from(i, k);
        if (pack_a) pack<tile_rows>(a.from(i, k), height, depth, packed_a);
        block(from_a, from_b, {g.c + i * g.n + j, g.n, g.add || k > 0}, height, width, depth, pack_a, pack_b);
        if (k + depth == g.k && call.product.unfinished()) finish(call.product, i, i + height, j, j + width);
      }
      k += depth;
    } while (k < g.k);
  }
}

// A column and a row: every element is one product. It is done in one go, because going over the result is all the work there is.
void outer_rows(const ProductCall& call, std::size_t begin, std::size_t end) {
  const Gemm& g = call.product.gemm;
  const float* bias = call.product.bias;
  with_activation(call.product.activation, [&](auto act) HWY_ATTR {
    for (std::size_t row = begin; row < end; ++row) {
      const Pack value = g.a[row];
      float* c = g.c + row * g.n;
      for (std::size_t j = 0; j < g.n; j += lanes) {
        const std::size_t some = HWY_MIN(lanes, g.n - j);
        Pack sum = fma(value, load_some(g.b + j, some), 0.0F);  // as the chains of tiles begin
        if (g.add) sum = load_some(c + j, some) + sum;
        if (bias) sum = sum + load_some(bias + j, some);
        store_some(activate(act, sum), c + j, some);
      }
    }
  });
}

// A matrix and a vector: `count` rows at once, so that their sums do not wait for each other.
template <std::size_t count>
HWY_INLINE void dot_rows(const Gemm& g, std::size_t row) {
  FloatVector sums[count];
  for (std::size_t r = 0; r < count; ++r) sums[r] = hn::Zero(FloatTag());
  for (std::size_t k = 0; k < g.k; k += lanes) {
    const std::size_t some = HWY_MIN(lanes, g.k - k);
    const FloatVector b = load_some(g.b + k, some).v;
    for (std::size_t r = 0; r < count; ++r) sums[r] = hn::MulAdd(load_some(g.a + (row + r) * g.k + k, some).v, b, sums[r]);
  }
  for (std::size_t r = 0; r < count; ++r) {
    const float sum = hn::GetLane(hn::SumOfLanes(FloatTag(), sums[r]));
    g.c[row + r] = g.add ? g.c[row + r] + sum : sum;
  }
}

void vector_rows(const ProductCall& call, std::size_t begin, std::size_t end) {
  const Gemm& g = call.product.gemm;
  std::size_t row = begin;
  for (; row + 4 <= end; row += 4) dot_rows<4>(g, row);
  for (; row < end; ++row) dot_rows<1>(g, row);
  if (call.product.unfinished()) finish(call.product, begin, end, 0, 1);
}

// A row and a matrix whose columns lie side by side: `vectors` vectors of the result at once, of the last `part` lanes. The terms are added
// as in tiles.
template <std::size_t vectors>
HWY_INLINE void row_columns(const float* row, const float* matrix, const Gemm& shape, float* c, std::size_t part) {
  for (std::size_t first = 0; first < shape.k; first += block_depth) {
    FloatVector sums[vectors];
    for (std::size_t v = 0; v < vectors; ++v) sums[v] = hn::Zero(FloatTag());
    for (std::size_t k = first; k < std::min(shape.k, first + block_depth); ++k) {
      const FloatVector value = hn::Set(FloatTag(), row[k]);
      const float* from = matrix + k * shape.n;
      for (std::size_t v = 0; v < vectors; ++v)
        sums[v] = hn::MulAdd(value, (v + 1 < vectors ? load(from + v * lanes) : load_some(from + v * lanes, part)).v, sums[v]);
    }
    for (std::size_t v = 0; v < vectors; ++v) {
      const std::size_t some = v + 1 < vectors ? lanes : part;
      const bool add = shape.add || first > 0;
      store_some(add ? load_some(c + v * lanes, some) + sums[v] : sums[v], c + v * lanes, some);
    }
  }
}

void row_times_matrix(const ProductCall& call, std::size_t begin, std::size_t end) {
  const Gemm& g = call.product.gemm;
  constexpr std::size_t wide = 8;
  std::size_t j = begin;
  for (; j + wide * lanes <= end; j += wide * lanes) row_columns<wide>(g.a, g.b + j, g, g.c + j, lanes);
  for (; j < end; j += lanes) row_columns<1>(g.a, g.b + j, g, g.c + j, std::min(lanes, end - j));
  if (call.product.unfinished()) finish(call.product, 0, 1, begin, end);
}

// A column of results lies as a row does: the same product, seen from the other side.
Product turned(const Product& product) {
  const Gemm& g = product.gemm;
  return {.gemm = {.a = g.b, .b = g.a, .c = g.c, .m = 1, .n = g.m, .k = g.k, .add = g.add}};
}

void run_product(const ProductCall& call) {
  const Gemm& g = call.product.gemm;
  constexpr std::size_t worth = 65536;   // multiplications, of a thread
  constexpr std::size_t passed = 40960;  // elements of a matrix, where each is used once: other threads may have made some
  if (g.k == 1 && g.n > 1) {
    if (!call.team) return outer_rows(call, 0, g.m);
    return call.team->run(g.m, passed / (g.n * (1 + to_activate(call.product.activation))) + 1,
                          [&](std::size_t begin, std::size_t end) HWY_ATTR { outer_rows(call, begin, end); });
  }
  if (g.n == 1 && g.m > 1 && g.transposed_a && !call.product.unfinished()) {
    const Product product = turned(call.product);
    return run_product({.product = product, .team = call.team, .instructions = call.instructions, .packed = false});
  }
  if (g.m == 1 && g.k > 0 && !g.transposed_b && !g.times_vector()) {
    if (!call.team) return row_times_matrix(call, 0, g.n);
    return call.team->run(g.n, 64 * (passed / (64 * g.k + 1) + 1),
                          [&](std::size_t begin, std::size_t end) HWY_ATTR { row_times_matrix(call, begin, end); });
  }
  if (g.times_vector()) {
    if (!call.team) return vector_rows(call, 0, g.m);
    return call.team->run(g.m, 4 * (passed / (4 * g.k + 1) + 1),
                          [&](std::size_t begin, std::size_t end) HWY_ATTR { vector_rows(call, begin, end); });
  }
  const std::size_t work = std::max<std::size_t>(1, g.m * g.n * (std::max<std::size_t>(1, g.k) + to_activate(call.product.activation)));
  if (!call.team || work <= worth) return rectangle(call, {0, g.m}, {0, g.n});
  const bool by_rows = g.m >= g.n;
  const std::size_t unit = by_rows ? tile_rows : tile_columns, size = by_rows ? g.m : g.n;
  const std::size_t units = (size + unit - 1) / unit, grain = worth * units / work + 1;
  call.team->run(units, grain, [&](std::size_t begin, std::size_t end) HWY_ATTR {
    const Range part{begin * unit, std::min(size, end * unit)};
    by_rows ? rectangle(call, part, {0, g.n}) : rectangle(call, {0, g.m}, part);
  });
}

void run_finish(const ProductCall& call) {
  const Gemm& g = call.product.gemm;
  auto rows = [&](std::size_t begin, std::size_t end) HWY_ATTR { finish(call.product, begin, end, 0, g.n); };
  if (call.team)
    call.team->run(g.m, 65536 / g.n / (1 + to_activate(call.product.activation)) + 1, rows);
  else
    rows(0, g.m);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tidepool::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tidepool::inline v0 {
void own_product(const ProductCall& call) { TIDEPOOL_RUN(run_product, call); }
void finish_product(const ProductCall& call) { TIDEPOOL_RUN(run_finish, call); }
}  // namespace tidepool::inline v0
#endif
