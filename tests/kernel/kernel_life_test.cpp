// How long kernels of one's own live, and what is left of them.
#include <gtest/gtest.h>

#include <memory>

#include "device/made_kernel.h"
#include "kernel/saxpy.h"

namespace tidepool::inline v0 {
namespace {

class KernelLives : public KernelTest {};
INSTANTIATE_TEST_SUITE_P(On, KernelLives, devices_for_tests(), device_name);

TEST_P(KernelLives, EndWhileTheirWorkIsUnderWay) {
  const Tensor x = ones({1000}), out = zeros({1000});
  {
    const Kernel saxpy(saxpy_options());
    run(saxpy, 1000, 2.0F, x, x, out);
  }
  expect_all(out, 3.0F);
  {
    const Kernel saxpy(saxpy_options());
    run(saxpy, 1000, 3.0F, x, x, out);
  }
  cleanup();  // lets go of those that are over
  expect_all(out, 4.0F);
}

TEST_P(KernelLives, LastAsLongAsAPlanThatWasCapturedFromThem) {
  const Tensor x = ones({100}), out = zeros({100});
  const auto alive = std::make_shared<int>(0);
  KernelOptions options = saxpy_options("planned");
  options.cpu = [alive](KernelCall& call) { saxpy_on_cpu(call); };
  auto kernel = std::make_unique<Kernel>(options);
  options.cpu = nullptr;
  Plan plan = capture([&] { run(*kernel, 100, 2.0F, x, x, out); });
  kernel.reset();
  forget_made_kernels(0);
  EXPECT_EQ(alive.use_count(), 2) << "the plan's";
  plan.run();
  expect_all(out, 3.0F);
  plan = {};
  forget_made_kernels(0);
  EXPECT_EQ(alive.use_count(), 1);
}

TEST_P(KernelLives, LeaveNothingBehind) {
  const Tensor x = ones({100}), out = zeros({100});
  const auto alive = std::make_shared<int>(0);
  const auto round = [&](int i) {
    KernelOptions options = saxpy_options("passing");
    const int more = i % 3;
    options.glsl.replace(options.glsl.find("y[i];"), 5, "y[i] + " + std::to_string(more) + ".0;");
    options.cpu = [alive, more](KernelCall& call) {
      saxpy_on_cpu(call);
      for (float& z : call.span<float>(2)) z += static_cast<float>(more);
    };
    const Kernel kernel(options);
    run(kernel, 100, static_cast<float>(i), x, x, out);
    if (i % 7 == 0) {
      const Plan plan = capture([&] { run(kernel, 100, static_cast<float>(i), x, x, out); });
      plan.run();
    }
    expect_all(out, 1.0F + static_cast<float>(i + more), "a kernel with the id of one that is over computes what it should");
  };
  for (int i = 0; i < 100; ++i) round(i);
  const std::uint32_t ids = last_kernel_id.load();
  for (int i = 0; i < 300; ++i) round(i);
  EXPECT_EQ(last_kernel_id.load(), ids) << "ids are given again";
  EXPECT_LE(alive.use_count(), 70);
  cleanup();
  EXPECT_EQ(alive.use_count(), 1);
}

TEST_P(KernelLives, EndWithADeviceThatIsLost) {
  const Tensor before = ones({10});
  for (int i = 0; i < 3; ++i) {
    {
      const Kernel saxpy(saxpy_options());
      const Tensor x = ones({10}), out = zeros({10});
      faults::set("device_lost@submit:1");
      run(saxpy, 10, 2.0F, x, x, out);
      EXPECT_THROW(sync(), DeviceLost);
    }
    cleanup();
    faults::set("");
    reset(default_device());
    cleanup();
  }
  EXPECT_THROW(before.to_host<float>(), DeviceLost);
}

TEST_P(KernelLives, MayEndWhileTimesAreTaken) {
  monitor::enable();
  const Tensor x = ones({100}), out = zeros({100});
  for (int i = 0; i < 5; ++i) {
    const Kernel saxpy(saxpy_options("timed"));
    run(saxpy, 100, 2.0F, x, x, out);
    if (i == 2) monitor::disable();
    if (i == 3) monitor::enable();
  }
  forget_made_kernels(0);
  sync();
  const monitor::Snapshot seen = monitor::snapshot();
  monitor::disable();
  EXPECT_NE(std::ranges::find(seen.kernels, "timed", &monitor::KernelRow::name), seen.kernels.end());
}

TEST(KernelNames, StayAndAreTheSameForTheSameText) {
  const char* const name = lasting_name("a name");
  EXPECT_EQ(lasting_name(std::string("a na") + "me"), name);
  EXPECT_STREQ(name, "a name");
}

}  // namespace
}  // namespace tidepool::inline v0
