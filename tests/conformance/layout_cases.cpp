// Operations that only move numbers: the very bits arrive, whatever they mean.
#include "conformance/cases.h"

namespace tidepool::conformance {

namespace {

std::vector<Case> and_odd_values(std::vector<Case> cases) {
  return with(std::move(cases),
              {{.shape = {2, special_count}, .other = {3, 2, special_count}, .begin = 1, .end = 2, .values = Values::special},
               {.shape = {2, denormal_count}, .other = {3, 2, denormal_count}, .begin = 1, .end = 2, .values = Values::denormals}});
}

void copying_cases(std::vector<OpCases>& all) {
  all.push_back({.op = "clone",
                 .make = [](Inputs& in, const Case& c) { return in.uniform(c.shape).clone(); },
                 .reference = [](const RefTensors& in, const Case&) { return in[0]; },
                 .over = and_odd_values(plain_shapes()),
                 .tolerance = 0});
  all.push_back({.op = "permute",
                 .make = [](Inputs& in, const Case& c) { return permute(in.uniform(c.shape), std::span<const std::int64_t>(c.axes)); },
                 .reference = [](const RefTensors& in, const Case& c) { return permuted(in[0], c.axes); },
                 .over = {{.shape = {4}, .axes = {0}},
                          {.shape = {3, 5}, .axes = {1, 0}},
                          {.shape = {2, 3, 4}, .axes = {2, 0, 1}},
                          {.shape = {2, 3, 4}, .axes = {0, 1, 2}},
                          {.shape = {5, 33, 65}, .axes = {1, 2, 0}},
                          {.shape = {20, 3, 65}, .axes = {2, 1, 0}, .view = true},
                          {.shape = {2, 17, 5, 6}, .axes = {0, 2, 3, 1}},
                          {.shape = {2, 17, 5, 6}, .axes = {0, -1, 1, -2}},
                          {.shape = {2, 1, 2, 3, 1, 2, 4, 2}, .axes = {7, 1, 3, 5, 0, 2, 4, 6}},
                          {.shape = {0, 3}, .axes = {1, 0}}},
                 .tolerance = 0});
  all.push_back({.op = "clone",
                 .form = "of_bytes",
                 .make = [](Inputs& in, const Case& c) { return in.bytes(c.shape, 0, 256).clone(); },
                 .reference = [](const RefTensors& in, const Case&) { return in[0]; },
                 .over = plain_shapes(),
                 .tolerance = 0,
                 .differentiable = false});
  all.push_back({.op = "permute",
                 .form = "of_bytes",
                 .make = [](Inputs& in, const Case& c) { return nchw_to_nhwc(in.bytes(c.shape, 0, 256)); },
                 .reference =
                     [](const RefTensors& in, const Case&) {
                       return permuted(in[0], {0, 2, 3, 1});
                     },
                 .over = {{.shape = {2, 17, 5, 6}}, {.shape = {1, 3, 33, 20}, .view = true}},
                 .tolerance = 0,
                 .differentiable = false});
  all.push_back({.op = "permute",
                 .form = "of_halves",
                 .make = [](Inputs& in, const Case& c) { return nhwc_to_nchw(in.bytes(c.shape, 0, 256).to(DType::f16)).to(DType::f32); },
                 .reference =
                     [](const RefTensors& in, const Case&) {
                       return permuted(in[0], {0, 3, 1, 2});
                     },
                 .over = {{.shape = {2, 17, 5, 6}}},
                 .tolerance = 0,
                 .differentiable = false});
  all.push_back({.op = "concat",
                 .make =
                     [](Inputs& in, const Case& c) {
                       const Tensor a = in.uniform(c.shape), b = in.uniform(c.other);
                       return concat({a, b, a}, c.axes[0]);
                     },
                 .reference =
                     [](const RefTensors& in, const Case& c) {
                       return joined({in[0], in[1], in[0]}, c.axes[0]);
                     },
                 .over = {{.shape = {4}, .other = {3}, .axes = {0}},
                          {.shape = {4}, .other = {0}, .axes = {0}},
                          {.shape = {3, 5}, .other = {2, 5}, .axes = {0}},
                          {.shape = {3, 5}, .other = {3, 70}, .axes = {1}, .view = true},
                          {.shape = {3, 5, 4}, .other = {3, 1, 4}, .axes = {-2}},
                          {.shape = {2, 1, 2, 1, 2, 1, 2, 2}, .other = {2, 1, 2, 3, 2, 1, 2, 2}, .axes = {3}}},
                 .tolerance = 0});
  const auto of_narrow = [&](const char* form, DType type) {
    all.push_back({.op = "concat",
                   .form = form,
                   .make =
                       [type](Inputs& in, const Case& c) {
                         const Tensor a = in.bytes(c.shape, 0, 256).to(type), b = in.bytes(c.other, 0, 256).to(type);
                         return concat({a, b, a, a}, c.axes[0]);
                       },
                   .reference =
                       [](const RefTensors& in, const Case& c) {
                         return joined({in[0], in[1], in[0], in[0]}, c.axes[0]);
                       },
                   .over = {{.shape = {3}, .other = {1}, .axes = {0}},
                            {.shape = {3, 1}, .other = {3, 2}, .axes = {1}},
                            {.shape = {3, 5}, .other = {3, 70}, .axes = {1}, .view = true},
                            {.shape = {3, 5, 7}, .other = {3, 1, 7}, .axes = {1}}},
                   .tolerance = 0,
                   .differentiable = false});
  };
  of_narrow("of_bytes", DType::u8);
  of_narrow("of_halves", DType::f16);
  all.push_back({.op = "concat",
                 .form = "of_many",
                 .make =
                     [](Inputs& in, const Case& c) {
                       const Tensor a = in.uniform(c.shape);
                       return concat(std::vector<Tensor>(150, a), 1);
                     },
                 .reference = [](const RefTensors& in, const Case&) { return joined(RefTensors(150, in[0]), 1); },
                 .over = {{.shape = {2, 3}}},
                 .tolerance = 0});
  all.push_back({.op = "concat",
                 .form = "stacked",
                 .make =
                     [](Inputs& in, const Case& c) {
                       const Tensor a = in.uniform(c.shape), b = in.uniform(c.shape);
                       return stack({a, b}, c.axes[0]);
                     },
                 .reference =
                     [](const RefTensors& in, const Case& c) {
                       const auto at = c.axes[0] < 0 ? c.axes[0] + c.shape.rank() + 1 : c.axes[0];
                       std::vector<std::int64_t> sizes(c.shape.begin(), c.shape.end());
                       sizes.insert(sizes.begin() + at, 1);
                       const Shape shape{std::span<const std::int64_t>(sizes)};
                       return joined({reshaped(in[0], shape), reshaped(in[1], shape)}, at);
                     },
                 .over = {{.shape = {}, .axes = {0}},
                          {.shape = {3, 4}, .axes = {0}},
                          {.shape = {3, 4}, .axes = {1}},
                          {.shape = {3, 4}, .axes = {-1}}},
                 .tolerance = 0});
  all.push_back({.op = "part",
                 .make = [](Inputs& in, const Case& c) { return split(in.uniform(c.shape), 3, c.axes[0])[1]; },
                 .reference =
                     [](const RefTensors& in, const Case& c) {
                       const std::int64_t size = in[0].shape[c.axes[0]], first = (size + 2) / 3;
                       return part_of(in[0], c.axes[0], first, first + (size + 1) / 3);
                     },
                 .over = {{.shape = {6}, .axes = {0}},
                          {.shape = {4, 7}, .axes = {1}},
                          {.shape = {4, 8, 3}, .axes = {1}, .view = true},
                          {.shape = {40, 9}, .axes = {1}},
                          {.shape = {4, 2}, .axes = {1}}},
                 .tolerance = 0});
  all.push_back({.op = "transpose",
                 .make = [](Inputs& in, const Case& c) { return transpose(in.uniform(c.shape)); },
                 .reference = [](const RefTensors& in, const Case&) { return swap_last_axes(in[0]); },
                 .over = and_odd_values({{.shape = {1, 1}},
                                         {.shape = {2, 3}},
                                         {.shape = {1, 127}},
                                         {.shape = {127, 1}},
                                         {.shape = {65, 33}},
                                         {.shape = {300, 257}},
                                         {.shape = {3, 65, 4}},
                                         {.shape = {2, 1, 2, 3, 1, 2, 9, 8}},
                                         {.shape = {9, 7}, .view = true},
                                         {.shape = {2, 64, 65}, .view = true},
                                         {.shape = {0, 3}},
                                         {.shape = {2, 3, 0}}}),
                 .tolerance = 0});
  all.push_back({.op = "broadcast_to",
                 .make = [](Inputs& in, const Case& c) { return broadcast_to(in.uniform(c.shape), c.other); },
                 .reference = [](const RefTensors& in, const Case& c) { return broadcast(in[0], c.other); },
                 .over = and_odd_values({{.shape = {}, .other = {}},
                                         {.shape = {}, .other = {70000}},
                                         {.shape = {1}, .other = {65}},
                                         {.shape = {3}, .other = {5, 3}},
                                         {.shape = {5, 1}, .other = {5, 3}},
                                         {.shape = {2, 1, 4}, .other = {2, 3, 4}},
                                         {.shape = {2, 3, 4}, .other = {2, 3, 4}},
                                         {.shape = {250}, .other = {300, 250}},
                                         {.shape = {3, 1, 2, 1, 2}, .other = {2, 1, 2, 3, 2, 2, 3, 2}},
                                         {.shape = {9, 1}, .other = {7, 9, 64}, .view = true},
                                         {.shape = {1}, .other = {0}},
                                         {.shape = {3, 1}, .other = {2, 3, 0}},
                                         {.shape = {0}, .other = {4, 0}}}),
                 .tolerance = 0});
}

Shape flat_from(const Shape& shape, std::int64_t from) {
  std::vector<std::int64_t> sizes(shape.begin(), shape.begin() + from);
  std::int64_t rest = 1;
  for (std::int64_t axis = from; axis < shape.rank(); ++axis) rest *= shape[axis];
  sizes.push_back(rest);
  return Shape(std::span<const std::int64_t>(sizes));
}

void view_cases(std::vector<OpCases>& all) {
  all.push_back({.op = "reshape",
                 .make = [](Inputs& in, const Case& c) { return in.uniform(c.shape).reshape(c.other); },
                 .reference = [](const RefTensors& in, const Case& c) { return reshaped(in[0], c.other); },
                 .over = {{.shape = {}, .other = {1, 1}},
                          {.shape = {1}, .other = {}},
                          {.shape = {6}, .other = {2, 3}},
                          {.shape = {70000}, .other = {7, 100, 100}},
                          {.shape = {2, 1, 2, 3, 1, 2, 1, 2}, .other = {48}},
                          {.shape = {48}, .other = {2, 1, 2, 3, 1, 2, 1, 2}},
                          {.shape = {5, 7}, .other = {7, 5}, .view = true},
                          {.shape = {0}, .other = {3, 0}},
                          {.shape = {special_count}, .other = {2, special_count / 2}, .values = Values::special}},
                 .tolerance = 0});
  all.push_back({.op = "reshape",
                 .form = "with_one_size_left_open",
                 .make =
                     [](Inputs& in, const Case& c) {
                       return in.uniform(c.shape).reshape({2, -1, 5});
                     },
                 .reference =
                     [](const RefTensors& in, const Case& c) {
                       return reshaped(in[0], {2, c.shape.numel() / 10, 5});
                     },
                 .over = {{.shape = {10}}, {.shape = {30, 2}}, {.shape = {4, 5}, .view = true}, {.shape = {0}}},
                 .tolerance = 0});
  all.push_back({.op = "reshape",
                 .form = "flatten",
                 .make = [](Inputs& in, const Case& c) { return in.uniform(c.shape).flatten(c.begin); },
                 .reference = [](const RefTensors& in, const Case& c) { return reshaped(in[0], flat_from(c.shape, c.begin)); },
                 .over = {{.shape = {}},
                          {.shape = {4}},
                          {.shape = {4, 5}},
                          {.shape = {4, 5, 6}, .begin = 1},
                          {.shape = {4, 5, 6}, .begin = 2},
                          {.shape = {3, 0}}},
                 .tolerance = 0});
  all.push_back({.op = "slice",
                 .make = [](Inputs& in, const Case& c) { return in.uniform(c.shape).slice(c.begin, c.end); },
                 .reference = [](const RefTensors& in, const Case& c) { return rows(in[0], c.begin, c.end); },
                 .over = and_odd_values({{.shape = {1}, .begin = 0, .end = 1},
                                         {.shape = {5, 3}, .begin = 1, .end = 4},
                                         {.shape = {70000}, .begin = 63, .end = 69999},
                                         {.shape = {9, 2, 3}, .begin = 8, .end = 9},
                                         {.shape = {4, 1, 2, 3, 1, 2, 1, 2}, .begin = 1, .end = 3},
                                         {.shape = {7, 5}, .begin = 2, .end = 6, .view = true},
                                         {.shape = {4, 3}, .begin = 2, .end = 2},
                                         {.shape = {4, 3}, .begin = 4, .end = 4},
                                         {.shape = {0, 3}, .begin = 0, .end = 0},
                                         {.shape = {4, 0}, .begin = 1, .end = 3}}),
                 .tolerance = 0});
  // Rows that are used twice get both gradients, and both operands start at odd places of one block.
  all.push_back({.op = "slice",
                 .form = "of_overlapping_rows",
                 .make =
                     [](Inputs& in, const Case& c) {
                       const Tensor x = in.uniform(c.shape);
                       return x.slice(c.begin, c.end) * x.slice(c.begin - 1, c.end - 1);
                     },
                 .reference =
                     [](const RefTensors& in, const Case& c) {
                       return zip(rows(in[0], c.begin, c.end), rows(in[0], c.begin - 1, c.end - 1),
                                  [](double x, double y) { return x * y; });
                     },
                 .over = {{.shape = {5, 3}, .begin = 1, .end = 4},
                          {.shape = {1000}, .begin = 7, .end = 992},
                          {.shape = {64, 9}, .begin = 3, .end = 64, .view = true}}});
}

// f16 has no arithmetic, but gradients go through it all the same: those of a tensor that is used twice, or spread, are added.
void half_cases(std::vector<OpCases>& all) {
  const auto of_halves = [&](const char* op, const char* form, auto&& make, auto&& reference, std::vector<Case> over) {
    all.push_back({.op = op,
                   .form = form,
                   .make = [make](Inputs& in, const Case& c) { return make(in.uniform(c.shape, 0.1, 1).to(DType::f16), c).to(DType::f32); },
                   .reference = [reference](const RefTensors& in, const Case& c) { return reference(in[0], c); },
                   .over = std::move(over),
                   .tolerance = 5e-4,
                   .gradient_tolerance = 1e-3});
  };
  of_halves(
      "clone", "of_halves", [](const Tensor& h, const Case&) { return h.clone(); }, [](const RefTensor& x, const Case&) { return x; },
      {{.shape = {}}, {.shape = {9}, .view = true}, {.shape = {70001}}});
  of_halves(
      "reshape", "of_halves", [](const Tensor& h, const Case& c) { return h.reshape(c.other); },
      [](const RefTensor& x, const Case& c) { return reshaped(x, c.other); },
      {{.shape = {6}, .other = {2, 3}}, {.shape = {5, 7}, .other = {35}, .view = true}});
  of_halves(
      "slice", "of_halves", [](const Tensor& h, const Case& c) { return h.slice(c.begin, c.end); },
      [](const RefTensor& x, const Case& c) { return rows(x, c.begin, c.end); },
      {{.shape = {5, 3}, .begin = 1, .end = 4}, {.shape = {7}, .begin = 3, .end = 4}, {.shape = {7}, .begin = 3, .end = 3}});
  of_halves(
      "slice", "of_overlapping_halves",
      [](const Tensor& h, const Case& c) {
        return h.slice(c.begin, c.end).to(DType::f32) + h.slice(c.begin - 1, c.end - 1).to(DType::f32);
      },
      [](const RefTensor& x, const Case& c) {
        return zip(rows(x, c.begin, c.end), rows(x, c.begin - 1, c.end - 1), [](double a, double b) { return a + b; });
      },
      {{.shape = {5, 3}, .begin = 1, .end = 4}, {.shape = {1000}, .begin = 7, .end = 992}});
  of_halves(
      "broadcast_to", "of_halves", [](const Tensor& h, const Case& c) { return broadcast_to(h, c.other); },
      [](const RefTensor& x, const Case& c) { return broadcast(x, c.other); },
      {{.shape = {}, .other = {7}}, {.shape = {3}, .other = {5, 3}}, {.shape = {2, 1, 4}, .other = {2, 3, 4}}});
  of_halves(
      "permute", "of_halves_with_gradients",
      [](const Tensor& h, const Case&) {
        return transpose(permute(h, {1, 2, 0}));
      },
      [](const RefTensor& x, const Case&) {
        return permuted(x, {1, 0, 2});
      },
      {{.shape = {2, 3, 5}}});
  of_halves(
      "concat", "of_halves_with_gradients",
      [](const Tensor& h, const Case& c) {
        return concat({h, h, h}, c.axes[0]);
      },
      [](const RefTensor& x, const Case& c) {
        return joined({x, x, x}, c.axes[0]);
      },
      {{.shape = {3}, .axes = {0}}, {.shape = {3, 5}, .axes = {1}}});
  of_halves(
      "part", "of_halves", [](const Tensor& h, const Case&) { return split(h, 3, 1)[1]; },
      [](const RefTensor& x, const Case&) { return part_of(x, 1, 3, 5); }, {{.shape = {4, 7}}});
}

}  // namespace

void layout_cases(std::vector<OpCases>& all) {
  copying_cases(all);
  view_cases(all);
  half_cases(all);
}

}  // namespace tidepool::conformance
