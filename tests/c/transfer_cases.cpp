// To the host and back, in every type that goes there.
#include "c/bench.h"

namespace tidepool::c_tests {

namespace {

template <class T>
struct Functions {
  const char* suffix;
  int dtype, other;  // a tensor of the other type is refused
  tp_status (*from)(const T*, std::int64_t, const std::int64_t*, std::int64_t, const tp_device*, tp_tensor**);
  tp_status (*copy_to)(const tp_tensor*, T*, std::int64_t);
  tp_status (*copy_from)(tp_tensor*, const T*, std::int64_t);
  tp_status (*item)(const tp_tensor*, T*);
};

constexpr std::int64_t three[] = {3}, four[] = {4}, one[] = {1};

template <class T>
void from_host(Bench& b, const Functions<T>& f) {
  const T values[] = {1, 2, 3};
  tp_tensor* out = nullptr;
  b.sweep(f.from, values, 3, three, 1, nullptr, &out);
  int dtype = -1;
  b.expect_ok(tp_tensor_dtype(b.own(out), &dtype));
  EXPECT_EQ(dtype, f.dtype);
  b.expect_values(out, {1, 2, 3});
  b.expect_error(f.from(values, 3, four, 1, nullptr, &out), TP_SHAPE_ERROR, {"3 values for shape [4], which has 4"});
  b.expect_error(f.from(values, -3, three, 1, nullptr, &out), TP_ARGUMENT_ERROR, {"count is -3; wanted 0 or more"});
  const std::int64_t none[] = {0};
  b.expect_ok(f.from(nullptr, 0, none, 1, nullptr, &out));
  EXPECT_TRUE(b.values(b.own(out)).empty());
}

template <class T>
void copy_to(Bench& b, const Functions<T>& f) {
  const T values[] = {4, 5, 6};
  T back[4] = {9, 9, 9, 9};
  tp_tensor* tensor = nullptr;
  b.expect_ok(f.from(values, 3, three, 1, nullptr, &tensor));
  b.sweep(f.copy_to, b.own(tensor), back, 3);
  EXPECT_EQ(std::vector<T>(back, back + 4), (std::vector<T>{4, 5, 6, 9}));
  b.expect_error(f.copy_to(tensor, back, 2), TP_SHAPE_ERROR, {"2 values for a tensor of shape [3], which has 3"});
  b.expect_error(f.copy_to(tensor, back, 4), TP_SHAPE_ERROR, {"4 values for a tensor of shape [3], which has 3"});
  b.expect_error(f.copy_to(tensor, back, -1), TP_ARGUMENT_ERROR, {"count is -1"});
  b.expect_error(f.copy_to(b.zeros({3}, f.other), back, 3), TP_DTYPE_ERROR, {"copy_to", "but the host's values are"});
}

template <class T>
void copy_from(Bench& b, const Functions<T>& f) {
  const T values[] = {7, 8, 9};
  tp_tensor* const tensor = b.zeros({3}, f.dtype);
  b.sweep(f.copy_from, tensor, values, 3);
  b.expect_values(tensor, {7, 8, 9});
  b.expect_error(f.copy_from(tensor, values, 2), TP_SHAPE_ERROR, {"2 values for a tensor of shape [3], which has 3"});
  b.expect_error(f.copy_from(b.zeros({3}, f.other), values, 3), TP_DTYPE_ERROR, {"copy_from", "but the host's values are"});
}

template <class T>
void item(Bench& b, const Functions<T>& f) {
  const T values[] = {11};
  T value = 0;
  tp_tensor* tensor = nullptr;
  b.expect_ok(f.from(values, 1, one, 1, nullptr, &tensor));
  b.sweep(f.item, b.own(tensor), &value);
  EXPECT_EQ(value, 11);
  b.expect_error(f.item(b.zeros({2}, f.dtype), &value), TP_SHAPE_ERROR, {"item", "[2]", "wanted one element"});
  b.expect_error(f.item(b.zeros({1}, f.other), &value), TP_DTYPE_ERROR, {"item"});
}

template <class T>
void add(Cases& all, const Functions<T>& f) {
  const std::string suffix = f.suffix;
  all.push_back({"tp_from_" + suffix, [f](Bench& b) { from_host(b, f); }});
  all.push_back({"tp_tensor_copy_to_" + suffix, [f](Bench& b) { copy_to(b, f); }});
  all.push_back({"tp_tensor_copy_from_" + suffix, [f](Bench& b) { copy_from(b, f); }});
  all.push_back({"tp_tensor_item_" + suffix, [f](Bench& b) { item(b, f); }});
}

}  // namespace

void add_transfer_cases(Cases& all) {
  add<float>(all, {"f32", TP_F32, TP_I32, tp_from_f32, tp_tensor_copy_to_f32, tp_tensor_copy_from_f32, tp_tensor_item_f32});
  add<std::int32_t>(all, {"i32", TP_I32, TP_U8, tp_from_i32, tp_tensor_copy_to_i32, tp_tensor_copy_from_i32, tp_tensor_item_i32});
  add<std::uint8_t>(all, {"u8", TP_U8, TP_F32, tp_from_u8, tp_tensor_copy_to_u8, tp_tensor_copy_from_u8, tp_tensor_item_u8});
}

}  // namespace tidepool::c_tests
