#include "stress/operations.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tidepool::stress {

namespace {

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

void require_floats(const Arrays& in) {
  for (const Array& a : in) require(a.type == DType::f32, "f32 is wanted");
}

// [.., m, k] x [k, n] or of the same batches.
Array product(const Array& a, const Array& b) {
  require(a.shape.rank() >= 2 && (b.shape.rank() == 2 || b.shape.rank() == a.shape.rank()), "matrices are wanted");
  const std::int64_t m = a.shape[-2], k = a.shape[-1], n = b.shape[-1];
  require(b.shape[-2] == k, "the inner sizes differ");
  std::vector<std::int64_t> sizes = sizes_of(a.shape);
  if (b.shape.rank() > 2)
    for (std::size_t i = 0; i + 2 < sizes.size(); ++i) require(sizes[i] == b.shape.begin()[i], "other batches");
  sizes.back() = n;
  Array result{shape_of(sizes), {}, DType::f32};
  for (std::int64_t i = 0; i < result.shape.numel(); ++i) {
    const std::int64_t matrix = i / (m * n), row = i / n % m, column = i % n;
    Number sum = constant(0);
    for (std::int64_t l = 0; l < k; ++l)
      sum = sum + a.numbers[at((matrix * m + row) * k + l)] * b.numbers[at(((b.shape.rank() > 2 ? matrix * k : 0) + l) * n + column)];
    result.numbers.push_back(sum);
  }
  return result;
}

Array linear_of(const Arrays& in, const Instruction& i) {
  require_floats(in);
  const Array &x = in[0], &w = in[1], &b = in[2];
  require(x.shape.rank() == 2 && w.shape.rank() == 2 && x.shape[1] == w.shape[1] && b.shape == Shape{w.shape[0]}, "a layer");
  return from_places({x.shape[0], w.shape[0]}, DType::f32, [&](std::span<const std::int64_t> place) {
    Number sum = b.numbers[at(place[1])];
    for (std::int64_t l = 0; l < x.shape[1]; ++l)
      sum = sum + x.numbers[at(place[0] * x.shape[1] + l)] * w.numbers[at(place[1] * x.shape[1] + l)];
    const double value = value_of(sum);
    if (i.numbers[0] == 1) return with_slope(sum, std::max(value, 0.0), value > 0 ? 1 : 0);
    if (i.numbers[0] == 2) return with_slope(sum, std::tanh(value), 1 - std::tanh(value) * std::tanh(value));
    return sum;
  });
}

Activation activation_of(std::int64_t number) { return number == 1 ? Activation::relu : number == 2 ? Activation::tanh : Activation::none; }

// Calls f(row, column of the image, row, column of the window) for what a window sees.
template <class F>
void over_window(std::int64_t kernel, std::int64_t top, std::int64_t left, std::int64_t height, std::int64_t width, F&& f) {
  for (std::int64_t y = 0; y < kernel; ++y)
    for (std::int64_t x = 0; x < kernel; ++x)
      if (top + y >= 0 && top + y < height && left + x >= 0 && left + x < width) f(top + y, left + x, y, x);
}

std::int64_t windows(std::int64_t size, std::int64_t kernel, std::int64_t stride, std::int64_t padding) {
  require(stride > 0 && kernel > 0 && size + 2 * padding >= kernel, "the window is larger than the image");
  return (size + 2 * padding - kernel) / stride + 1;
}

Array conv_of(const Arrays& in, const Instruction& i) {
  require_floats(in);
  const Array &x = in[0], &w = in[1];
  const std::int64_t stride = i.numbers[0], padding = i.numbers[1];
  require(x.shape.rank() == 4 && w.shape.rank() == 4 && w.shape[1] == x.shape[1] && w.shape[2] == w.shape[3], "an image");
  require(x.shape.numel() > 0 && w.shape.numel() > 0, "something is wanted");
  const std::int64_t kernel = w.shape[2], height = x.shape[2], width = x.shape[3], channels = x.shape[1];
  const Shape shape{x.shape[0], w.shape[0], windows(height, kernel, stride, padding), windows(width, kernel, stride, padding)};
  return from_places(shape, DType::f32, [&](std::span<const std::int64_t> place) {
    Number sum = constant(0);
    for (std::int64_t c = 0; c < channels; ++c)
      over_window(kernel, place[2] * stride - padding, place[3] * stride - padding, height, width,
                  [&](std::int64_t row, std::int64_t column, std::int64_t ky, std::int64_t kx) {
                    const Number pixel = x.numbers[at(((place[0] * channels + c) * height + row) * width + column)];
                    sum = sum + pixel * w.numbers[at(((place[1] * channels + c) * kernel + ky) * kernel + kx)];
                  });
    return sum;
  });
}

Array pooled(const Arrays& in, const Instruction& i, bool largest) {
  require_floats(in);
  const Array& x = in[0];
  const std::int64_t kernel = i.numbers[0], stride = i.numbers[1], padding = i.numbers[2];
  require(x.shape.rank() == 4 && x.shape.numel() > 0 && padding <= kernel / 2, "an image");
  const std::int64_t height = x.shape[2], width = x.shape[3];
  const Shape shape{x.shape[0], x.shape[1], windows(height, kernel, stride, padding), windows(width, kernel, stride, padding)};
  return from_places(shape, DType::f32, [&](std::span<const std::int64_t> place) {
    Number sum = constant(0), best = sum;
    double top = -std::numeric_limits<double>::infinity();
    over_window(kernel, place[2] * stride - padding, place[3] * stride - padding, height, width,
                [&](std::int64_t row, std::int64_t column, std::int64_t, std::int64_t) {
                  const Number pixel = x.numbers[at(((place[0] * x.shape[1] + place[1]) * height + row) * width + column)];
                  sum = sum + pixel;
                  if (value_of(pixel) > top) {
                    top = value_of(pixel);
                    best = pixel;
                  }
                });
    return largest ? best * 1 : sum * (1.0 / static_cast<double>(kernel * kernel));
  });
}

bool wish_window(Random& random, const Array& first, Wish& wish) {
  if (first.type != DType::f32 || first.shape.rank() != 4 || first.shape.numel() == 0) return false;
  const std::int64_t kernel = any_of(random, 1, std::min<std::int64_t>({3, first.shape[2], first.shape[3]}));
  wish.numbers = {kernel, any_of(random, 1, 2), any_of(random, 0, kernel / 2)};
  return true;
}

PoolOptions pool_options(const Instruction& i) { return {.kernel = i.numbers[0], .stride = i.numbers[1], .padding = i.numbers[2]}; }

Array layer_norm_of(const Arrays& in, const Instruction&) {
  require_floats(in);
  const Array &x = in[0], &gamma = in[1], &beta = in[2];
  require(x.shape.rank() > 0 && x.shape[-1] > 0 && gamma.shape == Shape{x.shape[-1]} && beta.shape == gamma.shape, "rows");
  const std::int64_t size = x.shape[-1];
  Array result{x.shape, {}, DType::f32};
  for (std::int64_t row = 0; row < x.shape.numel() / size; ++row) {
    Number mean = constant(0), spread = constant(0);
    for (std::int64_t c = 0; c < size; ++c) mean = mean + x.numbers[at(row * size + c)];
    mean = mean * (1.0 / static_cast<double>(size));
    for (std::int64_t c = 0; c < size; ++c) {
      const Number apart = x.numbers[at(row * size + c)] - mean;
      spread = spread + apart * apart;
    }
    const Number below = sqrt_of(spread * (1.0 / static_cast<double>(size)) + 1e-5);
    for (std::int64_t c = 0; c < size; ++c)
      result.numbers.push_back((x.numbers[at(row * size + c)] - mean) / below * gamma.numbers[at(c)] + beta.numbers[at(c)]);
  }
  return result;
}

}  // namespace

void add_products(std::vector<Operation>& all) {
  all.push_back({.name = "matmul",
                 .text = "matmul($0, $1)",
                 .call = [](const std::vector<Tensor>& in, const Instruction&) { return matmul(in[0], in[1]); },
                 .compute =
                     [](const Arrays& in, const Instruction&) {
                       require_floats(in);
                       return product(in[0], in[1]);
                     },
                 .wish =
                     [](Random& random, const Array& first, Wish& wish) {
                       if (first.type != DType::f32 || first.shape.rank() < 2) return false;
                       std::vector<std::int64_t> sizes = sizes_of(first.shape);
                       if (random() % 2) sizes.erase(sizes.begin(), sizes.end() - 2);
                       sizes[sizes.size() - 2] = first.shape[-1];
                       sizes.back() = any_of(random, 0, 4);
                       wish.others = {{.shape = shape_of(sizes)}};
                       return true;
                     }});
  all.push_back(
      {.name = "linear",
       .text = "linear($0, $1, $2, static_cast<Activation>(#1))",
       .call = [](const std::vector<Tensor>& in, const Instruction& i) { return linear(in[0], in[1], in[2], activation_of(i.numbers[0])); },
       .compute = linear_of,
       .wish =
           [](Random& random, const Array& first, Wish& wish) {
             if (first.type != DType::f32 || first.shape.rank() != 2) return false;
             const std::int64_t out = any_of(random, 1, 4);
             wish.others = {{.shape = {out, first.shape[1]}}, {.shape = {out}}};
             wish.numbers = {any_of(random, 0, 2), 0};
             wish.numbers[1] = static_cast<std::int64_t>(activation_of(wish.numbers[0]));  // for the text
             return true;
           }});
  all.push_back({.name = "conv2d",
                 .text = "conv2d($0, $1, {}, {.stride = #0, .padding = #1})",
                 .call = [](const std::vector<Tensor>& in,
                            const Instruction& i) { return conv2d(in[0], in[1], {}, {.stride = i.numbers[0], .padding = i.numbers[1]}); },
                 .compute = conv_of,
                 .wish =
                     [](Random& random, const Array& first, Wish& wish) {
                       if (first.type != DType::f32 || first.shape.rank() != 4 || first.shape.numel() == 0) return false;
                       const std::int64_t kernel = any_of(random, 1, std::min<std::int64_t>({3, first.shape[2], first.shape[3]}));
                       wish.others = {{.shape = {any_of(random, 1, 3), first.shape[1], kernel, kernel}}};
                       wish.numbers = {any_of(random, 1, 2), any_of(random, 0, 1)};
                       return true;
                     }});
  all.push_back({.name = "max_pool2d",
                 .text = "max_pool2d($0, {.kernel = #0, .stride = #1, .padding = #2})",
                 .call = [](const std::vector<Tensor>& in, const Instruction& i) { return max_pool2d(in[0], pool_options(i)); },
                 .compute = [](const Arrays& in, const Instruction& i) { return pooled(in, i, true); },
                 .wish = wish_window});
  all.push_back({.name = "avg_pool2d",
                 .text = "avg_pool2d($0, {.kernel = #0, .stride = #1, .padding = #2})",
                 .call = [](const std::vector<Tensor>& in, const Instruction& i) { return avg_pool2d(in[0], pool_options(i)); },
                 .compute = [](const Arrays& in, const Instruction& i) { return pooled(in, i, false); },
                 .wish = wish_window});
  all.push_back({.name = "layer_norm",
                 .text = "layer_norm($0, $1, $2)",
                 .call = [](const std::vector<Tensor>& in, const Instruction&) { return layer_norm(in[0], in[1], in[2]); },
                 .compute = layer_norm_of,
                 .wish =
                     [](Random&, const Array& first, Wish& wish) {
                       if (first.type != DType::f32 || first.shape.rank() == 0 || first.shape[-1] == 0) return false;
                       wish.others = {{.shape = {first.shape[-1]}}, {.shape = {first.shape[-1]}}};
                       return true;
                     }});
}

}  // namespace tidepool::stress
