#include "stress/operations.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tidepool::stress {

namespace {

double sigmoid_of(double x) { return 1 / (1 + std::exp(-x)); }
double normal_share(double x) { return 0.5 * (1 + std::erf(x / std::numbers::sqrt2)); }

void require_float(const Array& a) { require(a.type == DType::f32, "f32 is wanted"); }

Array each(const Array& a, const std::function<Number(Number)>& f) {
  require_float(a);
  Array result{a.shape, {}, DType::f32};
  result.numbers.reserve(a.numbers.size());
  for (const Number number : a.numbers) result.numbers.push_back(f(number));
  return result;
}

using Curve = std::pair<double, double> (*)(double x);  // value and slope

void add_unary(std::vector<Operation>& all, const char* name, const char* text, Tensor (*call)(const Tensor&), Curve curve) {
  all.push_back({.name = name,
                 .text = text,
                 .call = [call](const std::vector<Tensor>& in, const Instruction&) { return call(in[0]); },
                 .compute =
                     [curve](const Arrays& in, const Instruction&) {
                       return each(in[0], [curve](Number x) {
                         const auto [value, slope] = curve(value_of(x));
                         require(std::isfinite(slope), "an endless slope, times 0, is not a number");
                         return with_slope(x, value, slope);
                       });
                     },
                 .wish = [](Random&, const Array& first, Wish&) { return first.type == DType::f32; }});
}

void add_with_number(std::vector<Operation>& all, const char* name, const char* text, Tensor (*call)(const Tensor&, float),
                     Number (*f)(Number, double)) {
  all.push_back({.name = name,
                 .text = text,
                 .call = [call](const std::vector<Tensor>& in,
                                const Instruction& instruction) { return call(in[0], static_cast<float>(instruction.number)); },
                 .compute = [f](const Arrays& in,
                                const Instruction& instruction) { return each(in[0], [&](Number x) { return f(x, instruction.number); }); },
                 .wish =
                     [](Random& random, const Array& first, Wish& wish) {
                       wish.number = static_cast<double>(2 * any_of(random, -8, 7) + 1) / 8;  // never 0
                       return first.type == DType::f32;
                     }});
}

// A shape that broadcasts with this one: some axes of size 1, some of the outer ones missing.
Shape partner(Random& random, const Shape& shape) {
  if (random() % 2) return shape;
  std::vector<std::int64_t> sizes = sizes_of(shape);
  for (std::int64_t& size : sizes)
    if (random() % 3 == 0) size = size == 1 ? any_of(random, 1, 3) : 1;
  if (!sizes.empty() && random() % 3 == 0) sizes.erase(sizes.begin(), sizes.begin() + any_of(random, 0, shape.rank()));
  return shape_of(sizes);
}

void add_binary(std::vector<Operation>& all, const char* name, const char* text, Tensor (*call)(const Tensor&, const Tensor&),
                Number (*f)(Number, Number), DType type = DType::f32) {
  all.push_back({.name = name,
                 .text = text,
                 .call = [call](const std::vector<Tensor>& in, const Instruction&) { return call(in[0], in[1]); },
                 .compute =
                     [f, type](const Arrays& in, const Instruction&) {
                       require_float(in[0]);
                       require_float(in[1]);
                       const Shape shape = broadcast_shape(in[0].shape, in[1].shape);
                       const Array a = broadcast(in[0], shape), b = broadcast(in[1], shape);
                       Array result{shape, {}, type};
                       for (std::size_t i = 0; i < a.numbers.size(); ++i) result.numbers.push_back(f(a.numbers[i], b.numbers[i]));
                       return result;
                     },
                 .wish =
                     [](Random& random, const Array& first, Wish& wish) {
                       if (first.type != DType::f32) return false;
                       wish.others = {{.shape = partner(random, first.shape)}};
                       return true;
                     },
                 .differentiable = type == DType::f32});
}

void add_curves(std::vector<Operation>& all) {
  const auto unary = [&](const char* name, const char* text, Tensor (*call)(const Tensor&), Curve curve) {
    add_unary(all, name, text, call, curve);
  };
  unary("neg", "-$0", neg, [](double x) { return std::pair(-x, -1.0); });
  unary("square", "square($0)", square, [](double x) { return std::pair(x * x, 2 * x); });
  unary("sqrt", "sqrt($0)", sqrt, [](double x) { return std::pair(std::sqrt(x), 0.5 / std::sqrt(x)); });
  unary("exp", "exp($0)", exp, [](double x) { return std::pair(std::exp(x), std::exp(x)); });
  unary("log", "log($0)", log, [](double x) { return std::pair(std::log(x), 1 / x); });
  unary("abs", "abs($0)", abs, [](double x) { return std::pair(std::abs(x), x > 0 ? 1.0 : x < 0 ? -1.0 : 0.0); });
  unary("sin", "sin($0)", sin, [](double x) { return std::pair(std::sin(x), std::cos(x)); });
  unary("cos", "cos($0)", cos, [](double x) { return std::pair(std::cos(x), -std::sin(x)); });
  unary("relu", "relu($0)", relu, [](double x) { return std::pair(x > 0 ? x : 0.0, x > 0 ? 1.0 : 0.0); });
  unary("sigmoid", "sigmoid($0)", sigmoid, [](double x) { return std::pair(sigmoid_of(x), sigmoid_of(x) * sigmoid_of(-x)); });
  unary("tanh", "tanh($0)", tanh, [](double x) { return std::pair(std::tanh(x), 1 - std::tanh(x) * std::tanh(x)); });
  unary("silu", "silu($0)", silu, [](double x) { return std::pair(x * sigmoid_of(x), sigmoid_of(x) * (1 + x * sigmoid_of(-x))); });
  unary("softplus", "softplus($0)", softplus,
        [](double x) { return x > 20 ? std::pair(x, 1.0) : std::pair(std::log1p(std::exp(x)), sigmoid_of(x)); });
  unary("softsign", "softsign($0)", softsign, [](double x) {
    const double below = 1 + std::abs(x);
    return std::pair(x / below, 1 / (below * below));
  });
  unary("gelu", "gelu($0)", gelu, [](double x) {
    const double density = std::exp(-0.5 * x * x) / std::sqrt(2 * std::numbers::pi);
    return std::pair(x * normal_share(x), normal_share(x) + x * density);
  });
  unary(
      "clone", "$0.clone()", [](const Tensor& a) { return a.clone(); }, [](double x) { return std::pair(x, 1.0); });
}

}  // namespace

void add_elementwise(std::vector<Operation>& all) {
  add_curves(all);
  add_with_number(
      all, "add_scalar", "$0 + #", [](const Tensor& a, float b) { return a + b; }, [](Number x, double b) { return x + b; });
  add_with_number(
      all, "mul_scalar", "$0 * #", [](const Tensor& a, float b) { return a * b; }, [](Number x, double b) { return x * b; });
  add_with_number(
      all, "rsub_scalar", "# - $0", [](const Tensor& a, float b) { return b - a; }, [](Number x, double b) { return x * -1 + b; });
  add_with_number(
      all, "leaky_relu", "leaky_relu($0, #)", [](const Tensor& a, float b) { return leaky_relu(a, b); },
      [](Number x, double b) { return value_of(x) > 0 ? x * 1 : x * b; });
  add_with_number(
      all, "clamp", "clamp($0, #, # + 1)", [](const Tensor& a, float b) { return clamp(a, b, b + 1); },
      [](Number x, double b) {
        const double value = value_of(x);
        return with_slope(x, std::clamp(value, b, b + 1), value >= b && value <= b + 1 ? 1 : 0);
      });
  add_binary(all, "add", "$0 + $1", add, [](Number a, Number b) { return a + b; });
  add_binary(all, "sub", "$0 - $1", sub, [](Number a, Number b) { return a - b; });
  add_binary(all, "mul", "$0 * $1", mul, [](Number a, Number b) { return a * b; });
  add_binary(all, "div", "$0 / $1", div, [](Number a, Number b) { return a / b; });
  add_binary(all, "maximum", "maximum($0, $1)", maximum, larger_of);
  add_binary(all, "minimum", "minimum($0, $1)", minimum, smaller_of);
  add_binary(
      all, "lt", "lt($0, $1)", [](const Tensor& a, const Tensor& b) { return lt(a, b); },
      [](Number a, Number b) { return constant(value_of(a) < value_of(b) ? 1 : 0); }, DType::u8);
  add_binary(
      all, "ge", "ge($0, $1)", [](const Tensor& a, const Tensor& b) { return ge(a, b); },
      [](Number a, Number b) { return constant(value_of(a) >= value_of(b) ? 1 : 0); }, DType::u8);
  all.push_back({.name = "where",
                 .text = "where($0, $1, $2)",
                 .call = [](const std::vector<Tensor>& in, const Instruction&) { return where(in[0], in[1], in[2]); },
                 .compute =
                     [](const Arrays& in, const Instruction&) {
                       require(in[0].type == DType::u8, "where wants u8");
                       require_float(in[1]);
                       require_float(in[2]);
                       const Shape shape = broadcast_shape(in[0].shape, broadcast_shape(in[1].shape, in[2].shape));
                       const Array c = broadcast(in[0], shape), a = broadcast(in[1], shape), b = broadcast(in[2], shape);
                       Array result{shape, {}, DType::f32};
                       for (std::size_t i = 0; i < c.numbers.size(); ++i)
                         result.numbers.push_back((value_of(c.numbers[i]) != 0 ? a : b).numbers[i] * 1);
                       return result;
                     },
                 .wish =
                     [](Random& random, const Array& first, Wish& wish) {
                       wish.others = {{.shape = partner(random, first.shape)}, {.shape = first.shape}};
                       return first.type == DType::u8;
                     }});
  all.push_back({.name = "to_f32",
                 .text = "$0.to(DType::f32)",
                 .call = [](const std::vector<Tensor>& in, const Instruction&) { return in[0].to(DType::f32); },
                 .compute =
                     [](const Arrays& in, const Instruction&) {
                       require(in[0].type != DType::f32, "it is f32");
                       return Array{in[0].shape, in[0].numbers, DType::f32};
                     },
                 .wish = [](Random&, const Array& first, Wish&) { return first.type != DType::f32; },
                 .differentiable = false});
}

}  // namespace tidepool::stress
