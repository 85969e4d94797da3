#include "conformance/cases.h"

namespace tidepool::conformance {

namespace {

Case product(std::int64_t m, std::int64_t k, std::int64_t n, bool view = false) { return {.shape = {m, k}, .other = {k, n}, .view = view}; }

Shape joined(const Shape& batch, std::initializer_list<std::int64_t> last) {
  std::vector<std::int64_t> sizes(batch.begin(), batch.end());
  sizes.insert(sizes.end(), last);
  return Shape(std::span<const std::int64_t>(sizes));
}

// By PyTorch's rules: a vector is a row on the left and a column on the right, and the axis that this adds goes again.
RefTensor batched_product(const RefTensor& left, const RefTensor& right) {
  const bool row = left.shape.rank() == 1, column = right.shape.rank() == 1;
  RefTensor a = row ? reshaped(left, {1, left.shape[0]}) : left, b = column ? reshaped(right, {right.shape[0], 1}) : right;
  const std::int64_t m = a.shape[-2], k = a.shape[-1], n = b.shape[-1];
  const auto batch_of = [](const Shape& shape) { return Shape(std::span(shape.begin(), shape.end() - 2)); };
  const Shape batch = broadcast_of(batch_of(a.shape), batch_of(b.shape));
  const std::int64_t batches = batch.numel();
  a = reshaped(broadcast(a, joined(batch, {m, k})), {batches * m, k});
  b = reshaped(broadcast(b, joined(batch, {k, n})), {batches * k, n});
  RefTensor result{.shape = row && column ? batch : row ? joined(batch, {n}) : column ? joined(batch, {m}) : joined(batch, {m, n})};
  for (std::int64_t i = 0; i < batches; ++i) {
    const RefTensor one = matrix_product(rows(a, i * m, (i + 1) * m), rows(b, i * k, (i + 1) * k));
    result.values.insert(result.values.end(), one.values.begin(), one.values.end());
    result.magnitudes.insert(result.magnitudes.end(), one.magnitudes.begin(), one.magnitudes.end());
  }
  return result;
}

Tensor make_product(Inputs& in, const Case& c) {
  const Tensor a = in.uniform(c.shape);
  return matmul(a, in.normal(c.other));
}

}  // namespace

void matmul_cases(std::vector<OpCases>& all) {
  all.push_back({.op = "matmul",
                 .make = make_product,
                 .reference = [](const RefTensors& in, const Case&) { return matrix_product(in[0], in[1]); },
                 .over = {product(1, 1, 1),
                          product(2, 3, 4),
                          product(4, 8, 16),
                          product(5, 7, 9),
                          product(8, 8, 8),
                          product(3, 5, 15),
                          product(3, 5, 17),
                          product(63, 64, 65),
                          product(65, 64, 63),
                          product(127, 1, 127),
                          product(1, 1000, 1),
                          product(1, 64, 300),
                          product(300, 64, 1),
                          product(70000, 2, 3),
                          product(64, 256, 96),
                          product(14, 300, 13),  // a second block of k
                          product(7, 9, 11, true),
                          product(33, 129, 17, true),
                          product(0, 3, 4),
                          product(3, 0, 4),
                          product(3, 4, 0),
                          product(0, 0, 0),
                          {.shape = {special_count, 1}, .other = {1, special_count}, .values = Values::special},
                          {.shape = {2, special_count}, .other = {special_count, 2}, .values = Values::special}},
                 .tolerance = 2e-6});
  all.push_back({.op = "matmul",
                 .form = "of_batches",
                 .make = make_product,
                 .reference = [](const RefTensors& in, const Case&) { return batched_product(in[0], in[1]); },
                 .over = {{.shape = {3, 2, 4}, .other = {3, 4, 5}},
                          {.shape = {9, 5, 3}, .other = {9, 3, 2}},
                          {.shape = {2, 31, 33}, .other = {2, 33, 30}},
                          {.shape = {5, 31, 33}, .other = {5, 33, 30}, .view = true},
                          {.shape = {2, 3, 4}, .other = {4, 5}},
                          {.shape = {3, 4}, .other = {2, 2, 4, 5}},
                          {.shape = {1, 3, 2, 4}, .other = {2, 1, 4, 3}},
                          {.shape = {4, 1, 3, 7}, .other = {5, 7, 2}, .view = true},
                          {.shape = {2, 1, 2, 1, 2, 1, 2, 3}, .other = {1, 2, 1, 2, 2, 2, 3, 2}},
                          {.shape = {0, 2, 3}, .other = {0, 3, 2}},
                          {.shape = {0, 2, 3}, .other = {1, 3, 2}},
                          {.shape = {2, 3, 0}, .other = {2, 0, 3}},
                          {.shape = {2, 0, 3}, .other = {3, 2}},
                          {.shape = {4}, .other = {4}},
                          {.shape = {4}, .other = {4, 3}},
                          {.shape = {3, 4}, .other = {4}},
                          {.shape = {4}, .other = {2, 4, 3}},
                          {.shape = {2, 3, 4}, .other = {4}, .view = true},
                          {.shape = {0}, .other = {0}}},
                 .tolerance = 2e-6});
}

}  // namespace tidepool::conformance
