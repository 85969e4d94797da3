// What a test of the C interface needs: tensors from lists, and a sweep that calls a function with every wrong handle there is.
//
//     Bench b("tp_matmul");
//     tp_tensor *a = b.f32({1, 2, 3, 4}, {2, 2}), *out = nullptr;
//     b.sweep(tp_matmul, a, a, &out);                    // NULL, freed, released, of another kind: an error each; then as it is
//     b.expect_values(b.own(out), {7, 10, 15, 22});
//     b.expect_error(tp_matmul(a, b.f32({1}, {1, 1}), &out), TP_SHAPE_ERROR, {"inner sizes"});
#pragma once

#include <gtest/gtest.h>
#include <tidepool/c.h>
#include <tidepool/tensor.h>

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace tidepool::c_tests {

class Bench {
 public:
  explicit Bench(std::string function) : function_(std::move(function)) {}
  ~Bench();
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  // Handles that live as long as the bench.
  tp_tensor* own(tp_tensor* tensor);
  tp_tensor* f32(const std::vector<float>& values, const std::vector<std::int64_t>& shape);
  tp_tensor* i32(const std::vector<std::int32_t>& values, const std::vector<std::int64_t>& shape);
  tp_tensor* u8(const std::vector<std::uint8_t>& values, const std::vector<std::int64_t>& shape);
  tp_tensor* zeros(const std::vector<std::int64_t>& shape, int dtype = TP_F32);
  tp_plan* plan();

  static std::vector<float> values(const tp_tensor* tensor);  // of any type, as floats
  static std::vector<std::int64_t> shape(const tp_tensor* tensor);
  static void expect_values(const tp_tensor* tensor, const std::vector<double>& wanted, double tolerance = 1e-5);
  static void expect_same(const tp_tensor* tensor, const Tensor& wanted);  // values and shape, to the bit
  static void expect_ok(tp_status status);
  static void expect_error(tp_status status, tp_status wanted, const std::vector<std::string>& says);

  // These parameters, counted from 0, may be NULL.
  Bench& optional(std::set<std::size_t> parameters) {
    optional_ = std::move(parameters);
    return *this;
  }
  template <class... P>
  void sweep(tp_status (*function)(P...), std::type_identity_t<P>... arguments) {
    std::tuple<P...> good(arguments...);
    sweep_each(function, good, std::index_sequence_for<P...>());
    expect_ok(function(arguments...));
  }

 private:
  struct Wrong {
    const void* handle;
    tp_status status;
    std::string says;
    bool at_once = true;  // told by this function, not by what it calls
  };
  std::vector<Wrong> wrong_for(const tp_tensor*);
  std::vector<Wrong> wrong_for(const tp_device*);
  std::vector<Wrong> wrong_for(const tp_plan*);
  std::vector<Wrong> wrong_for(const tp_ticket*);
  template <class T>
  std::vector<Wrong> wrong_for(T*) {
    return {};
  }

  template <class T>
  static constexpr bool defaults_when_null =
      std::is_same_v<T, tp_device> || std::is_same_v<T, tp_pool_options> || std::is_same_v<T, tp_im2col_options> ||
      std::is_same_v<T, tp_conv2d_options> || std::is_same_v<T, tp_adam_options> || std::is_same_v<T, tp_sgd_options> ||
      std::is_same_v<T, tp_batch_norm_options> || std::is_same_v<T, tp_select_options>;

  template <class... P, std::size_t... index>
  void sweep_each(tp_status (*function)(P...), const std::tuple<P...>& good, std::index_sequence<index...>) {
    (sweep_one<index>(function, good), ...);
  }
  template <std::size_t index, class... P>
  void sweep_one(tp_status (*function)(P...), const std::tuple<P...>& good) {
    using Parameter = std::tuple_element_t<index, std::tuple<P...>>;
    if constexpr (std::is_pointer_v<Parameter>) {
      using Pointee = std::remove_cv_t<std::remove_pointer_t<Parameter>>;
      std::vector<Wrong> all = wrong_for(Parameter());
      if (!defaults_when_null<Pointee> && !optional_.contains(index))
        all.push_back({.handle = nullptr, .status = TP_ARGUMENT_ERROR, .says = "is NULL; wanted"});
      for (const Wrong& wrong : all) {
        SCOPED_TRACE(testing::Message() << function_ << " with a wrong parameter " << index << ": " << wrong.says);
        std::tuple<P...> arguments = good;
        std::get<index>(arguments) = static_cast<Parameter>(const_cast<void*>(wrong.handle));
        fill_output(arguments);
        expect_error(std::apply(function, arguments), wrong.status, {wrong.says});
        if (wrong.at_once) expect_begins();
        expect_no_output(arguments);
      }
    }
  }

  // What comes out after an error is NULL, whatever was there.
  template <class... P>
  static void fill_output(const std::tuple<P...>& arguments) {
    if (auto** place = output(arguments)) *place = reinterpret_cast<std::remove_pointer_t<decltype(place)>>(&place);
  }
  template <class... P>
  static void expect_no_output(const std::tuple<P...>& arguments) {
    if (auto** place = output(arguments)) {
      EXPECT_EQ(*place, nullptr);
    }
  }
  template <class... P>
  static auto output(const std::tuple<P...>& arguments) {
    using Last = std::tuple_element_t<sizeof...(P) - 1, std::tuple<P...>>;
    if constexpr (std::is_same_v<Last, tp_tensor**> || std::is_same_v<Last, tp_device**>)
      return std::get<sizeof...(P) - 1>(arguments);
    else
      return static_cast<tp_tensor**>(nullptr);
  }
  void expect_begins() const;
  tp_plan* make_plan();

  std::string function_;
  std::set<std::size_t> optional_;
  std::vector<tp_tensor*> owned_;
  tp_plan* plan_ = nullptr;
};

// How a function is used, and what it says when it is not used well.
struct Case {
  std::string function;
  std::function<void(Bench&)> run;
};
using Cases = std::vector<Case>;

void add_library_cases(Cases& all);
void add_device_cases(Cases& all);
void add_tensor_cases(Cases& all);
void add_transfer_cases(Cases& all);
void add_run_cases(Cases& all);
void add_raw_cases(Cases& all);
void add_elementwise_cases(Cases& all);
void add_operation_cases(Cases& all);

}  // namespace tidepool::c_tests
