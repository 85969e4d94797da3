// Making tensors, asking them, views, writing in place.
#include "c/bench.h"

namespace tidepool::c_tests {

namespace {

using Make = tp_status (*)(const std::int64_t*, std::int64_t, int, const tp_device*, tp_tensor**);
using Check = std::function<void(Bench&, const tp_tensor*)>;

// What is the same for all that make a tensor from a shape and a type.
Case maker(const char* name, Make make, const Check& check) {
  return {name, [=](Bench& b) {
            const std::int64_t shape[] = {2, 3}, negative[] = {2, -3}, huge[] = {std::int64_t{1} << 40, std::int64_t{1} << 40};
            const std::int64_t many[] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
            tp_tensor* out = nullptr;
            b.sweep(make, shape, 2, TP_F32, nullptr, &out);
            EXPECT_EQ(b.shape(b.own(out)), (std::vector<std::int64_t>{2, 3}));
            check(b, out);
            b.expect_ok(make(nullptr, 0, TP_F32, nullptr, &out));
            EXPECT_EQ(b.shape(b.own(out)), std::vector<std::int64_t>()) << "a single number";
            b.expect_error(make(shape, -1, TP_F32, nullptr, &out), TP_ARGUMENT_ERROR, {"rank is -1; wanted 0 or more"});
            b.expect_error(make(many, 9, TP_F32, nullptr, &out), TP_SHAPE_ERROR, {"9", "8"});
            b.expect_error(make(negative, 2, TP_F32, nullptr, &out), TP_SHAPE_ERROR, {"-3"});
            b.expect_error(make(huge, 2, TP_F32, nullptr, &out), TP_SHAPE_ERROR, {"1099511627776"});
            for (const int wrong : {-1, 4})
              b.expect_error(make(shape, 2, wrong, nullptr, &out), TP_ARGUMENT_ERROR,
                             {std::string(name) + ": dtype is " + std::to_string(wrong), "TP_U8 (3)"});
          }};
}

void full(Bench& b) {
  const std::int64_t shape[] = {2};
  tp_tensor* out = nullptr;
  b.sweep(tp_full, shape, 1, 2.5F, TP_F32, nullptr, &out);
  b.expect_values(b.own(out), {2.5, 2.5});
  b.expect_ok(tp_full(shape, 1, 7, TP_I32, nullptr, &out));
  b.expect_values(b.own(out), {7, 7});
  b.expect_error(tp_full(shape, 1, 0, 9, nullptr, &out), TP_ARGUMENT_ERROR, {"dtype is 9"});
}

void manual_seed(Bench& b) {
  const std::int64_t shape[] = {4};
  std::vector<std::vector<float>> drawn;
  for (const std::uint64_t seed : {5U, 5U, 6U}) {
    tp_tensor* out = nullptr;
    b.expect_ok(tp_manual_seed(seed));
    b.expect_ok(tp_rand(shape, 1, TP_F32, nullptr, &out));
    drawn.push_back(b.values(b.own(out)));
  }
  EXPECT_EQ(drawn[0], drawn[1]);
  EXPECT_NE(drawn[0], drawn[2]);
}

void free_tensor(Bench& b) {
  tp_tensor* const tensor = b.f32({1}, {1});
  b.expect_ok(tp_tensor_free(nullptr));
  b.expect_ok(tp_tensor_free(tensor));
  b.expect_error(tp_tensor_free(tensor), TP_RELEASED_ERROR, {"tp_tensor_free: the handle is a tensor that was freed already"});
  tp_tensor* const next = b.f32({2}, {1});
  EXPECT_NE(next, tensor) << "an old handle never becomes another tensor's";
  b.expect_error(tp_tensor_free(tensor), TP_RELEASED_ERROR, {"freed already"});
  b.expect_values(next, {2});
  b.expect_error(tp_tensor_free(reinterpret_cast<tp_tensor*>(b.plan())), TP_ARGUMENT_ERROR, {"is a plan; wanted a tensor"});
}

void release(Bench& b) {
  tp_tensor *tensor = b.f32({1, 2}, {2}), *view = nullptr;
  b.expect_ok(tp_tensor_slice(tensor, 1, 2, &view));
  b.sweep(tp_tensor_release, tensor);
  b.expect_values(b.own(view), {2});
  b.expect_error(tp_tensor_release(tensor), TP_RELEASED_ERROR, {"released"});
  b.expect_ok(tp_tensor_free(tensor));
}

void shape(Bench& b) {
  tp_tensor* const tensor = b.zeros({4, 5, 6});
  std::int64_t sizes[3] = {}, rank = 0;
  b.sweep(tp_tensor_shape, tensor, sizes, 3, &rank);
  EXPECT_EQ(rank, 3);
  EXPECT_EQ(sizes[0] * 100 + sizes[1] * 10 + sizes[2], 456);
  b.expect_ok(tp_tensor_shape(tensor, nullptr, 0, &rank));
  sizes[0] = -1;
  b.expect_error(tp_tensor_shape(tensor, sizes, 2, &rank), TP_ARGUMENT_ERROR, {"room for 2 sizes", "[4, 5, 6]", "wanted 3 or more"});
  EXPECT_EQ(sizes[0], -1) << "nothing is written when it does not fit";
  EXPECT_EQ(rank, 3);
  b.expect_error(tp_tensor_shape(tensor, sizes, -3, &rank), TP_ARGUMENT_ERROR, {"room is -3"});
}

void device_of(Bench& b) {
  tp_device* device = nullptr;
  b.sweep(tp_tensor_device, b.zeros({1}), &device);
  const char *mine = nullptr, *usual = nullptr;
  b.expect_ok(tp_device_id(device, &mine));
  b.expect_ok(tp_device_id(nullptr, &usual));
  EXPECT_STREQ(mine, usual);
  b.expect_ok(tp_device_free(device));
}

void reshape(Bench& b) {
  tp_tensor *tensor = b.f32({1, 2, 3, 4, 5, 6}, {2, 3}), *out = nullptr;
  const std::int64_t wanted[] = {3, -1}, wrong[] = {4};
  b.sweep(tp_tensor_reshape, tensor, wanted, 2, &out);
  EXPECT_EQ(b.shape(b.own(out)), (std::vector<std::int64_t>{3, 2}));
  b.expect_ok(tp_fill(out, 9));
  b.expect_values(tensor, {9, 9, 9, 9, 9, 9});
  b.expect_error(tp_tensor_reshape(tensor, wrong, 1, &out), TP_SHAPE_ERROR, {"reshape", "[2, 3]", "[4]"});
}

void slice(Bench& b) {
  tp_tensor *tensor = b.f32({1, 2, 3, 4, 5, 6}, {3, 2}), *out = nullptr;
  b.sweep(tp_tensor_slice, tensor, 1, 2, &out);
  b.expect_values(b.own(out), {3, 4});
  b.expect_error(tp_tensor_slice(tensor, 1, 4, &out), TP_SHAPE_ERROR, {"slice: got rows [1, 4) of [3, 2]; wanted 0 <= begin <= end <= 3"});
}

void to_device(Bench& b) {
  tp_tensor *tensor = b.f32({1, 2}, {2}), *there = nullptr, *back = nullptr;
  tp_device *cpu = nullptr, *at = nullptr;
  const char* id = nullptr;
  b.expect_ok(tp_device_open("cpu", &cpu));
  b.sweep(tp_tensor_to_device, tensor, cpu, &there);
  b.expect_ok(tp_tensor_device(b.own(there), &at));
  b.expect_ok(tp_device_id(at, &id));
  EXPECT_STREQ(id, "cpu");
  b.expect_ok(tp_tensor_to_device(there, nullptr, &back));
  b.expect_values(b.own(back), {1, 2});
  b.expect_ok(tp_device_free(cpu));
  b.expect_ok(tp_device_free(at));
}

void to_dtype(Bench& b) {
  tp_tensor *tensor = b.f32({1.75F, -2.5F}, {2}), *out = nullptr;
  b.sweep(tp_tensor_to_dtype, tensor, TP_I32, &out);
  b.expect_values(b.own(out), {1, -2});
  b.expect_ok(tp_tensor_to_dtype(tensor, TP_F16, &out));
  b.expect_values(b.own(out), {1.75, -2.5});
  b.expect_error(tp_tensor_to_dtype(tensor, 17, &out), TP_ARGUMENT_ERROR, {"dtype is 17", "TP_F32 (0)"});
}

// A copy, and what shares the numbers.
void clone(Bench& b) {
  tp_tensor *tensor = b.f32({1}, {1}), *out = nullptr;
  b.sweep(tp_tensor_clone, tensor, &out);
  b.expect_ok(tp_fill(tensor, 5));
  b.expect_values(b.own(out), {1});
}
void detach(Bench& b) {
  tp_tensor *tensor = b.f32({1}, {1}), *out = nullptr;
  b.sweep(tp_tensor_detach, tensor, &out);
  b.expect_ok(tp_fill(tensor, 5));
  b.expect_values(b.own(out), {5});
}

void copy(Bench& b) {
  tp_tensor *to = b.zeros({2}), *from = b.f32({3, 4}, {2});
  b.sweep(tp_copy, to, from);
  b.expect_values(to, {3, 4});
  b.expect_error(tp_copy(to, b.zeros({3})), TP_SHAPE_ERROR, {"copy_", "[3]", "[2]"});
  b.expect_error(tp_copy(to, b.zeros({2}, TP_I32)), TP_DTYPE_ERROR, {"copy_", "i32"});
}

void fill(Bench& b) {
  tp_tensor* const tensor = b.zeros({2});
  b.sweep(tp_fill, tensor, 1.5F);
  b.expect_values(tensor, {1.5, 1.5});
}

}  // namespace

void add_tensor_cases(Cases& all) {
  all.push_back(maker("tp_zeros", tp_zeros, [](Bench& b, const tp_tensor* t) { b.expect_values(t, {0, 0, 0, 0, 0, 0}); }));
  all.push_back(maker("tp_empty", tp_empty, [](Bench&, const tp_tensor*) {}));
  all.push_back(maker("tp_rand", tp_rand, [](Bench& b, const tp_tensor* t) {
    for (const float v : b.values(t)) EXPECT_TRUE(v >= 0 && v < 1) << v;
  }));
  all.push_back(maker("tp_randn", tp_randn, [](Bench& b, const tp_tensor* t) {
    const std::vector<float> drawn = b.values(t);
    EXPECT_NE(drawn[0], drawn[1]);
    for (const float v : drawn) EXPECT_TRUE(v > -8 && v < 8) << v;
  }));
  all.push_back({"tp_full", full});
  all.push_back({"tp_manual_seed", manual_seed});
  all.push_back({"tp_tensor_free", free_tensor});
  all.push_back({"tp_tensor_release", release});
  all.push_back({"tp_tensor_shape", shape});
  all.push_back({"tp_tensor_dtype", [](Bench& b) {
                   int dtype = -1;
                   b.sweep(tp_tensor_dtype, b.zeros({1}, TP_U8), &dtype);
                   EXPECT_EQ(dtype, TP_U8);
                 }});
  all.push_back({"tp_tensor_numel", [](Bench& b) {
                   std::int64_t numel = 0;
                   b.sweep(tp_tensor_numel, b.zeros({2, 3}), &numel);
                   EXPECT_EQ(numel, 6);
                 }});
  all.push_back({"tp_tensor_nbytes", [](Bench& b) {
                   std::size_t nbytes = 0;
                   b.sweep(tp_tensor_nbytes, b.zeros({2, 3}, TP_F16), &nbytes);
                   EXPECT_EQ(nbytes, 12U);
                 }});
  all.push_back({"tp_tensor_device", device_of});
  all.push_back({"tp_tensor_reshape", reshape});
  all.push_back({"tp_tensor_slice", slice});
  all.push_back({"tp_tensor_detach", detach});
  all.push_back({"tp_tensor_clone", clone});
  all.push_back({"tp_tensor_to_device", to_device});
  all.push_back({"tp_tensor_to_dtype", to_dtype});
  all.push_back({"tp_copy", copy});
  all.push_back({"tp_fill", fill});
}

}  // namespace tidepool::c_tests
