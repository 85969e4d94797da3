// A product for GPUs: a workgroup of 256 has 64 rows and 64 columns, loads 16 of k at a time into shared memory, and each work
// item adds up 4 x 4 of the results.
//
// The file that includes this says what is multiplied; see matmul.glsl for what it has to define.
#define BLOCK_ROWS 64
#define BLOCK_COLUMNS 64
#define BLOCK_DEPTH 16
#define ITEM_ROWS 4
#define ITEM_COLUMNS 4

shared float a_tile[BLOCK_DEPTH][BLOCK_ROWS + 1];
shared float b_tile[BLOCK_DEPTH][BLOCK_COLUMNS];

void main() {
  const Block block = block_of(workgroup(), BLOCK_ROWS, BLOCK_COLUMNS);
  if (!has_block(block)) return;  // all of the workgroup
  start(block);
  const uint t = gl_LocalInvocationID.x, most_row = rows() - 1, most_column = columns_in_all() - 1;
  // What this work item loads: one column of b, one k of a.
  const Column loaded = column_at(block, min(block.column + t % BLOCK_COLUMNS, most_column));
  // What it adds up.
  const uint row = t / 16 * ITEM_ROWS, column = t % 16;
  float sums[ITEM_ROWS][ITEM_COLUMNS];
  [[unroll]] for (uint i = 0; i < ITEM_ROWS; ++i)
    [[unroll]] for (uint j = 0; j < ITEM_COLUMNS; ++j) sums[i][j] = 0.0;

  for (uint from = block.first; from < block.last; from += BLOCK_DEPTH) {
    const uint k = from + t % BLOCK_DEPTH;
    const uint at_k = k < block.last ? place_of(block, k).a : 0;
    [[unroll]] for (uint i = 0; i < BLOCK_ROWS / 16; ++i) {
      const uint tile_row = t / BLOCK_DEPTH + i * 16;
      a_tile[t % BLOCK_DEPTH][tile_row] = k < block.last ? a[a_row(block, min(block.row + tile_row, most_row)) + at_k] : 0.0;
    }
    [[unroll]] for (uint i = 0; i < BLOCK_DEPTH / 4; ++i) {
      const uint depth = t / BLOCK_COLUMNS + i * 4;
      b_tile[depth][t % BLOCK_COLUMNS] = from + depth < block.last ? b_value(place_of(block, from + depth), loaded) : 0.0;
    }
    barrier();
    [[unroll]] for (uint depth = 0; depth < BLOCK_DEPTH; ++depth) {
      float a_values[ITEM_ROWS], b_values[ITEM_COLUMNS];
      [[unroll]] for (uint i = 0; i < ITEM_ROWS; ++i) a_values[i] = a_tile[depth][row + i];
      [[unroll]] for (uint j = 0; j < ITEM_COLUMNS; ++j) b_values[j] = b_tile[depth][column + j * 16];
      [[unroll]] for (uint i = 0; i < ITEM_ROWS; ++i)
        [[unroll]] for (uint j = 0; j < ITEM_COLUMNS; ++j) sums[i][j] = fma(a_values[i], b_values[j], sums[i][j]);
    }
    barrier();
  }

  [[unroll]] for (uint j = 0; j < ITEM_COLUMNS; ++j) {
    const uint at = block.column + column + j * 16;
    if (at > most_column) continue;
    const Column of = column_at(block, at);
    [[unroll]] for (uint i = 0; i < ITEM_ROWS; ++i)
      if (block.row + row + i <= most_row) put(block, block.row + row + i, at, of, sums[i][j]);
  }
}
