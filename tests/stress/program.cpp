#include "stress/program.h"

#include "stress/operations.h"

#include <cstdio>
#include <random>
#include <sstream>

namespace tidepool::stress {

std::vector<float> random_values(std::uint64_t seed, std::int64_t count, DType type, std::int64_t below) {
  Random random(seed);
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) {
    if (type == DType::f32)
      value = static_cast<float>(any_of(random, -128, 128)) / 64.0F;
    else
      value = static_cast<float>(any_of(random, 0, type == DType::u8 ? 1 : below - 1));
  }
  return values;
}

namespace {

std::string name_of(int value) { return "v" + std::to_string(value); }

std::string written(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", number);
  std::string result = text;
  if (result.find_first_of(".e") == std::string::npos) result += ".0";
  return result + "F";
}

std::string sizes(const Shape& shape) {
  std::string text = shape.str();
  text.front() = '{';
  text.back() = '}';
  return text;
}

std::string on(int device) { return device == 0 ? "first" : "second"; }

std::string values_of(const Instruction& i, DType type, std::int64_t count) {
  std::string list;
  for (const float value : random_values(i.values, count, type, i.below))
    list +=
        (list.empty() ? "" : ", ") + (type == DType::f32 ? written(static_cast<double>(value)) : std::to_string(static_cast<int>(value)));
  return list;
}

// Fills in the operation's text: $0 an input, #0 a number of the list, #* all of them, # the number, @ the shape.
std::string call_of(const Instruction& i) {
  std::string result;
  for (const char* at = i.operation->text; *at; ++at) {
    const bool digit = at[1] >= '0' && at[1] <= '9';
    if (*at == '$') {
      result += name_of(i.in[static_cast<std::size_t>(*++at - '0')]);
    } else if (*at == '#' && digit) {
      result += std::to_string(i.numbers[static_cast<std::size_t>(*++at - '0')]);
    } else if (*at == '#' && at[1] == '*') {
      ++at;
      for (std::size_t k = 0; k < i.numbers.size(); ++k) result += (k ? ", " : "") + std::to_string(i.numbers[k]);
    } else if (*at == '#') {
      result += written(i.number);
    } else if (*at == '@') {
      result += "Shape" + sizes(i.shape);
    } else {
      result += *at;
    }
  }
  return result;
}

std::string mistake_of(const Instruction& i) {
  const std::string a = name_of(i.in[0]), b = i.in.size() > 1 ? name_of(i.in[1]) : "";
  switch (i.mistake) {
    case Mistake::released:
      return "EXPECT_THROW(relu(" + a + "), ReleasedError);";
    case Mistake::shapes:
      return "EXPECT_THROW(" + a + " + " + b + ", ShapeError);";
    case Mistake::elements:
      return "EXPECT_THROW(" + a + ".reshape({" + a + ".numel() + 1}), ShapeError);";
    case Mistake::axis:
      return "EXPECT_THROW(sum(" + a + ", " + a + ".shape().rank()), ShapeError);";
    case Mistake::rows:
      return "EXPECT_THROW(" + a + ".slice(0, " + a + ".shape()[0] + 1), ShapeError);";
    case Mistake::type:
      return "EXPECT_THROW(exp(" + a + "), DTypeError);";
    case Mistake::devices:
      return "EXPECT_THROW(" + a + " + " + b + ", DeviceError);";
    case Mistake::backward:
      return "EXPECT_THROW(" + a + ".backward(ones(" + a + ".shape(), {.device = " + a + ".device()})), Error);";
  }
  return "";
}

std::string made(const Instruction& i) {
  const std::int64_t count = i.shape.numel();
  const std::string tail = ", " + sizes(i.shape) + ", " + on(i.device) + ");";
  if (i.type == DType::i32) return "from_host(std::vector<std::int32_t>{" + values_of(i, i.type, count) + "}" + tail;
  if (i.type == DType::u8) return "from_host(std::vector<std::uint8_t>{" + values_of(i, i.type, count) + "}" + tail;
  return "tensor({" + values_of(i, i.type, count) + "}" + tail + (i.wants_grad ? " " + name_of(i.out) + ".requires_grad();" : "");
}

std::string line_of(const Instruction& i, int plan, bool capturing) {
  const std::string out = i.out < 0 ? "" : name_of(i.out) + " = ", in = i.in.empty() ? "" : name_of(i.in[0]);
  switch (i.code) {
    case Code::make:
      return out + made(i);
    case Code::fill:
      return out + "full(" + sizes(i.shape) + ", " + written(i.number) + ", {.device = " + on(i.device) + "});";
    case Code::apply:
      return out + call_of(i) + ";";
    case Code::copy_in:
      return "copy_(" + in + ", " + name_of(i.in[1]) + ");";
    case Code::fill_in:
      return "fill_(" + in + ", " + written(i.number) + ");";
    case Code::release:
      return in + ".release();";
    case Code::keep:
      return "keep(" + in + ");";
    case Code::tidy_begin:
      return "{ Tidy scope;";
    case Code::tidy_end: {
      std::string text;
      for (const int value : i.in) text += "scope.pass_on(" + name_of(value) + "); ";
      return text + "}";
    }
    case Code::move:
      return out + in + ".to(" + on(i.device) + ");";
    case Code::backward:
      if (capturing) return in + ".backward();";
      return in + ".backward(from_host(random_values(" + std::to_string(i.values) + "U, " + in + ".numel(), DType::f32, 0), " + in +
             ".shape(), " + in + ".device()));";
    case Code::zero_grad:
      return in + ".zero_grad();";
    case Code::plan_begin:
      return "Plan p" + std::to_string(plan) + " = capture([&] {";
    case Code::plan_end:
      return "}); for (int i = 0; i < " + std::to_string(i.times) + "; ++i) p" + std::to_string(plan - 1) + ".run();";
    case Code::plan_run:
      return "for (int i = 0; i < " + std::to_string(i.times) + "; ++i) p" + std::to_string(i.plan) + ".run();";
    case Code::read:
      return in + ".to_host<…>();";
    case Code::limit:
      return "configure({.memory_limit = memory().live_bytes + " + std::to_string(i.times) + "});";
    case Code::no_limit:
      return "configure({.memory_limit = 0});";
    case Code::cleanup:
      return "cleanup();";
    case Code::commit:
      return "commit();";
    case Code::wrong:
      return mistake_of(i);
  }
  return "";
}

}  // namespace

std::string Program::as_cpp() const {
  std::ostringstream text;
  std::string names;
  for (const Instruction& i : instructions)
    if (i.out >= 0) names += (names.empty() ? "" : ", ") + name_of(i.out);
  text << "  Tensor " << names << ";\n";
  int plan = 0;
  bool capturing = false;
  std::string indent = "  ";
  for (const Instruction& i : instructions) {
    if (i.code == Code::tidy_end || i.code == Code::plan_end) indent.resize(indent.size() - 2);
    text << indent << line_of(i, plan, capturing) << '\n';
    capturing = i.code == Code::plan_begin || (capturing && i.code != Code::plan_end);
    if (i.code == Code::tidy_begin || i.code == Code::plan_begin) indent += "  ";
    if (i.code == Code::plan_begin) ++plan;
  }
  return text.str();
}

}  // namespace tidepool::stress
