// Capture and replay: what a plan computes, and what a capture refuses.
#include <gtest/gtest.h>
#include <tidepool/tidepool.h>

#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support/devices.h"

namespace tidepool::inline v0 {
namespace {

class Plans : public OnEveryDevice {};
INSTANTIATE_TEST_SUITE_P(On, Plans, devices_for_tests(), device_name);

std::vector<float> counting(std::size_t n) {
  std::vector<float> values(n);
  std::iota(values.begin(), values.end(), -100.0F);
  return values;
}

TEST_P(Plans, ACaptureRecordsAndRunsNothing) {
  const Tensor x = ones({100});
  sync();
  const Plan plan = capture([&] { fill_(x, 5.0F); });
  EXPECT_EQ(plan.launches(), 1);
  expect_all(x, 1.0F, "the capture itself must not run");
  plan.run();
  expect_all(x, 5.0F);
}

TEST_P(Plans, GiveTheSameNumbersAsEagerCode) {
  const Tensor x = from_host(counting(1200), {30, 40}), w = from_host(counting(2000), {40, 50}), y = zeros({30, 50});
  const auto step = [&] {
    const Tensor h = relu(matmul(x, w) * 1e-3F + 0.25F);
    copy_(y, sigmoid(h - mean(h)) / (1.0F + square(h)));
  };
  const Plan plan = capture([&] { tidy(step); });
  plan.run();
  const std::vector<float> planned = y.to_host<float>();
  zero_(y);
  tidy(step);
  EXPECT_EQ(y.to_host<float>(), planned);
}

TEST_P(Plans, SeeWhatChangedBetweenRuns) {
  const Tensor x = zeros({1000}), total = zeros({1000});
  const Plan plan = capture([&] { tidy([&] { copy_(total, total + x * 2.0F); }); });
  float expected = 0;
  for (int i = 1; i <= 20; ++i) {
    if (i % 2)
      fill_(x, static_cast<float>(i));  // recorded just before the run
    else
      x.copy_from(std::vector<float>(1000, static_cast<float>(i)));  // written while the last run may still read
    plan.run();
    expected += 2.0F * static_cast<float>(i);
  }
  expect_all(total, expected);
}

TEST_P(Plans, ManyRunsInARowAreInOrder) {
  const Tensor counter = zeros({1000});
  const Plan plan = capture([&] { tidy([&] { copy_(counter, counter + 1.0F); }); });
  for (int i = 0; i < 300; ++i) plan.run();
  expect_all(counter, 300.0F);
}

TEST_P(Plans, WhatEscapesIsZeroBeforeTheFirstRunAndRightAfterIt) {
  { const Tensor noise = full({1000}, 77.0F); }  // its block is lent again
  const Tensor x = full({1000}, 3.0F);
  Tensor y, view;
  const Plan plan = capture([&] {
    y = square(x) + 1.0F;
    view = y.reshape({10, 100}).slice(9, 10);
  });
  expect_all(y, 0.0F);
  expect_all(view, 0.0F);
  expect_all(y + 5.0F, 5.0F, "eager code can use it before the first run");
  plan.run();
  expect_all(y, 10.0F);
  expect_all(view, 10.0F);
  fill_(x, 1.0F);
  plan.run();
  expect_all(y, 2.0F);
}

TEST_P(Plans, WhatEscapesOutlivesThePlan) {
  const Tensor x = full({1000}, 3.0F);
  Tensor y;
  {
    const Plan plan = capture([&] { y = x * 2.0F; });
    plan.run();
  }
  { const Tensor noise = full({1000}, 77.0F); }
  expect_all(y, 6.0F);
  expect_all(y + x, 9.0F);
}

TEST_P(Plans, KeepTheirInputsAfterTheUserLetThemGo) {
  Tensor x = full({1000}, 3.0F);
  const Tensor y = zeros({1000});
  const Plan plan = capture([&] { copy_(y, x); });
  x.release();
  const Tensor noise = full({1000}, 77.0F);
  plan.run();
  expect_all(y, 3.0F);
  expect_all(noise, 77.0F);
}

TEST_P(Plans, ATensorOfOnePlanFeedsAnother) {
  const Tensor x = full({1000}, 3.0F), out = zeros({1000});
  Tensor middle;
  const Plan first = capture([&] { middle = x + 1.0F; });
  const Plan second = capture([&] { copy_(out, middle * 10.0F); });
  first.run();
  second.run();
  expect_all(out, 40.0F);
  middle = {};
  fill_(x, 0.0F);
  first.run();
  second.run();
  expect_all(out, 10.0F, "both plans still hold what passes between them");
}

TEST_P(Plans, CopiesOfAHandleAreOnePlan) {
  const Tensor counter = zeros({10});
  Plan copy;
  {
    const Plan plan = capture([&] { tidy([&] { copy_(counter, counter + 1.0F); }); });
    copy = plan;
  }
  copy.run();
  expect_all(counter, 1.0F);
}

TEST_P(Plans, AnEmptyPlanSaysSo) {
  EXPECT_HAS(message_of<ReleasedError>([] { Plan().run(); }), "run: the plan is empty");
  EXPECT_EQ(Plan().launches(), 0);
}

TEST_P(Plans, ACaptureThatLaunchesNothingIsAnError) {
  const Tensor x = ones({10});
  EXPECT_HAS(message_of<Error>([] { capture([] {}); }), "capture: the function launched nothing");
  EXPECT_HAS(message_of<Error>([&] { capture([&] { x.reshape({2, 5}); }); }), "launched nothing");
  EXPECT_NO_THROW(x.to_host<float>());
}

TEST_P(Plans, WhatNeedsAResultIsRefusedInsideAndLeavesNothingCapturing) {
  const Tensor x = ones({1}), counter = zeros({1});
  const std::vector<float> values{1};
  const auto refused = [&](const char* operation, const std::function<void()>& function) {
    const std::string message = message_of<Error>([&] {
      capture([&] {
        fill_(counter, 9.0F);
        function();
      });
    });
    EXPECT_HAS(message, std::string(operation) + ": cannot be used inside capture");
    EXPECT_NO_THROW(x.item()) << "still capturing after " << operation;
  };
  refused("item", [&] { x.item(); });
  refused("to_host", [&] { x.to_host<float>(); });
  refused("copy_to", [&] {
    std::vector<float> out(1);
    x.copy_to(out);
  });
  refused("copy_from", [&] { x.copy_from(values); });
  refused("from_host", [&] { from_host(values, {1}); });
  refused("tensor", [&] { tensor({1}, {1}); });
  refused("sync", [] { sync(); });
  refused("commit", [] { commit(); });
  refused("cleanup", [] { cleanup(); });
  refused("reset", [] { reset(default_device()); });
  refused("to", [&] { x.to(device(id() == "cpu" ? "null" : "cpu")); });
  expect_all(counter, 0.0F, "nothing ran");
}

TEST_P(Plans, APlanCannotRunInsideACapture) {
  const Tensor x = ones({10});
  const Plan plan = capture([&] { fill_(x, 2.0F); });
  EXPECT_HAS(message_of<Error>([&] { capture([&] { plan.run(); }); }), "run: cannot be used inside capture");
}

TEST_P(Plans, ACaptureCannotHoldAnother) {
  const Tensor x = ones({10});
  EXPECT_HAS(message_of<Error>([&] { capture([&] { capture([&] { fill_(x, 2.0F); }); }); }), "capture: this thread is capturing already");
  const Plan plan = capture([&] {
    EXPECT_THROW(capture([&] { fill_(x, 2.0F); }), Error);
    fill_(x, 3.0F);
  });
  EXPECT_EQ(plan.launches(), 1) << "the outer capture goes on";
  plan.run();
  expect_all(x, 3.0F);
}

TEST_P(Plans, ACaptureBelongsToOneDevice) {
  const Device other = device(id() == "null" ? "cpu" : "null");
  const Tensor x = ones({10}), far = ones({10}, {.device = other});
  const std::string message = message_of<DeviceError>([&] {
    capture([&] {
      fill_(x, 2.0F);
      fill_(far, 2.0F);
    });
  });
  EXPECT_HAS(message, "a plan belongs to one device: it began on " + id() + " and now meets " + other.id());
  expect_all(x, 1.0F);
  const Plan there = capture([&] { fill_(far, 2.0F); });
  EXPECT_NO_THROW(there.run()) << "any device, not only the default one";
}

TEST_P(Plans, AnExceptionInsideLeavesTheLibraryUsableAndMemoryAsBefore) {
  const Tensor x = ones({1000}), w = ones({1000});
  w.requires_grad();
  sync();
  const MemoryStats before = memory();
  EXPECT_THROW(capture([&] {
                 const Tensor y = sum(square(x * w));
                 throw std::runtime_error("no");
               }),
               std::runtime_error);
  EXPECT_THROW(capture([&] { matmul(x + x, ones({3})); }), ShapeError);
  EXPECT_EQ(memory().live_bytes, before.live_bytes);
  EXPECT_EQ(memory().tensors, before.tensors);
  expect_all(x + w, 2.0F);
  const Plan plan = capture([&] { fill_(x, 4.0F); });
  plan.run();
  expect_all(x, 4.0F);
}

TEST_P(Plans, ATensorThatEscapesFromAFailedCaptureIsAnErrorToUseAndSafeToDrop) {
  const Tensor x = ones({1000});
  Tensor escaped;
  EXPECT_THROW(capture([&] {
                 escaped = x + 1.0F;
                 throw std::runtime_error("no");
               }),
               std::runtime_error);
  EXPECT_THROW(escaped + x, Error);
  EXPECT_THROW(escaped.to_host<float>(), Error);
  EXPECT_THROW(fill_(escaped, 1.0F), Error);
  EXPECT_THROW(capture([&] { copy_(x, escaped); }), Error);
  escaped = {};
  expect_all(x, 1.0F);
}

TEST_P(Plans, ATensorOfACaptureCannotBeUsedByAnotherThreadBeforeItEnds) {
  const Tensor x = ones({1000});
  const Plan plan = capture([&] {
    const Tensor y = x + 1.0F;
    std::thread([&] { EXPECT_THROW(y + x, Error); }).join();
    std::thread([&] { EXPECT_THROW(y.to_host<float>(), Error); }).join();
  });
  EXPECT_EQ(plan.launches(), 1);
}

}  // namespace
}  // namespace tidepool::inline v0
