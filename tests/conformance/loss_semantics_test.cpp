// Losses at their edges, wrong labels, and the raw twins. It is what PyTorch does.
#include "conformance/errors.h"

#include <cmath>
#include <limits>

namespace tidepool::conformance {
namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
using Floats = std::vector<float>;
using Whole = std::vector<std::int32_t>;

class LossSemantics : public LibraryTest {
 protected:
  static Tensor labels(const Whole& values) { return from_host(values, {static_cast<std::int64_t>(values.size())}); }
  // The gradient of a loss for its first or second input.
  template <class Loss>
  static Floats gradient(Loss&& loss, std::initializer_list<float> pred, std::initializer_list<float> target, bool of_target = false) {
    const Shape shape{pred.size()};
    const Tensor p = tensor(pred, shape), t = tensor(target, shape), wanted = of_target ? t : p;
    wanted.requires_grad();
    loss(p, t).backward();
    return wanted.grad().template to_host<float>();
  }
  template <class Function>
  static std::string complaint_of(Function&& function) {
    return message_of<ArgumentError>([&] {
      function();
      sync();
    });
  }
};

TEST_F(LossSemantics, BceLossEndsLogarithmsAtMinus100) {
  EXPECT_EQ(bce_loss(tensor({0, 1}, {2}), tensor({1, 0}, {2})).item(), 100.0F);
  EXPECT_EQ(bce_loss(tensor({0, 1}, {2}), tensor({0, 1}, {2})).item(), 0.0F);
  EXPECT_EQ(gradient(bce_loss, {0}, {1})[0], -1e12F);  // divided by 1e-12 and not by 0
  EXPECT_EQ(gradient(bce_loss, {0.5F, 0}, {0.5F, 0}, true), (Floats{0, inf}));
  EXPECT_NEAR(bce_loss(tensor({1e-9F}, {1}), tensor({0}, {1})).item(), 1e-9F, 1e-12F);
}

TEST_F(LossSemantics, BceWithLogitsTakesAnyLogit) {
  EXPECT_EQ(bce_with_logits(tensor({1000, -1000}, {2}), tensor({0, 1}, {2})).item(), 1000.0F);
  EXPECT_EQ(bce_with_logits(tensor({1000, -1000}, {2}), tensor({1, 0}, {2})).item(), 0.0F);
  EXPECT_EQ(bce_with_logits(tensor({inf}, {1}), tensor({0}, {1})).item(), inf);
  EXPECT_EQ(gradient(bce_with_logits, {1000, -1000}, {0, 1}), (Floats{0.5F, -0.5F}));
  EXPECT_EQ(gradient(bce_with_logits, {4, -2}, {0, 1}, true), (Floats{-2, 1}));
}

TEST_F(LossSemantics, GradientsAtKinksAreAsPyTorchHasThem) {
  EXPECT_EQ(gradient(l1_loss, {1, 2, 3, 5}, {1, 3, 1, 5}), (Floats{0, -0.25F, 0.25F, 0}));
  EXPECT_EQ(gradient(huber_loss, {0, 1, -3, 0.5F}, {0, 0, 0, 0}), (Floats{0, 0.25F, -0.25F, 0.125F}));
  EXPECT_EQ(gradient(mse_loss, {1, 4}, {3, 3}, true), (Floats{2, -1}));
}

TEST_F(LossSemantics, TheMeanOverNothingIsNaN) {
  EXPECT_TRUE(std::isnan(mse_loss(zeros({0}), zeros({0})).item()));
  EXPECT_TRUE(std::isnan(cross_entropy(zeros({0, 3}), labels({})).item()));
  EXPECT_TRUE(std::isnan(accuracy(zeros({0, 3}), labels({})).item()));
}

TEST_F(LossSemantics, CrossEntropyOfLargeLogitsIsExact) {
  EXPECT_EQ(cross_entropy(tensor({1000, 0, 0, 1000}, {2, 2}), labels({0, 0})).item(), 500.0F);
  EXPECT_EQ(cross_entropy(tensor({0, -inf}, {1, 2}), labels({1})).item(), inf);
  EXPECT_TRUE(std::isnan(cross_entropy(tensor({inf, 0}, {1, 2}), labels({0})).item()));
}

TEST_F(LossSemantics, LossesTakeOneOrTwoLaunchesAndOneBack) {
  const Tensor p = ones({3'000'000}).requires_grad(), t = zeros({3'000'000}), logits = ones({3000, 4}).requires_grad();
  const Tensor classes = zeros({3000}, {.dtype = DType::i32}), one = ones({});
  Tensor loss;
  EXPECT_LE(capture([&] { loss = mse_loss(p, t); }).launches(), 2);
  EXPECT_LE(capture([&] { mse_loss(p, t).backward(one); }).launches(), 3);
  EXPECT_LE(capture([&] { loss = cross_entropy(logits, classes); }).launches(), 2);
  EXPECT_LE(capture([&] { cross_entropy(logits, classes).backward(one); }).launches(), 3);
}

TEST_F(LossSemantics, WrongLabelsAreHeardOfAtTheNextRead) {
  const Tensor logits = zeros({2, 3});
  for (const std::int32_t wrong : {3, -1, 2000000000}) {
    const Tensor bad = labels({0, wrong}), good = labels({0, 1});
    const std::string text = "got the label " + std::to_string(wrong);
    EXPECT_NE(complaint_of([&] { cross_entropy(logits, bad); }).find("cross_entropy: " + text), std::string::npos);
    EXPECT_NE(complaint_of([&] { accuracy(logits, bad); }).find("accuracy: " + text), std::string::npos);
    EXPECT_NE(complaint_of([&] { raw::cross_entropy_grad(logits, bad, 1, zeros({2, 3})); }).find("cross_entropy: "), std::string::npos);
    EXPECT_NE(complaint_of([&] { confusion_matrix(good, bad, 3); }).find("confusion_matrix: got the class"), std::string::npos);
    EXPECT_NE(complaint_of([&] { confusion_matrix(bad, good, 3); }).find("confusion_matrix: got the class"), std::string::npos);
    sync();
  }
  EXPECT_FLOAT_EQ(cross_entropy(logits, labels({0, 1})).item(), std::log(3.0F));
}

TEST_F(LossSemantics, ConfusionRowsAreLabels) {
  const Tensor counts = confusion_matrix(labels({1, 1, 0}), labels({0, 1, 0}), 2);
  EXPECT_EQ(counts.to_host<std::int32_t>(), (Whole{1, 1, 0, 1}));
  raw::update_confusion_matrix(labels({1}), labels({0}), counts);
  EXPECT_EQ(counts.to_host<std::int32_t>(), (Whole{1, 2, 0, 1}));
}

TEST_F(LossSemantics, AccuracyCountsTheFirstOfTies) {
  EXPECT_EQ(accuracy(tensor({1, 1, 0, 2, 3, 0, 1, 5}, {4, 2}), labels({0, 1, 1, 1})).item(), 0.75F);
}

TEST_F(LossSemantics, RawGradientsAreThoseOfTheLossesWithTheRightScale) {
  const Tensor p = tensor({1, 4, 2}, {3}).requires_grad(), t = tensor({3, 3, 3}, {3}), d = zeros({3});
  mse_loss(p, t).backward();
  raw::mse_grad(p, t, 2.0 / 3, d);
  EXPECT_EQ(d.to_host<float>(), p.grad().to_host<float>());
  const Tensor logits = tensor({1, 2, 0, -1}, {2, 2}).requires_grad(), classes = labels({1, 1}), dlogits = zeros({2, 2});
  cross_entropy(logits, classes).backward();
  raw::cross_entropy_grad(logits, classes, 0.5, dlogits);
  EXPECT_EQ(dlogits.to_host<float>(), logits.grad().to_host<float>());
}

class SgdStep : public OnEveryDevice {};
INSTANTIATE_TEST_SUITE_P(On, SgdStep, devices_that_compute(), device_name);

TEST_P(SgdStep, IsAsPyTorchHasIt) {
  const Tensor w = tensor({1, -2}, {2}), g = tensor({0.5F, 1}, {2}), velocity = zeros({2});
  raw::sgd_step(w, g, {}, {.lr = 0.1});
  EXPECT_EQ(w.to_host<float>(), (Floats{1 - 0.1F * 0.5F, -2 - 0.1F}));
  const Tensor u = tensor({1}, {1}), h = tensor({1}, {1}), v = zeros({1});
  for (int step = 0; step < 2; ++step) raw::sgd_step(u, h, v, {.lr = 0.5, .momentum = 0.5, .weight_decay = 1});
  EXPECT_FLOAT_EQ(v.item(), 2.0F);   // 2, then 0.5 * 2 + (1 + 0)
  EXPECT_FLOAT_EQ(u.item(), -1.0F);  // 1 - 0.5 * 2 - 0.5 * 2
  const Tensor n = tensor({1}, {1}), m = zeros({1});
  raw::sgd_step(n, h, m, {.lr = 0.5, .momentum = 0.5, .nesterov = true});
  EXPECT_FLOAT_EQ(n.item(), 0.25F);  // 1 - 0.5 * (1 + 0.5 * 1)
  const Tensor many = ones({70001}), slopes = ones({70001}), speed = ones({70001});
  raw::sgd_step(many.slice(3, 70001), slopes.slice(3, 70001), speed.slice(3, 70001), {.lr = 1, .momentum = 1});
  const Floats after = many.to_host<float>();
  for (std::size_t i = 0; i < after.size(); ++i) ASSERT_EQ(after[i], i < 3 ? 1.0F : -1.0F) << i;
}

class LossErrors : public ErrorTest {};

TEST_P(LossErrors, NameTheOperationAndWhatIsWrong) {
  const Tensor a = ones({2, 3}), b = ones({3, 2}), whole = integers({2, 3}), rows = integers({2});
  using Named = std::pair<std::string, Tensor (*)(const Tensor&, const Tensor&)>;
  const std::vector<Named> pairs{{"mse_loss:", mse_loss},
                                 {"l1_loss:", l1_loss},
                                 {"huber_loss:", huber_loss},
                                 {"bce_loss:", bce_loss},
                                 {"bce_with_logits:", bce_with_logits}};
  for (const auto& [name, loss] : pairs) {
    expect_error<ShapeError>([&] { loss(a, b); }, {name, "[2, 3]", "[3, 2]", "wanted the same, for example target.reshape(pred.shape())"});
    expect_error<ShapeError>([&] { loss(a, ones({3})); }, {name, "[2, 3]", "[3]"});
    expect_error<DTypeError>([&] { loss(a, whole); }, {name, "i32", "f32"});
    expect_error<ReleasedError>([&] { loss(a, Tensor()); }, {name, "empty"});
  }
  for (const auto& [name, loss] : {Named{"cross_entropy:", cross_entropy}, Named{"accuracy:", accuracy}}) {
    expect_error<ShapeError>([&] { loss(a, integers({3})); }, {name, "[3]", "[2, 3]", "[2]"});
    expect_error<ShapeError>([&] { loss(ones({2}), rows); }, {name, "[2]", "[n, classes]"});
    expect_error<ShapeError>([&] { loss(zeros({2, 0}), rows); }, {name, "[2, 0]"});
    expect_error<DTypeError>([&] { loss(whole, rows); }, {name, "i32", "f32"});
    expect_error<DTypeError>([&] { loss(a, ones({2})); }, {name, "got labels of type f32; wanted i32; convert them with to(DType::i32)"});
  }
  expect_error<ShapeError>([&] { confusion_matrix(rows, integers({3}), 2); }, {"confusion_matrix:", "[2]", "[3]"});
  expect_error<DTypeError>([&] { confusion_matrix(ones({2}), rows, 2); }, {"confusion_matrix:", "f32", "i32"});
  expect_error<ArgumentError>([&] { confusion_matrix(rows, rows, 0); }, {"confusion_matrix:", "classes is 0"});
}

TEST_P(LossErrors, RawTwinsCheckTheirOutputs) {
  const Tensor a = ones({2, 3}), c = ones({2, 3}), rows = integers({2}), out = ones({2, 3});
  expect_error<ShapeError>([&] { raw::mse_grad(a, c, 1, ones({3})); }, {"mse_grad:", "[3]", "[2, 3]"});
  expect_error<ArgumentError>([&] { raw::mse_grad(a, c, 1, a); }, {"mse_grad:", "shares memory"});
  expect_error<ArgumentError>([&] { raw::mse_grad(a, c, 1, c); }, {"mse_grad:", "shares memory"});
  expect_error<ArgumentError>([&] { raw::mse_grad(a, c, std::nan(""), out); }, {"mse_grad:", "scale"});
  expect_error<ArgumentError>([&] { raw::cross_entropy_grad(a, rows, 1, a); }, {"cross_entropy_grad:", "shares memory"});
  expect_error<ShapeError>([&] { raw::cross_entropy_grad(a, rows, 1, ones({3, 2})); }, {"cross_entropy_grad:", "[3, 2]"});
  expect_error<ShapeError>([&] { raw::update_confusion_matrix(rows, rows, integers({2, 3})); }, {"update_confusion_matrix:", "[2, 3]"});
  expect_error<DTypeError>([&] { raw::update_confusion_matrix(rows, rows, ones({2, 2})); }, {"update_confusion_matrix:", "f32", "i32"});
  expect_error<ArgumentError>([&] { raw::sgd_step(a, c, {}, {.lr = -1}); }, {"sgd_step:", "lr is -1"});
  expect_error<ArgumentError>([&] { raw::sgd_step(a, c, {}, {.nesterov = true}); }, {"sgd_step:", "momentum"});
  expect_error<ShapeError>([&] { raw::sgd_step(a, ones({3}), {}); }, {"sgd_step:", "[2, 3]", "[3]"});
  expect_error<ReleasedError>([&] { raw::sgd_step(a, c, {}, {.momentum = 0.9}); }, {"sgd_step:", "empty"});
  EXPECT_EQ(a.to_host<float>(), Floats(6, 1.0F));
}

INSTANTIATE_TEST_SUITE_P(, LossErrors, devices_that_compute(), device_name);

}  // namespace
}  // namespace tidepool::conformance
