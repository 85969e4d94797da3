#include "conformance/cases.h"

#include <algorithm>
#include <cmath>

namespace tidepool::conformance {

namespace {

// options: stride, padding, dilation, groups; for conv2d then whether there is a bias, and the activation; for
// conv2d_transpose then the output padding, and whether there is a bias.
Conv2dOptions conv_options(const Case& c) {
  return {.stride = c.options[0],
          .padding = c.options[1],
          .dilation = c.options[2],
          .groups = c.options[3],
          .activation = static_cast<Activation>(c.options[5])};
}
ConvTranspose2dOptions transposed_options(const Case& c) {
  return {
      .stride = c.options[0], .padding = c.options[1], .output_padding = c.options[4], .dilation = c.options[2], .groups = c.options[3]};
}
Im2colOptions column_options(const Case& c) {
  return {.kernel = c.options[0], .stride = c.options[1], .padding = c.options[2], .dilation = c.options[3]};
}

// Calls visit(small, large, weight) with the elements that belong together, for images `small` of windows over images `large`.
template <class Visit>
void for_products(const Shape& small, const Shape& large, const Shape& w, const Case& c, Visit&& visit) {
  const std::int64_t stride = c.options[0], padding = c.options[1], dilation = c.options[2], groups = c.options[3];
  const std::int64_t rows = small[1] / groups, channels = w[1];
  std::int64_t at = 0;
  for (std::int64_t n = 0; n < small[0]; ++n)
    for (std::int64_t o = 0; o < small[1]; ++o)
      for (std::int64_t oy = 0; oy < small[2]; ++oy)
        for (std::int64_t ox = 0; ox < small[3]; ++ox, ++at)
          for (std::int64_t k = 0; k < channels * w[2] * w[3]; ++k) {
            const std::int64_t kx = k % w[3], ky = k / w[3] % w[2], channel = o / rows * channels + k / w[3] / w[2];
            const std::int64_t y = oy * stride - padding + ky * dilation, x = ox * stride - padding + kx * dilation;
            if (y < 0 || y >= large[2] || x < 0 || x >= large[3]) continue;
            visit(static_cast<std::size_t>(at), static_cast<std::size_t>(((n * large[1] + channel) * large[2] + y) * large[3] + x),
                  static_cast<std::size_t>(o * channels * w[2] * w[3] + k));
          }
}

std::int64_t windows_along(std::int64_t size, std::int64_t kernel, const Case& c) {
  return (size + 2 * c.options[1] - c.options[2] * (kernel - 1) - 1) / c.options[0] + 1;
}

double activated(double x, std::int64_t activation) {
  switch (static_cast<Activation>(activation)) {
    case Activation::relu:
      return std::max(x, 0.0);
    case Activation::sigmoid:
      return 1 / (1 + std::exp(-x));
    case Activation::tanh:
      return std::tanh(x);
    default:
      return x;
  }
}

RefTensor with_bias(const Shape& shape, const RefTensors& in) {
  RefTensor y = filled(shape, 0);
  const std::size_t plane = static_cast<std::size_t>(shape[2] * shape[3]), channels = static_cast<std::size_t>(shape[1]);
  if (in.size() > 2)
    for (std::size_t i = 0; i < y.values.size(); ++i) y.values[i] = in[2].values[i / plane % channels];
  y.magnitudes = map(y, [](double value) { return std::abs(value); }).values;
  return y;
}

void add(RefTensor& y, std::size_t at, double term) {
  y.values[at] += term;
  y.magnitudes[at] += std::abs(term);
}

RefTensor convolved(const RefTensors& in, const Case& c) {
  const RefTensor &x = in[0], &w = in[1];
  RefTensor y = with_bias({x.shape[0], w.shape[0], windows_along(x.shape[2], w.shape[2], c), windows_along(x.shape[3], w.shape[3], c)}, in);
  for_products(y.shape, x.shape, w.shape, c,
               [&](std::size_t small, std::size_t large, std::size_t weight) { add(y, small, x.values[large] * w.values[weight]); });
  for (double& value : y.values) value = activated(value, c.options[5]);
  return y;
}

RefTensor transposed(const RefTensors& in, const Case& c) {
  const RefTensor &x = in[0], &w = in[1];
  const auto size = [&](std::int64_t axis) {
    return (x.shape[axis] - 1) * c.options[0] - 2 * c.options[1] + c.options[2] * (w.shape[axis] - 1) + c.options[4] + 1;
  };
  RefTensor y = with_bias({x.shape[0], w.shape[1] * c.options[3], size(2), size(3)}, in);
  for_products(x.shape, y.shape, w.shape, c,
               [&](std::size_t small, std::size_t large, std::size_t weight) { add(y, large, x.values[small] * w.values[weight]); });
  return y;
}

// The columns of an image, as places: columns[i] is image element places[i], or nothing where that is -1.
std::vector<std::int64_t> column_places(const Shape& x, const Im2colOptions& o, Shape& columns) {
  const auto windows = [&](std::int64_t size) { return (size + 2 * o.padding - o.dilation * (o.kernel - 1) - 1) / o.stride + 1; };
  const std::int64_t oh = windows(x[2]), ow = windows(x[3]);
  columns = {x[0], x[1] * o.kernel * o.kernel, oh * ow};
  std::vector<std::int64_t> places;
  for (std::int64_t i = 0; i < columns.numel(); ++i) {
    const std::int64_t window = i % (oh * ow), row = i / (oh * ow), tap = row % (o.kernel * o.kernel);
    const std::int64_t y = window / ow * o.stride - o.padding + tap / o.kernel * o.dilation;
    const std::int64_t at = window % ow * o.stride - o.padding + tap % o.kernel * o.dilation;
    const bool inside = y >= 0 && y < x[2] && at >= 0 && at < x[3];
    places.push_back(inside ? (row / (o.kernel * o.kernel) * x[2] + y) * x[3] + at : -1);
  }
  return places;
}

RefTensor unfolded(const RefTensor& x, const Case& c) {
  RefTensor columns;
  for (const std::int64_t place : column_places(x.shape, column_options(c), columns.shape))
    columns.values.push_back(place < 0 ? 0 : x.values[static_cast<std::size_t>(place)]);
  return columns;
}

RefTensor folded(const RefTensor& columns, const Case& c) {
  RefTensor x = filled(c.shape, 0);
  x.magnitudes.resize(x.values.size());
  Shape shape;
  const std::vector<std::int64_t> places = column_places(c.shape, column_options(c), shape);
  for (std::size_t i = 0; i < places.size(); ++i)
    if (places[i] >= 0) add(x, static_cast<std::size_t>(places[i]), columns.values[i]);
  return x;
}

std::vector<Case> column_cases() {
  return {{.shape = {1, 1, 1, 1}, .options = {1, 1, 0, 1}},      {.shape = {2, 3, 5, 7}, .options = {3, 1, 1, 1}},
          {.shape = {1, 2, 8, 6}, .options = {2, 2, 0, 1}},      {.shape = {2, 1, 7, 9}, .options = {3, 2, 2, 2}},
          {.shape = {1, 2, 4, 4}, .options = {4, 3, 0, 1}},      {.shape = {1, 1, 2, 3}, .options = {1, 1, 3, 1}},
          {.shape = {3, 8, 20, 19}, .options = {3, 1, 1, 1}},    {.shape = {1, 2, 5, 6}, .options = {3, 1, 0, 1}, .view = true},
          {.shape = {0, 2, 4, 4}, .options = {3, 1, 1, 1}},      {.shape = {2, 0, 4, 4}, .options = {3, 1, 1, 1}},
          {.shape = {1, 2, 6, 7}, .options = {5, 2, 1, 1}},      {.shape = {1, 1, 7, 8}, .options = {3, 1, 0, 3}},
          {.shape = {1, 1, 260, 260}, .options = {260, 1, 0, 1}}};
}

Tensor make_conv(Inputs& in, const Case& c) {
  const Tensor x = in.uniform(c.shape), w = in.uniform(c.other);
  return c.options[4] ? conv2d(x, w, in.uniform({c.other[0]}), conv_options(c)) : conv2d(x, w, {}, conv_options(c));
}

Tensor make_transposed(Inputs& in, const Case& c) {
  const Tensor x = in.uniform(c.shape), w = in.uniform(c.other);
  return c.options[5] ? conv2d_transpose(x, w, in.uniform({c.other[1] * c.options[3]}), transposed_options(c))
                      : conv2d_transpose(x, w, {}, transposed_options(c));
}

std::vector<Case> conv_shapes() {
  return {{.shape = {1, 1, 1, 1}, .other = {1, 1, 1, 1}, .options = {1, 0, 1, 1, 1, 0}},
          {.shape = {2, 3, 5, 7}, .other = {4, 3, 3, 3}, .options = {1, 1, 1, 1, 1, 0}},
          {.shape = {1, 2, 8, 9}, .other = {3, 2, 2, 4}, .options = {1, 0, 1, 1, 0, 0}},
          {.shape = {2, 2, 9, 8}, .other = {7, 2, 3, 2}, .options = {2, 1, 1, 1, 1, 0}},
          {.shape = {1, 3, 11, 10}, .other = {2, 3, 3, 3}, .options = {3, 2, 2, 1, 0, 0}},
          {.shape = {2, 4, 6, 5}, .other = {6, 2, 3, 3}, .options = {1, 1, 1, 2, 1, 0}},
          {.shape = {1, 5, 6, 6}, .other = {10, 1, 3, 3}, .options = {2, 1, 1, 5, 1, 0}},
          {.shape = {1, 1, 3, 2}, .other = {2, 1, 1, 1}, .options = {1, 4, 1, 1, 1, 0}},
          {.shape = {2, 1, 20, 20}, .other = {3, 1, 17, 18}, .options = {1, 0, 1, 1, 1, 0}},
          {.shape = {1, 30, 6, 6}, .other = {13, 30, 3, 3}, .options = {1, 1, 1, 1, 1, 0}},
          {.shape = {1, 1, 40, 41}, .other = {18, 1, 3, 3}, .options = {1, 1, 1, 1, 1, 0}},
          {.shape = {7, 6, 4, 4}, .other = {5, 6, 3, 3}, .options = {1, 1, 1, 1, 0, 0}},
          {.shape = {2, 3, 5, 7}, .other = {4, 3, 3, 3}, .options = {1, 1, 1, 1, 1, 0}, .view = true},
          {.shape = {1, 2, 9, 9}, .other = {3, 2, 3, 3}, .options = {2, 0, 1, 1, 0, 0}, .view = true},
          {.shape = {0, 2, 4, 4}, .other = {3, 2, 3, 3}, .options = {1, 1, 1, 1, 1, 0}},
          {.shape = {2, 0, 4, 4}, .other = {3, 0, 3, 3}, .options = {1, 1, 1, 1, 1, 0}},
          {.shape = {2, 2, 4, 4}, .other = {0, 2, 3, 3}, .options = {1, 1, 1, 1, 1, 0}}};
}

std::vector<Case> activated_shapes() {
  std::vector<Case> all;
  for (const Activation activation : {Activation::relu, Activation::sigmoid, Activation::tanh})
    for (const std::int64_t bias : {0, 1})
      all.push_back({.shape = {2, 3, 5, 7}, .other = {7, 3, 3, 3}, .options = {1, 1, 1, 1, bias, static_cast<std::int64_t>(activation)}});
  return all;
}

std::vector<Case> transposed_shapes() {
  return {{.shape = {1, 1, 1, 1}, .other = {1, 1, 1, 1}, .options = {1, 0, 1, 1, 0, 1}},
          {.shape = {2, 3, 4, 5}, .other = {3, 4, 3, 3}, .options = {1, 1, 1, 1, 0, 1}},
          {.shape = {1, 3, 4, 5}, .other = {3, 2, 2, 4}, .options = {2, 1, 1, 1, 1, 0}},
          {.shape = {2, 2, 3, 4}, .other = {2, 7, 3, 3}, .options = {3, 0, 2, 1, 2, 1}},
          {.shape = {1, 4, 5, 4}, .other = {4, 3, 3, 3}, .options = {2, 1, 1, 2, 1, 1}},
          {.shape = {1, 2, 3, 3}, .other = {2, 1, 2, 2}, .options = {1, 0, 3, 1, 2, 1}},
          {.shape = {2, 3, 4, 5}, .other = {3, 4, 3, 3}, .options = {2, 1, 1, 1, 0, 1}, .view = true},
          {.shape = {0, 2, 4, 4}, .other = {2, 3, 3, 3}, .options = {1, 1, 1, 1, 0, 1}}};
}

}  // namespace

void conv_cases(std::vector<OpCases>& all) {
  all.push_back({.op = "conv2d", .make = make_conv, .reference = convolved, .over = conv_shapes(), .tolerance = 2e-6});
  all.push_back(
      {.op = "conv2d", .form = "activated", .make = make_conv, .reference = convolved, .over = activated_shapes(), .tolerance = 2e-6});
  all.push_back(
      {.op = "conv2d_transpose", .make = make_transposed, .reference = transposed, .over = transposed_shapes(), .tolerance = 2e-6});
  all.push_back({.op = "im2col",
                 .make = [](Inputs& in, const Case& c) { return im2col(in.uniform(c.shape), column_options(c)); },
                 .reference = [](const RefTensors& in, const Case& c) { return unfolded(in[0], c); },
                 .over = column_cases(),
                 .tolerance = 0});
  all.push_back({.op = "col2im",
                 .make =
                     [](Inputs& in, const Case& c) {
                       Shape columns;
                       column_places(c.shape, column_options(c), columns);
                       return col2im(in.uniform(columns), c.shape, column_options(c));
                     },
                 .reference = [](const RefTensors& in, const Case& c) { return folded(in[0], c); },
                 .over = column_cases()});
}

}  // namespace tidepool::conformance
