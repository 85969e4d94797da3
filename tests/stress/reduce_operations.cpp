#include "stress/operations.h"

#include <algorithm>
#include <cmath>

namespace tidepool::stress {

namespace {

// Calls f with the numbers along the axis, for every line of them; f adds its own.
using Line = std::vector<Number>;

struct Lines {
  std::size_t axis;
  Shape outer;  // the shape with 1 in place of the axis
  std::vector<Line> all;
};

Lines lines_of(const Array& a, std::int64_t axis) {
  require(a.type == DType::f32 && axis >= -a.shape.rank() && axis < a.shape.rank(), "there is no such axis");
  Lines lines{static_cast<std::size_t>(axis < 0 ? axis + a.shape.rank() : axis), {}, {}};
  std::vector<std::int64_t> sizes = sizes_of(a.shape);
  const std::int64_t length = std::exchange(sizes[lines.axis], 1);
  lines.outer = shape_of(sizes);
  for (std::int64_t i = 0; i < lines.outer.numel(); ++i) {
    std::vector<std::int64_t> place = place_of(lines.outer, i);
    Line line;
    for (place[lines.axis] = 0; place[lines.axis] < length; ++place[lines.axis])
      line.push_back(a.numbers[static_cast<std::size_t>(index_of(a.shape, place))]);
    lines.all.push_back(std::move(line));
  }
  return lines;
}

Number sum_of(const Line& line) {
  Number total = constant(0);
  for (const Number number : line) total = total + number;
  return total;
}

Array reduced(const Array& a, const Instruction& i, DType type, const std::function<Number(const Line&)>& f) {
  const Lines lines = lines_of(a, i.numbers[0]);
  std::vector<std::int64_t> sizes = sizes_of(lines.outer);
  if (i.numbers[1] == 0) sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(lines.axis));
  Array result{shape_of(sizes), {}, type};
  for (const Line& line : lines.all) result.numbers.push_back(f(line));
  return result;
}

// As long as the axis: f gives a line for each line.
Array along(const Array& a, std::int64_t axis, const std::function<Line(const Line&)>& f) {
  const Lines lines = lines_of(a, axis);
  Array result{a.shape, std::vector<Number>(a.numbers.size()), DType::f32};
  for (std::size_t i = 0; i < lines.all.size(); ++i) {
    std::vector<std::int64_t> place = place_of(lines.outer, static_cast<std::int64_t>(i));
    for (const Number number : f(lines.all[i])) {
      result.numbers[static_cast<std::size_t>(index_of(a.shape, place))] = number;
      ++place[lines.axis];
    }
  }
  return result;
}

std::size_t extreme_of(const Line& line, int sign) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < line.size(); ++i)
    if (sign * value_of(line[i]) > sign * value_of(line[best])) best = i;
  return best;
}

using Reduce = Tensor (*)(const Tensor&, std::int64_t, bool);

void add_reduction(std::vector<Operation>& all, const char* name, const char* text, Reduce call,
                   const std::function<Number(const Line&)>& f, std::int64_t shortest = 0, DType type = DType::f32) {
  all.push_back(
      {.name = name,
       .text = text,
       .call = [call](const std::vector<Tensor>& in, const Instruction& i) { return call(in[0], i.numbers[0], i.numbers[1] != 0); },
       .compute =
           [f, shortest, type](const Arrays& in, const Instruction& i) {
             const std::int64_t axis = i.numbers[0];
             require(axis >= -in[0].shape.rank() && axis < in[0].shape.rank(), "there is no such axis");
             require(in[0].shape[axis] >= shortest, "the axis is too short");  // also of nothing, as in PyTorch
             return reduced(in[0], i, type, f);
           },
       .wish = wish_axis,
       .differentiable = type == DType::f32});
}

Line softmax_of(const Line& line) {
  if (line.empty()) return {};
  const double top = value_of(line[extreme_of(line, 1)]);
  Line parts;
  for (const Number number : line) parts.push_back(exp_of(number + -top));
  const Number total = sum_of(parts);
  for (Number& part : parts) part = part / total;
  return parts;
}

Line log_softmax_of(const Line& line) {
  if (line.empty()) return {};
  const double top = value_of(line[extreme_of(line, 1)]);
  Line parts;
  for (const Number number : line) parts.push_back(exp_of(number + -top));
  const Number total = log_of(sum_of(parts));
  Line result;
  for (const Number number : line) result.push_back((number + -top) - total);
  return result;
}

void add_softmax(std::vector<Operation>& all, const char* name, const char* text, Tensor (*call)(const Tensor&, std::int64_t),
                 Line (*f)(const Line&)) {
  all.push_back({.name = name,
                 .text = text,
                 .call = [call](const std::vector<Tensor>& in, const Instruction& i) { return call(in[0], i.numbers[0]); },
                 .compute = [f](const Arrays& in, const Instruction& i) { return along(in[0], i.numbers[0], f); },
                 .wish = wish_axis});
}

void add_whole(std::vector<Operation>& all) {
  all.push_back({.name = "sum_all",
                 .text = "sum($0)",
                 .call = [](const std::vector<Tensor>& in, const Instruction&) { return sum(in[0]); },
                 .compute =
                     [](const Arrays& in, const Instruction&) {
                       require(in[0].type == DType::f32, "f32 is wanted");
                       return Array{{}, {sum_of(in[0].numbers)}, DType::f32};
                     },
                 .wish = [](Random&, const Array& first, Wish&) { return first.type == DType::f32; }});
  all.push_back({.name = "max_all",
                 .text = "(max)($0)",
                 .call = [](const std::vector<Tensor>& in, const Instruction&) { return (max)(in[0]); },
                 .compute =
                     [](const Arrays& in, const Instruction&) {  // all of the largest share the gradient
                       require(in[0].type == DType::f32 && !in[0].numbers.empty(), "something is wanted");
                       const double top = value_of(in[0].numbers[extreme_of(in[0].numbers, 1)]);
                       Line largest;
                       for (const Number number : in[0].numbers)
                         if (value_of(number) == top) largest.push_back(number);
                       return Array{{}, {sum_of(largest) * (1.0 / static_cast<double>(largest.size()))}, DType::f32};
                     },
                 .wish = [](Random&, const Array& first, Wish&) { return first.type == DType::f32; }});
  all.push_back({.name = "mse_loss",
                 .text = "mse_loss($0, $1)",
                 .call = [](const std::vector<Tensor>& in, const Instruction&) { return mse_loss(in[0], in[1]); },
                 .compute =
                     [](const Arrays& in, const Instruction&) {
                       require(in[0].shape == in[1].shape && !in[0].numbers.empty(), "two of one shape");
                       require(in[0].type == DType::f32 && in[1].type == DType::f32, "f32 is wanted");
                       Line squares;
                       for (std::size_t i = 0; i < in[0].numbers.size(); ++i) {
                         const Number apart = in[0].numbers[i] - in[1].numbers[i];
                         squares.push_back(apart * apart);
                       }
                       return Array{{}, {sum_of(squares) * (1.0 / static_cast<double>(squares.size()))}, DType::f32};
                     },
                 .wish =
                     [](Random&, const Array& first, Wish& wish) {
                       wish.others = {{.shape = first.shape}};
                       return first.type == DType::f32;
                     }});
  all.push_back({.name = "cross_entropy",
                 .text = "cross_entropy($0, $1)",
                 .call = [](const std::vector<Tensor>& in, const Instruction&) { return cross_entropy(in[0], in[1]); },
                 .compute =
                     [](const Arrays& in, const Instruction&) {
                       require(in[0].shape.rank() == 2 && in[1].type == DType::i32 && in[1].shape == Shape{in[0].shape[0]}, "logits");
                       require(!in[0].numbers.empty(), "something is wanted");
                       const Array logs = along(in[0], 1, log_softmax_of);
                       Line losses;
                       for (std::int64_t row = 0; row < in[0].shape[0]; ++row) {
                         const auto label = static_cast<std::int64_t>(value_of(in[1].numbers[static_cast<std::size_t>(row)]));
                         require(label < in[0].shape[1], "a label beyond the last");
                         losses.push_back(logs.numbers[static_cast<std::size_t>(row * in[0].shape[1] + label)] * -1);
                       }
                       return Array{{}, {sum_of(losses) * (1.0 / static_cast<double>(losses.size()))}, DType::f32};
                     },
                 .wish =
                     [](Random&, const Array& first, Wish& wish) {
                       if (first.type != DType::f32 || first.shape.rank() != 2 || first.shape[1] == 0) return false;
                       wish.others = {{.shape = {first.shape[0]}, .type = DType::i32, .below = first.shape[1]}};
                       return true;
                     }});
}

}  // namespace

void add_reductions(std::vector<Operation>& all) {
  add_reduction(all, "sum", "sum($0, #0, #1)", sum, sum_of);
  add_reduction(
      all, "mean", "mean($0, #0, #1)", mean, [](const Line& line) { return sum_of(line) * (1.0 / static_cast<double>(line.size())); }, 1);
  add_reduction(
      all, "max", "(max)($0, #0, #1)", (max), [](const Line& line) { return line[extreme_of(line, 1)] * 1; }, 1);
  add_reduction(
      all, "min", "(min)($0, #0, #1)", (min), [](const Line& line) { return line[extreme_of(line, -1)] * 1; }, 1);
  add_reduction(
      all, "var", "var($0, #0, #1)", var,
      [](const Line& line) {
        const auto count = static_cast<double>(line.size());
        const Number mean = sum_of(line) * (1 / count);
        Line squares;
        for (const Number number : line) squares.push_back((number - mean) * (number - mean));
        return sum_of(squares) * (1 / (count - 1));
      },
      2);
  add_reduction(
      all, "norm", "norm($0, #0, #1)", norm,
      [](const Line& line) {
        Line squares;
        for (const Number number : line) squares.push_back(number * number);
        const Number total = sum_of(squares);
        require(value_of(total) > 1e-3, "the slope at 0 is a matter of taste");
        return sqrt_of(total);
      },
      1);
  add_reduction(
      all, "argmax", "argmax($0, #0, #1)", argmax, [](const Line& line) { return constant(static_cast<double>(extreme_of(line, 1))); }, 1,
      DType::i32);
  add_softmax(all, "softmax", "softmax($0, #0)", softmax, softmax_of);
  add_softmax(all, "log_softmax", "log_softmax($0, #0)", log_softmax, log_softmax_of);
  add_whole(all);
}

}  // namespace tidepool::stress
