#include "c/bench.h"

#include <algorithm>

namespace tidepool::c_tests {

Bench::~Bench() {
  expect_ok(tp_plan_free(plan_));
  for (tp_tensor* tensor : owned_) tp_tensor_free(tensor);  // some are freed already
}

tp_tensor* Bench::own(tp_tensor* tensor) {
  EXPECT_NE(tensor, nullptr);
  return owned_.emplace_back(tensor);
}

tp_tensor* Bench::f32(const std::vector<float>& values, const std::vector<std::int64_t>& shape) {
  tp_tensor* made = nullptr;
  expect_ok(tp_from_f32(values.data(), std::ssize(values), shape.data(), std::ssize(shape), nullptr, &made));
  return own(made);
}
tp_tensor* Bench::i32(const std::vector<std::int32_t>& values, const std::vector<std::int64_t>& shape) {
  tp_tensor* made = nullptr;
  expect_ok(tp_from_i32(values.data(), std::ssize(values), shape.data(), std::ssize(shape), nullptr, &made));
  return own(made);
}
tp_tensor* Bench::u8(const std::vector<std::uint8_t>& values, const std::vector<std::int64_t>& shape) {
  tp_tensor* made = nullptr;
  expect_ok(tp_from_u8(values.data(), std::ssize(values), shape.data(), std::ssize(shape), nullptr, &made));
  return own(made);
}
tp_tensor* Bench::zeros(const std::vector<std::int64_t>& shape, int dtype) {
  tp_tensor* made = nullptr;
  expect_ok(tp_zeros(shape.data(), std::ssize(shape), dtype, nullptr, &made));
  return own(made);
}

tp_plan* Bench::make_plan() {
  tp_tensor* const filled = zeros({1});
  tp_plan* made = nullptr;
  expect_ok(tp_capture_begin());
  expect_ok(tp_fill(filled, 1));
  expect_ok(tp_capture_end(&made));
  return made;
}

tp_plan* Bench::plan() {
  if (!plan_) plan_ = make_plan();
  return plan_;
}

std::vector<float> Bench::values(const tp_tensor* tensor) {
  int dtype = TP_F32;
  std::int64_t count = 0;
  expect_ok(tp_tensor_dtype(tensor, &dtype));
  expect_ok(tp_tensor_numel(tensor, &count));
  std::vector<float> floats(static_cast<std::size_t>(count));
  if (dtype == TP_I32) {
    std::vector<std::int32_t> numbers(floats.size());
    expect_ok(tp_tensor_copy_to_i32(tensor, numbers.data(), count));
    std::ranges::transform(numbers, floats.begin(), [](std::int32_t n) { return static_cast<float>(n); });
  } else if (dtype == TP_U8) {
    std::vector<std::uint8_t> numbers(floats.size());
    expect_ok(tp_tensor_copy_to_u8(tensor, numbers.data(), count));
    std::ranges::transform(numbers, floats.begin(), [](std::uint8_t n) { return static_cast<float>(n); });
  } else {
    expect_ok(tp_tensor_copy_to_f32(tensor, floats.data(), count));
  }
  return floats;
}

std::vector<std::int64_t> Bench::shape(const tp_tensor* tensor) {
  std::vector<std::int64_t> sizes(TP_MAX_RANK);
  std::int64_t rank = 0;
  expect_ok(tp_tensor_shape(tensor, sizes.data(), TP_MAX_RANK, &rank));
  sizes.resize(static_cast<std::size_t>(rank));
  return sizes;
}

void Bench::expect_values(const tp_tensor* tensor, const std::vector<double>& wanted, double tolerance) {
  const std::vector<float> got = values(tensor);
  ASSERT_EQ(got.size(), wanted.size());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], wanted[i], tolerance) << "element " << i;
}

void Bench::expect_same(const tp_tensor* tensor, const Tensor& wanted) {
  EXPECT_EQ(shape(tensor), std::vector<std::int64_t>(wanted.shape().begin(), wanted.shape().end()));
  EXPECT_EQ(values(tensor), wanted.to_host<float>());
}

void Bench::expect_ok(tp_status status) { EXPECT_EQ(status, TP_OK) << tp_status_name(status) << ": " << tp_last_error(); }

void Bench::expect_error(tp_status status, tp_status wanted, const std::vector<std::string>& says) {
  const std::string message = tp_last_error();
  EXPECT_EQ(status, wanted) << tp_status_name(status) << " rather than " << tp_status_name(wanted) << ": " << message;
  if (status == TP_OK) return;
  for (const std::string& part : says) EXPECT_NE(message.find(part), std::string::npos) << "'" << part << "' is not in: " << message;
}

void Bench::expect_begins() const {
  const std::string message = tp_last_error();
  EXPECT_EQ(message.substr(0, function_.size() + 2), function_ + ": ") << message;
}

std::vector<Bench::Wrong> Bench::wrong_for(const tp_tensor*) {
  static const double no_handle = 0;
  tp_tensor *const freed = zeros({1}), *const released = zeros({1});
  expect_ok(tp_tensor_free(freed));
  expect_ok(tp_tensor_release(released));
  return {{.handle = freed, .status = TP_RELEASED_ERROR, .says = "is a tensor that was freed already"},
          {.handle = released, .status = TP_RELEASED_ERROR, .says = "was released", .at_once = false},
          {.handle = plan(), .status = TP_ARGUMENT_ERROR, .says = "is a plan; wanted a tensor"},
          {.handle = &no_handle, .status = TP_ARGUMENT_ERROR, .says = "no handle of this library; wanted a tensor"}};
}

std::vector<Bench::Wrong> Bench::wrong_for(const tp_device*) {
  tp_device* freed = nullptr;
  expect_ok(tp_default_device(&freed));
  expect_ok(tp_device_free(freed));
  return {{.handle = freed, .status = TP_RELEASED_ERROR, .says = "is a device that was freed already"},
          {.handle = zeros({1}), .status = TP_ARGUMENT_ERROR, .says = "is a tensor; wanted a device"}};
}

std::vector<Bench::Wrong> Bench::wrong_for(const tp_plan*) {
  tp_plan* const freed = make_plan();
  expect_ok(tp_plan_free(freed));
  return {{.handle = freed, .status = TP_RELEASED_ERROR, .says = "is a plan that was freed already"},
          {.handle = zeros({1}), .status = TP_ARGUMENT_ERROR, .says = "is a tensor; wanted a plan"}};
}

std::vector<Bench::Wrong> Bench::wrong_for(const tp_ticket*) {
  tp_ticket* freed = nullptr;
  expect_ok(tp_commit(&freed));
  expect_ok(tp_ticket_free(freed));
  return {{.handle = freed, .status = TP_RELEASED_ERROR, .says = "is a ticket that was freed already"},
          {.handle = plan(), .status = TP_ARGUMENT_ERROR, .says = "is a plan; wanted a ticket"}};
}

}  // namespace tidepool::c_tests
