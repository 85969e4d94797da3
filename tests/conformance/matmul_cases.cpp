#include "conformance/cases.h"

namespace tidepool::conformance {

namespace {

Case product(std::int64_t m, std::int64_t k, std::int64_t n, bool view = false) { return {.shape = {m, k}, .other = {k, n}, .view = view}; }

}  // namespace

void matmul_cases(std::vector<OpCases>& all) {
  all.push_back({.op = "matmul",
                 .make =
                     [](Inputs& in, const Case& c) {
                       const Tensor a = in.uniform(c.shape);
                       return matmul(a, in.normal(c.other));
                     },
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
                          product(7, 9, 11, true),
                          product(33, 129, 17, true),
                          product(0, 3, 4),
                          product(3, 0, 4),
                          product(3, 4, 0),
                          product(0, 0, 0),
                          {.shape = {special_count, 1}, .other = {1, special_count}, .values = Values::special},
                          {.shape = {2, special_count}, .other = {special_count, 2}, .values = Values::special}},
                 .tolerance = 2e-6});
}

}  // namespace tidepool::conformance
