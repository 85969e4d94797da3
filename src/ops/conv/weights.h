// How the gradient of the weights is cut: into pieces that threads take, and sums into chunks that stay in the cache. Both
// follow from the shapes alone.
#pragma once

#include "ops/conv/conv.h"

#include <algorithm>
#include <cstddef>

namespace tidepool::inline v0 {

struct WeightPieces {
  static constexpr std::size_t most_columns = 48, least_columns = 12, most_windows = 1024, least_rows = 8, enough = 8;
  static constexpr std::size_t round = 16;  // a multiple of every vector's length

  struct Piece {
    std::size_t group, first_row, rows, first_column, columns;
  };

  std::size_t groups, rows, channels, taps, columns;  // dw is [groups, rows, columns]; columns are (channel, tap)
  std::size_t column_parts, row_parts;                // of each group
  std::size_t chunk_images, chunk_windows;            // several whole images, or a part of one
  std::size_t scratch;                                // floats for each piece

  explicit WeightPieces(const ConvParams& p)
      : groups(p.groups),
        rows(p.o / p.groups),
        channels(p.c / p.groups),
        taps(static_cast<std::size_t>(p.kh) * p.kw),
        columns(channels * taps) {
    const std::size_t windows = std::max<std::size_t>(1, static_cast<std::size_t>(p.oh) * p.ow);
    // Rows share the columns that are gathered, so columns are cut first.
    column_parts = std::max((columns + most_columns - 1) / most_columns, std::min(enough, columns / least_columns));
    const std::size_t wanted = (enough + groups * column_parts - 1) / std::max<std::size_t>(1, groups * column_parts);
    row_parts = std::clamp<std::size_t>(wanted, 1, std::max<std::size_t>(1, rows / least_rows));
    const std::size_t parts = (windows + most_windows - 1) / most_windows;
    chunk_windows = ((windows + parts - 1) / parts + round - 1) / round * round;
    chunk_images = std::clamp<std::size_t>(most_windows / chunk_windows, 1, std::max<std::size_t>(1, p.n));
    const std::size_t widest = (columns + column_parts - 1) / std::max<std::size_t>(1, column_parts);
    scratch = widest * chunk_images * chunk_windows + round;  // the last vector may be written beyond the last window
  }

  std::size_t count() const { return groups * column_parts * row_parts; }

  Piece piece(std::size_t i) const {
    const std::size_t row_part = i % row_parts, column_part = i / row_parts % column_parts;
    const std::size_t first_row = rows * row_part / row_parts, first_column = columns * column_part / column_parts;
    return {.group = i / row_parts / column_parts,
            .first_row = first_row,
            .rows = rows * (row_part + 1) / row_parts - first_row,
            .first_column = first_column,
            .columns = columns * (column_part + 1) / column_parts - first_column};
  }
};

}  // namespace tidepool::inline v0
