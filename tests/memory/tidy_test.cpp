// Scopes that tidy up, release, and what keeps bytes alive.
#include <gtest/gtest.h>
#include <tidepool/tidepool.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "support/devices.h"

namespace tidepool::inline v0 {
namespace {

class Tidying : public OnEveryDevice {
 protected:
  static std::int64_t tensors() { return memory().tensors; }
  static std::size_t live() { return memory().live_bytes; }
  static std::vector<float> host(const Tensor& t) { return t.to_host<float>(); }
};
INSTANTIATE_TEST_SUITE_P(On, Tidying, devices_for_tests(), device_name);

TEST_P(Tidying, FreesWhatTheFunctionMade) {
  const Tensor x = ones({1000});
  const auto before = std::pair(tensors(), live());
  Tensor outside;
  tidy([&] { outside = relu(x + x); });
  EXPECT_TRUE(outside.released()) << "a handle outside does not keep it";
  EXPECT_EQ(std::pair(tensors(), live()), before);
  EXPECT_FALSE(x.released()) << "what was there before stays";
}

TEST_P(Tidying, PassesOnWhatTheFunctionReturns) {
  const Tensor x = full({1000}, 3.0F);
  const std::int64_t before = tensors();
  const Tensor y = tidy([&] { return relu(x + x) * x; });
  EXPECT_EQ(tensors(), before + 1);
  expect_all(y, 18.0F);
  const std::vector<Tensor> many = tidy([&] { return std::vector{x + x, x - x, x}; });
  EXPECT_EQ(tensors(), before + 3);
  EXPECT_FALSE(x.released());
  const auto [a, rest] = tidy([&] { return std::tuple(x * x, std::pair(x + 1.0F, std::vector{x / x})); });
  EXPECT_EQ(tensors(), before + 6);
  if (computes()) {
    expect_all(many[1], 0.0F);
    expect_all(a, 9.0F);
    expect_all(rest.second[0], 1.0F);
  }
}

TEST_P(Tidying, PassesOnTensorsInAnyContainer) {
  const Tensor x = full({1000}, 3.0F);
  const std::int64_t before = tensors();
  const auto gives = [&](std::int64_t count, auto function) {
    const auto result = tidy([&] {
      const Tensor gone = x + x;
      return function();
    });
    EXPECT_EQ(tensors(), before + count);
    return result;
  };
  const auto both = gives(2, [&] { return std::array{x + x, x - x}; });
  EXPECT_FALSE(both[0].released() || both[1].released());
  const auto with_number = gives(3, [&] { return std::pair(x * x, 2.5F); });
  expect_all(with_number.first, 9.0F);
  EXPECT_EQ(with_number.second, 2.5F);
  const auto maybe = gives(4, [&] { return std::optional(x * 2.0F); });
  expect_all(*maybe, 6.0F);
  EXPECT_FALSE(gives(4, [] { return std::optional<Tensor>(); }));
  const auto named = gives(5, [&] { return std::map<std::string, std::vector<std::optional<Tensor>>>{{"y", {x + 1.0F, {}}}}; });
  expect_all(*named.at("y")[0], 4.0F);
  const auto shared = gives(6, [&] { return std::tuple(std::make_shared<Tensor>(x + 2.0F), std::string("two"), true); });
  expect_all(*std::get<0>(shared), 5.0F);
}

TEST_P(Tidying, PassesThroughWhatHoldsNoTensor) {
  struct Figures {
    std::array<double, 2> values;
    const char* name;
  };
  const Tensor x = full({2}, 3.0F);
  const std::int64_t before = tensors();
  EXPECT_EQ(tidy([&] { return (x + x).to_host<float>().size(); }), 2U);
  EXPECT_EQ(tidy([&] { return std::vector<float>{1, 2}; }), (std::vector<float>{1, 2}));
  EXPECT_EQ(tidy([&] { return std::string("a name"); }), "a name");
  EXPECT_EQ(tidy([&] { return std::filesystem::path("a/path"); }), "a/path");
  EXPECT_EQ(tidy([&] { return std::optional<std::vector<bool>>(std::vector{true}); })->size(), 1U);
  EXPECT_EQ(tidy([&] { return (x + x).shape(); }), (Shape{2}));
  EXPECT_EQ(tidy([&] { return (x + x).dtype(); }), DType::f32);
  EXPECT_EQ(tidy([&] { return Figures{{1, 2}, "figures"}; }).values[1], 2);
  EXPECT_EQ(*tidy([&] { return std::make_unique<std::string>("moved"); }), "moved");
  EXPECT_EQ(tensors(), before);
}

TEST_P(Tidying, AReturnedViewKeepsTheBytesOfATensorThatEnds) {
  const Tensor row = tidy([] {
    const Tensor whole = full({4, 1000}, 2.0F);
    return whole.slice(1, 2);
  });
  EXPECT_EQ(tensors(), 1);
  EXPECT_GE(live(), 16000U) << "the view holds the whole block";
  expect_all(row, 2.0F);
}

TEST_P(Tidying, ScopesNestAndHandOnOneLevel) {
  Tensor inner_result, kept;
  {
    const Tidy outer;
    inner_result = tidy([&] { return ones({10}) + 1.0F; });
    EXPECT_FALSE(inner_result.released()) << "it belongs to the outer scope now";
    EXPECT_EQ(tensors(), 1);
    kept = keep(tidy([&] { return ones({10}); }));
  }
  EXPECT_TRUE(inner_result.released());
  EXPECT_FALSE(kept.released());
  EXPECT_EQ(tensors(), 1);
}

TEST_P(Tidying, WhatIsKeptOutlivesEveryScope) {
  Tensor kept;
  tidy([&] {
    tidy([&] {
      kept = ones({10}) + 2.0F;
      EXPECT_EQ(&keep(kept), &kept) << "keep gives its argument back";
    });
  });
  EXPECT_EQ(tensors(), 1);
  expect_all(kept, 3.0F);
}

TEST_P(Tidying, PassingOnByHandIsForTheScopeAround) {
  Tensor result;
  {
    Tidy scope;
    result = ones({10});
    const Tensor gone = ones({10});
    scope.pass_on(result);
  }
  EXPECT_FALSE(result.released());
  EXPECT_EQ(tensors(), 1);
}

TEST_P(Tidying, AnExceptionLeavesNothingBehind) {
  const Tensor x = ones({1000}), w = ones({1000});
  w.requires_grad();
  const auto before = std::pair(tensors(), live());
  EXPECT_THROW(tidy([&] {
                 const Tensor loss = sum(square(x * w));
                 throw std::runtime_error("no");
                 return loss;
               }),
               std::runtime_error);
  EXPECT_THROW(tidy([&] { return matmul(x + x, ones({3})); }), ShapeError);
  EXPECT_EQ(std::pair(tensors(), live()), before);
}

TEST_P(Tidying, ALongScopeDoesNotRememberWhatIsGone) {
  const Tidy scope;
  Tensor x = ones({10});
  for (int i = 0; i < 10'000; ++i) x = x + 1.0F;
  EXPECT_EQ(tensors(), 1);
  expect_all(x, 10'001.0F);
}

TEST_P(Tidying, GradientsOfParametersSurvive) {
  const Tensor w = full({100}, 3.0F);
  w.requires_grad();
  tidy([&] { sum(square(w)).backward(); });
  ASSERT_TRUE(w.grad().defined());
  EXPECT_EQ(tensors(), 2);
  expect_all(w.grad(), 6.0F);
  tidy([&] { sum(square(w)).backward(); });
  EXPECT_EQ(tensors(), 2);
  expect_all(w.grad(), 12.0F, "a second backward adds");
}

TEST_P(Tidying, AReturnedLossCanStillRunBackward) {
  const Tensor w = full({100}, 3.0F);
  w.requires_grad();
  const Tensor loss = tidy([&] { return sum(square(tanh(w) * w)); });
  EXPECT_EQ(tensors(), 2);
  const std::size_t pending = live();
  loss.backward();
  EXPECT_LT(live(), pending) << "the values that it needed are free now";
  if (computes()) {
    const double t = std::tanh(3.0), expected = 2 * t * 3 * (t + 3 * (1 - t * t));
    for (const float g : host(w.grad())) EXPECT_NEAR(g, expected, 1e-4 * expected);
  }
}

TEST_P(Tidying, CopiesToATensorOutsideStay) {
  const Tensor result = zeros({100});
  tidy([&] { copy_(result, ones({100}) + 4.0F); });
  expect_all(result, 5.0F);
}

TEST_P(Tidying, UseOfAReleasedTensorNamesTheOperation) {
  const Tensor x = ones({2, 3}), y = ones({2, 3});
  const Tensor other_handle = x;
  x.release();
  EXPECT_TRUE(other_handle.released()) << "release ends the tensor, not the handle";
  EXPECT_HAS(message_of<ReleasedError>([&] { add(y, x); }), "add: the tensor of shape [2, 3] was released");
  EXPECT_HAS(message_of<ReleasedError>([&] { relu(x); }), "relu: ");
  EXPECT_HAS(message_of<ReleasedError>([&] { host(x); }), "to_host: ");
  EXPECT_HAS(message_of<ReleasedError>([&] { x.slice(0, 1); }), "slice: ");
  EXPECT_HAS(message_of<ReleasedError>([&] { copy_(y, x); }), "copy_: ");
  EXPECT_HAS(message_of<ReleasedError>([&] { keep(x); }), "keep: ");
  EXPECT_HAS(message_of<ReleasedError>([&] { x.release(); }), "release: ");
  EXPECT_HAS(message_of<ReleasedError>([&] { x.backward(); }), "backward: ");
  EXPECT_HAS(message_of<ReleasedError>([&] { x.shape(); }), "shape: ");
  EXPECT_HAS(message_of<ReleasedError>([&] { matmul(Tensor(), y); }), "matmul: the tensor is empty");
  EXPECT_EQ(tensors(), 1);
}

TEST_P(Tidying, AReleasedGradientIsNoneUntilTheNextBackwardGivesANewOne) {
  const Tensor w = full({10}, 3.0F).requires_grad(), x = full({10}, 2.0F);
  const std::size_t before = live();
  sum(w * x).backward();
  const Tensor gone = w.grad();
  gone.release();
  EXPECT_FALSE(w.grad().defined());
  EXPECT_EQ(live(), before);
  EXPECT_NO_THROW(w.zero_grad());
  sum(w * x).backward();
  sum(w * x).backward();
  expect_all(w.grad(), 4.0F);
  EXPECT_TRUE(gone.released()) << "it was another tensor";
}

TEST_P(Tidying, ReleaseFreesTheBytesAtOnceUnlessAViewHasThem) {
  const Tensor x = full({1000}, 2.0F);
  const std::size_t bytes = live();
  const Tensor view = x.reshape({10, 100}), part = view.slice(9, 10);
  x.release();
  view.release();
  EXPECT_EQ(live(), bytes);
  expect_all(part, 2.0F);
  part.release();
  EXPECT_EQ(live(), 0U);
  EXPECT_EQ(tensors(), 0);
}

TEST_P(Tidying, APendingBackwardKeepsTheBytesThatItNeeds) {
  const Tensor w = full({1000}, 3.0F), x = full({1000}, 2.0F);
  w.requires_grad();
  const Tensor y = w * x;
  const Tensor loss = sum(y);
  const std::size_t before = live();
  x.release();
  EXPECT_EQ(live(), before) << "the product's gradient needs x";
  y.release();
  EXPECT_LT(live(), before) << "nobody needs the product itself";
  { const Tensor noise = full({1000}, 99.0F); }  // would be seen if the bytes had been lent again
  loss.backward();
  expect_all(w.grad(), 2.0F);
}

TEST_P(Tidying, AWriteInPlaceToAValueThatABackwardNeedsMakesItThrowAndChangeNothing) {
  const Tensor w = full({10}, 3.0F), v = full({10}, 1.0F), x = full({10}, 2.0F);
  w.requires_grad();
  v.requires_grad();
  const Tensor loss = sum(v * 2.0F) + sum(w * x);
  fill_(x.slice(3, 4), 7.0F);  // through a view, too
  const std::string message = message_of<Error>([&] { loss.backward(); });
  EXPECT_HAS(message, "backward: a value that mul needs was written in place after it was used: [10]");
  EXPECT_FALSE(v.grad().defined()) << "nothing was added to the other gradients";
  EXPECT_FALSE(w.grad().defined());
  const Tensor again = sum(v * 2.0F) + sum(w * x);
  again.backward();
  if (computes()) {
    expect_all(v.grad(), 2.0F);
    expect_values(w.grad(), std::vector<float>{2, 2, 2, 7, 2, 2, 2, 2, 2, 2});
  }
}

TEST_P(Tidying, EveryWayToWriteInPlaceIsNoticed) {
  const Tensor w = full({4}, 3.0F), m = zeros({4}), v = zeros({4}), g = ones({4});
  w.requires_grad();
  const std::vector<float> values(4, 1.0F);
  const auto notices = [&](auto&& write) {
    const Tensor loss = sum(square(w));
    {
      const NoGrad guard;
      write();
    }
    EXPECT_HAS(message_of<Error>([&] { loss.backward(); }), "a value that square needs was written in place");
  };
  notices([&] { copy_(w, g); });
  notices([&] { fill_(w, 1.0F); });
  notices([&] { zero_(w); });
  notices([&] { w.copy_from(values); });
  notices([&] { raw::adam_step(w, g, m, v); });
  EXPECT_HAS(message_of<Error>([&] { fill_(w, 1.0F); }), "fill_: the tensor wants a gradient");
}

TEST_P(Tidying, AWriteToAValueThatNoBackwardNeedsIsFine) {
  const Tensor w = full({10}, 3.0F), x = full({10}, 2.0F);
  w.requires_grad();
  const Tensor sum_of_both = w + x, loss = sum(square(sum_of_both));
  fill_(x, 100.0F);
  loss.backward();
  expect_all(w.grad(), 10.0F);
}

TEST_P(Tidying, AGraphIsUsedOnce) {
  const Tensor w = full({10}, 3.0F);
  w.requires_grad();
  const Tensor loss = sum(square(w));
  loss.backward();
  EXPECT_HAS(message_of<Error>([&] { loss.backward(); }), "this graph was used by an earlier backward");
  expect_all(w.grad(), 6.0F);
}

}  // namespace
}  // namespace tidepool::inline v0
