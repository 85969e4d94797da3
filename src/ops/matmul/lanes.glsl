// A product for devices where loads cost more than sums, such as llvmpipe: a workgroup is one subgroup of eight lanes, with
// 16 rows and eight columns for each lane. Every lane loads one k of all rows of a, and tells it to the others.
//
// The file that includes this says what is multiplied; see matmul.glsl for what it has to define. With VECTORS it also has b_four(place, column):
// what b has in four columns that follow each other, of which this is the first. That takes a fifth less time.
#define BLOCK_ROWS 16
#define LANE_COLUMNS 8
#define BLOCK_COLUMNS 64

#ifdef VECTORS
uint lane_column(uint j) { return j / 4 * 32 + gl_SubgroupInvocationID * 4 + j % 4; }
#define LOAD_B(at)                                                     \
  [[unroll]] for (uint j = 0; j < LANE_COLUMNS; j += 4) {              \
    const vec4 four = b_four(at, columns[j]);                          \
    [[unroll]] for (uint next = 0; next < 4; ++next) b[j + next] = four[next]; \
  }
#else
uint lane_column(uint j) { return j * 8 + gl_SubgroupInvocationID; }
#define LOAD_B(at) [[unroll]] for (uint j = 0; j < LANE_COLUMNS; ++j) b[j] = b_value(at, columns[j]);
#endif

void main() {
  const Block block = block_of(workgroup(), BLOCK_ROWS, BLOCK_COLUMNS);
  if (!has_block(block)) return;
  start(block);
  const uint lane = gl_SubgroupInvocationID, most_row = rows() - 1;
  Column columns[LANE_COLUMNS];
  [[unroll]] for (uint j = 0; j < LANE_COLUMNS; ++j) columns[j] = column_at(block, min(block.column + lane_column(j), columns_in_all() - 1));
  float sums[BLOCK_ROWS][LANE_COLUMNS];
  [[unroll]] for (uint i = 0; i < BLOCK_ROWS; ++i)
    [[unroll]] for (uint j = 0; j < LANE_COLUMNS; ++j) sums[i][j] = 0.0;

  uint a_rows[BLOCK_ROWS];
  [[unroll]] for (uint i = 0; i < BLOCK_ROWS; ++i) a_rows[i] = a_row(block, min(block.row + i, most_row));

  for (uint k = block.first; k < block.last; k += 8) {
    const Place mine = place_of(block, min(k + lane, block.last - 1));
    float a_values[BLOCK_ROWS];
    [[unroll]] for (uint i = 0; i < BLOCK_ROWS; ++i) a_values[i] = a[a_rows[i] + mine.a];
    // As a loop: all eight at once keep more values than there are registers, which takes half as long again.
    const uint tellers = min(8, block.last - k);
    [[dont_unroll]] for (uint teller = 0; teller < tellers; ++teller) {
      const Place at = PLACE_TOLD(mine, teller, place_of(block, k + teller));
      float b[LANE_COLUMNS];
      LOAD_B(at)
      [[unroll]] for (uint i = 0; i < BLOCK_ROWS; ++i) {
        const float told = subgroupBroadcast(a_values[i], teller);
        [[unroll]] for (uint j = 0; j < LANE_COLUMNS; ++j) sums[i][j] = fma(told, b[j], sums[i][j]);
      }
    }
  }

  // As a loop as well: written out, it takes the driver half a minute to compile.
  [[dont_unroll]] for (uint i = 0; i < BLOCK_ROWS; ++i)
    [[unroll]] for (uint j = 0; j < LANE_COLUMNS; ++j) {
      const uint row = block.row + i, column = block.column + lane_column(j);
      if (row < rows() && column < columns_in_all()) put(block, row, column, columns[j], sums[i][j]);
    }
}
