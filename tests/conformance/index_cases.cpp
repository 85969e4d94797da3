#include "conformance/cases.h"

#include <algorithm>

namespace tidepool::conformance {

namespace {

RefTensor gathered(const RefTensors& in, const Case& c) {
  const auto axis = static_cast<std::size_t>(c.axes[0] < 0 ? c.axes[0] + in[0].shape.rank() : c.axes[0]);
  RefTensor result{.shape = in[1].shape, .values = std::vector<double>(in[1].values.size()), .magnitudes = {}};
  for (std::size_t i = 0; i < result.values.size(); ++i) {
    auto place = place_of(in[1].shape, i);
    place[axis] = static_cast<std::int64_t>(in[1].values[i]);
    result.values[i] = in[0].values[index_of(in[0].shape, place)];
  }
  return result;
}

RefTensor looked_up(const RefTensors& in, const Case&) {
  const auto width = static_cast<std::size_t>(in[0].shape[1]);
  std::vector<std::int64_t> sizes(in[1].shape.begin(), in[1].shape.end());
  sizes.push_back(in[0].shape[1]);
  RefTensor result{.shape = Shape(std::span<const std::int64_t>(sizes)), .values = {}, .magnitudes = {}};
  for (const double row : in[1].values)
    for (std::size_t j = 0; j < width; ++j) result.values.push_back(in[0].values[static_cast<std::size_t>(row) * width + j]);
  return result;
}

}  // namespace

void index_cases(std::vector<OpCases>& all) {
  all.push_back({.op = "gather",
                 .make =
                     [](Inputs& in, const Case& c) {
                       const Tensor a = in.uniform(c.shape);
                       const auto size = static_cast<std::int32_t>(c.shape[c.axes[0]]);
                       return gather(a, c.axes[0], in.integers(c.other, 0, std::max(1, size)));
                     },
                 .reference = gathered,
                 .over = {{.shape = {5}, .other = {9}, .axes = {0}},
                          {.shape = {4, 3}, .other = {6, 3}, .axes = {0}},
                          {.shape = {4, 3}, .other = {2, 7}, .axes = {1}},
                          {.shape = {4, 3, 5}, .other = {4, 2, 3}, .axes = {-1}},
                          {.shape = {4, 3, 5}, .other = {3, 8, 5}, .axes = {1}, .view = true},
                          {.shape = {4, 3}, .other = {0, 3}, .axes = {0}},
                          {.shape = {100, 70}, .other = {90, 70}, .axes = {0}},
                          {.shape = {2, 5, 3}, .other = {2, 9001, 2}, .axes = {1}},
                          {.shape = {2, 1, 2, 3, 1, 2, 1, 2}, .other = {2, 1, 2, 4, 1, 2, 1, 1}, .axes = {3}}},
                 .tolerance = 0});
  all.push_back({.op = "embedding",
                 .make =
                     [](Inputs& in, const Case& c) {
                       const Tensor table = in.uniform(c.shape);
                       return embedding(table, in.integers(c.other, 0, static_cast<std::int32_t>(c.shape[0])));
                     },
                 .reference = looked_up,
                 .over = {{.shape = {5, 3}, .other = {}},
                          {.shape = {5, 3}, .other = {7}},
                          {.shape = {5, 3}, .other = {0}},
                          {.shape = {50, 33}, .other = {4, 9}, .view = true},
                          {.shape = {10, 1}, .other = {2000}},
                          {.shape = {3, 2}, .other = {17000}},
                          {.shape = {4000, 3}, .other = {99, 90}}},
                 .tolerance = 0});
  all.push_back({.op = "one_hot",
                 .make = [](Inputs& in, const Case& c) { return one_hot(in.integers(c.shape, 0, 7), 7); },
                 .reference =
                     [](const RefTensors& in, const Case&) {
                       std::vector<std::int64_t> sizes(in[0].shape.begin(), in[0].shape.end());
                       sizes.push_back(7);
                       RefTensor result = filled(Shape(std::span<const std::int64_t>(sizes)), 0);
                       for (std::size_t i = 0; i < in[0].values.size(); ++i)
                         result.values[i * 7 + static_cast<std::size_t>(in[0].values[i])] = 1;
                       return result;
                     },
                 .over = {{.shape = {}}, {.shape = {0}}, {.shape = {5}}, {.shape = {3, 4}, .view = true}, {.shape = {9000}}},
                 .tolerance = 0,
                 .differentiable = false});
}

}  // namespace tidepool::conformance
