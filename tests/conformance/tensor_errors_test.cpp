// Wrong use of tensors: making them, moving their numbers, writing in place, gradients.
#include "conformance/errors.h"

#include <cmath>
#include <limits>
#include <span>

namespace tidepool::conformance {
namespace {

class TensorErrors : public ErrorTest {};

constexpr std::int64_t huge = std::int64_t{1} << 40;

TEST_P(TensorErrors, SizesThatCannotBeAreNamed) {
  const std::vector<float> two(2);
  expect_error<ShapeError>([] { zeros({-1, 2}); }, {"zeros:", "[-1, 2]"});
  expect_error<ShapeError>([] { ones({2, -3}); }, {"ones:", "[2, -3]"});
  expect_error<ShapeError>([] { full({-4}, 1.0F); }, {"full:", "[-4]"});
  expect_error<ShapeError>([] { empty({-5, 0}); }, {"empty:", "[-5, 0]"});
  expect_error<ShapeError>([&] { from_host(two, {-2}); }, {"from_host:", "[-2]"});
  expect_error<ShapeError>([] { tensor({1, 2}, {-2, -1}); }, {"tensor:", "[-2, -1]"});
  expect_error<ShapeError>([] { zeros({huge, huge}); }, {"zeros:", std::to_string(huge)});
  expect_error<ShapeError>([] { empty({huge, huge}); }, {"empty:", std::to_string(huge)});
  expect_error<ShapeError>([&] { from_host(two, {huge, huge}); }, {"from_host:", std::to_string(huge)});
  expect_error<ShapeError>([] { arange(std::numeric_limits<std::int64_t>::max()); }, {"arange:", "more elements than any memory"});
  const std::vector<std::int64_t> nine(9, 1);
  expect_error<ShapeError>([&] { Shape{std::span<const std::int64_t>(nine)}; }, {"9", "8"});
  expect_error<ShapeError>([] { Shape{1, 2}[2]; }, {"axis 2", "[1, 2]"});
}

TEST_P(TensorErrors, MoreNumbersThanTheDeviceHoldsAreOutOfMemory) {
  configure({.memory_limit = 1_GiB});
  expect_error<OutOfMemory>([] { arange(huge); }, {"arange:", "asked 4 TiB"});
  expect_error<Error>([] { capture([] { arange(huge); }); }, {"arange:", "inside capture"});
}

TEST_P(TensorErrors, ValuesThatDoNotFitTheShapeAreCounted) {
  std::vector<float> five(5);
  const std::vector<std::int32_t> whole(6);
  const Tensor a = ones({2, 3});
  expect_error<ShapeError>([&] { from_host(five, {2, 3}); }, {"from_host:", "5", "[2, 3]"});
  expect_error<ShapeError>([] { tensor({1, 2, 3}, {2, 2}); }, {"tensor:", "3", "[2, 2]"});
  expect_error<ShapeError>([&] { a.copy_from(five); }, {"copy_from:", "5", "[2, 3]"});
  expect_error<ShapeError>([&] { a.copy_to(std::span(five)); }, {"copy_to:", "5", "[2, 3]"});
  expect_error<ShapeError>([&] { a.item(); }, {"item:", "[2, 3]", "reduce it first (sum, mean), or use to_host()"});
  expect_error<DTypeError>([&] { a.copy_from(whole); }, {"copy_from:", "f32", "i32"});
  expect_error<DTypeError>(
      [&] { a.to_host<std::int32_t>(); },
      {"to_host: the tensor is f32 but the host's values are i32; wanted values of its own type, or convert it with to(DType::i32)"});
  expect_error<DTypeError>([&] { a.slice(0, 1).to_host<std::uint8_t>(); }, {"to_host:", "f32", "u8"});
  expect_error<DTypeError>([&] { sum(a).item<std::int32_t>(); }, {"item:", "f32", "i32"});
}

TEST_P(TensorErrors, EmptyAndReleasedTensorsHaveNothingToAskFor) {
  std::vector<float> values(4);
  const std::vector<std::pair<std::string, std::function<void(const Tensor&)>>> questions{
      {"shape", [](const Tensor& t) { t.shape(); }},
      {"dtype", [](const Tensor& t) { t.dtype(); }},
      {"device", [](const Tensor& t) { t.device(); }},
      {"numel", [](const Tensor& t) { t.numel(); }},
      {"nbytes", [](const Tensor& t) { t.nbytes(); }},
      {"to_host", [](const Tensor& t) { t.to_host<float>(); }},
      {"item", [](const Tensor& t) { t.item(); }},
      {"copy_to", [&](const Tensor& t) { t.copy_to(std::span(values)); }},
      {"copy_from", [&](const Tensor& t) { t.copy_from(values); }},
      {"to", [](const Tensor& t) { t.to(device("null")); }},
      {"detach", [](const Tensor& t) { t.detach(); }},
      {"release", [](const Tensor& t) { t.release(); }},
      {"requires_grad", [](const Tensor& t) { t.requires_grad(); }},
      {"wants_grad", [](const Tensor& t) { t.wants_grad(); }},
      {"backward", [](const Tensor& t) { t.backward(); }},
      {"grad", [](const Tensor& t) { t.grad(); }},
      {"zero_grad", [](const Tensor& t) { t.zero_grad(); }},
      {"zeros_like", [](const Tensor& t) { zeros_like(t); }},
      {"fill_", [](const Tensor& t) { fill_(t, 1); }},
      {"zero_", [](const Tensor& t) { zero_(t); }},
      {"copy_", [](const Tensor& t) { copy_(t, ones({4})); }},
      {"copy_", [](const Tensor& t) { copy_(ones({4}), t); }},
      {"keep", [](const Tensor& t) { keep(t); }}};
  for (const auto& [name, ask] : questions) {
    expect_error<ReleasedError>([&, &ask = ask] { ask(Tensor()); }, {name + ":", "empty"});
    expect_error<ReleasedError>([&, &ask = ask] { ask(ended({4})); }, {name + ":", "released", "[4]"});
  }
}

TEST_P(TensorErrors, WritingInPlaceChecksShapeTypeAndDevice) {
  const Tensor a = ones({2, 3});
  expect_error<ShapeError>([&] { copy_(a, ones({3})); }, {"copy_:", "[2, 3]", "[3]"});
  expect_error<ShapeError>([&] { copy_(a, ones({3, 2})); }, {"copy_:", "[2, 3]", "[3, 2]"});
  expect_error<DTypeError>([&] { copy_(a, integers({2, 3})); }, {"copy_: types differ: f32 from i32; convert the source with to(dtype)"});
  expect_error<DeviceError>([&] { copy_(a, elsewhere({2, 3})); }, {"copy_:", id(), "null"});
  expect_error<ArgumentError>([&] { copy_(a.slice(0, 1).reshape({3}), a.reshape({6}).slice(2, 5)); },
                              {"copy_: destination [3] and source [3] overlap; copy from a clone() of the source"});
  const Tensor parameter = ones({2}).requires_grad();
  expect_error<Error>([&] { fill_(parameter, 2); }, {"fill_:", "gradient"});
  expect_error<Error>([&] { copy_(parameter, ones({2})); }, {"copy_:", "gradient"});
  EXPECT_EQ(a.to_host<float>(), std::vector<float>(6, 1.0F));
  EXPECT_EQ(parameter.to_host<float>(), std::vector<float>(2, 1.0F));
}

TEST_P(TensorErrors, BackwardNeedsSomethingToGoBackTo) {
  const Tensor w = ones({2, 3}).requires_grad();
  expect_error<Error>([&] { sum(ones({2})).backward(); }, {"backward:", "requires_grad"});
  expect_error<ShapeError>([&] { relu(w).backward(); }, {"backward:", "[2, 3]"});
  expect_error<ShapeError>([&] { relu(w).backward(ones({3, 2})); }, {"backward:", "[3, 2]", "[2, 3]"});
  expect_error<ReleasedError>([&] { relu(w).backward(Tensor()); }, {"backward:"});
  expect_error<DTypeError>([&] { integers({2}).requires_grad(); }, {"requires_grad:", "i32"});
  expect_error<Error>([&] { relu(w).requires_grad(); }, {"requires_grad:"});
  EXPECT_FALSE(w.grad().defined());
}

// Also where the gradient is the seed itself, as for an addition.
TEST_P(TensorErrors, BackwardChecksTheSeedsTypeAndDevice) {
  using Function = std::function<Tensor(const Tensor&)>;
  for (const Function& result : {Function([](const Tensor& w) { return relu(w); }), Function([](const Tensor& w) { return w + 1.0F; }),
                                 Function([](const Tensor& w) {
                                   return w.reshape({2, 3});
                                 }),
                                 Function([](const Tensor& w) { return w; })}) {
    const Tensor v = ones({2, 3}).requires_grad(), w = ones({2, 3}).requires_grad();
    expect_error<DTypeError>([&] { result(v).backward(integers({2, 3})); }, {"backward:", "i32", "f32"});
    expect_error<DeviceError>([&] { result(w).backward(elsewhere({2, 3})); }, {"backward:", id(), "null"});
    EXPECT_FALSE(v.grad().defined() || w.grad().defined());
  }
}

TEST_P(TensorErrors, AGraphIsUsedOnce) {
  const Tensor w = ones({2}).requires_grad();
  const Tensor loss = sum(square(w));
  loss.backward();
  expect_error<Error>([&] { loss.backward(); }, {"backward:", "earlier backward"});
  EXPECT_EQ(w.grad().to_host<float>(), std::vector<float>(2, 2.0F));
}

TEST_P(TensorErrors, AdamChecksItsTensors) {
  const Tensor w = ones({3}), g = ones({3}), m = zeros({3}), v = zeros({3});
  expect_error<ShapeError>([&] { raw::adam_step(w, ones({2}), m, v); }, {"adam_step:", "[3]", "[2]"});
  expect_error<ShapeError>([&] { raw::adam_step(w, g, zeros({3, 1}), v); }, {"adam_step:", "[3]", "[3, 1]"});
  expect_error<ShapeError>([&] { raw::adam_step(w, g, m, zeros({4})); }, {"adam_step:", "[3]", "[4]"});
  expect_error<DTypeError>([&] { raw::adam_step(w, integers({3}), m, v); }, {"adam_step:", "i32", "f32"});
  expect_error<DeviceError>([&] { raw::adam_step(w, elsewhere({3}), m, v); }, {"adam_step:", id(), "null"});
  expect_error<ReleasedError>([&] { raw::adam_step(w, g, Tensor(), v); }, {"adam_step:", "empty"});
  expect_error<ReleasedError>([&] { raw::adam_step(w, g, m, ended({3})); }, {"adam_step:", "released"});
  EXPECT_EQ(w.to_host<float>(), std::vector<float>(3, 1.0F));
}

TEST_P(TensorErrors, AdamChecksItsNumbers) {
  const Tensor w = ones({3}), g = ones({3}), m = zeros({3}), v = zeros({3});
  const auto expect_refused = [&](const AdamOptions& options, const std::string& name) {
    expect_error<ArgumentError>([&] { raw::adam_step(w, g, m, v, options); }, {"adam_step:", name});
  };
  expect_refused({.beta1 = 1}, "beta1 is 1");
  expect_refused({.beta2 = -0.5}, "beta2 is -0.5");
  expect_refused({.beta2 = std::nan("")}, "beta2 is nan");
  expect_refused({.step = 0}, "step is 0");
  expect_refused({.lr = -1}, "lr is -1");
  expect_refused({.lr = std::nan("")}, "lr is nan");
  expect_refused({.eps = -1e-3}, "eps is -0.001");
  expect_refused({.weight_decay = -0.1}, "weight_decay is -0.1");
  EXPECT_EQ(w.to_host<float>(), std::vector<float>(3, 1.0F));
}

INSTANTIATE_TEST_SUITE_P(, TensorErrors, devices_that_compute(), device_name);

}  // namespace
}  // namespace tidepool::conformance
