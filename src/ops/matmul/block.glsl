// Which part of a product a workgroup has: a block of rows and columns of one matrix of many, and a stretch of k.
//
// Before this, a file defines rows(), columns_in_all(), depth(), matrices(), parts() and per_part().
struct Block {
  uint row, column;   // the first of each
  uint matrix, part;
  uint first, last;   // of k
};

Block block_of(uint i, uint block_rows, uint block_columns) {
  const uint down = (rows() + block_rows - 1) / block_rows, across = (columns_in_all() + block_columns - 1) / block_columns;
  Block block;
  block.row = i % down * block_rows;
  i /= down;
  block.column = i % across * block_columns;
  i /= across;
  block.matrix = i % matrices();
  block.part = i / matrices();
  block.first = block.part * per_part();
  block.last = min(block.first + per_part(), depth());
  return block;
}
bool has_block(Block block) { return block.part < parts(); }
// Where a part of the sum waits for the others.
uint place_of_part(Block block, uint row, uint column) {
  return ((block.part * matrices() + block.matrix) * rows() + row) * columns_in_all() + column;
}
