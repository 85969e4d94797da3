// What happens when a device fails, when memory runs out, and when threads meet.
#include <gtest/gtest.h>

#include "c/bench.h"
#include "support/devices.h"

#include <atomic>
#include <thread>

namespace tidepool::c_tests {
namespace {

class CFailing : public OnEveryDevice {
 protected:
  static bool allocates(tp_status& status) {
    const std::int64_t shape[] = {1 << 20};
    tp_tensor* out = nullptr;
    status = tp_zeros(shape, 1, TP_F32, nullptr, &out);
    return tp_tensor_free(out) == TP_OK && status == TP_OK;
  }
};
INSTANTIATE_TEST_SUITE_P(On, CFailing, devices_that_compute(), device_name);

TEST_P(CFailing, ADeviceThatIsLostSaysSoAndWorksAfterAReset) {
  Bench b("");
  tp_tensor *x = b.f32({1, 2}, {2}), *out = nullptr;
  tp_plan* const plan = b.plan();
  b.expect_ok(tp_set_faults("device_lost@launch:1"));
  b.expect_error(tp_relu(x, &out), TP_DEVICE_LOST, {id()});
  EXPECT_EQ(out, nullptr);
  b.expect_ok(tp_set_faults(""));
  b.expect_error(tp_relu(x, &out), TP_DEVICE_LOST, {"reset"});
  b.expect_error(tp_plan_run(plan), TP_DEVICE_LOST, {});
  b.expect_error(tp_sync(), TP_DEVICE_LOST, {});
  b.expect_ok(tp_tensor_free(x));  // giving back is always fine
  b.expect_ok(tp_reset(nullptr));
  x = b.f32({1, -2}, {2});
  b.expect_ok(tp_relu(x, &out));
  b.expect_values(b.own(out), {1, 0});
}

TEST_P(CFailing, ALossWhileAPlanIsMadeGivesNoPlanAndEndsTheCapture) {
  Bench b("");
  tp_tensor *x = b.zeros({1 << 20}), *out = nullptr;
  tp_plan* plan = nullptr;
  b.expect_ok(tp_capture_begin());
  b.expect_ok(tp_relu(x, &out));
  b.own(out);
  b.expect_ok(tp_set_faults("device_lost@allocate:1"));
  b.expect_error(tp_capture_end(&plan), TP_DEVICE_LOST, {id()});
  EXPECT_EQ(plan, nullptr);
  b.expect_error(tp_capture_end(&plan), TP_ERROR, {"not capturing"});
}

TEST_P(CFailing, AMemoryLimitIsAnErrorAndEverythingStillWorks) {
  tp_settings settings = TP_SETTINGS_UNCHANGED;
  settings.memory_limit = std::size_t{2} << 20;
  Bench::expect_ok(tp_configure(&settings));
  tp_status status = TP_OK;
  EXPECT_FALSE(allocates(status));
  Bench::expect_error(status, TP_OUT_OF_MEMORY, {"zeros", "4 MiB", "limit"});
  settings.memory_limit = 0;
  Bench::expect_ok(tp_configure(&settings));
  EXPECT_TRUE(allocates(status)) << tp_last_error();
}

TEST_P(CFailing, AHostWithoutMemoryIsAnErrorWhereverItHappens) {
  Bench b("");
  tp_tensor* const x = b.f32({1, 2}, {2});
  for (int at = 1; at < 20; ++at) {
    faults::set("host_out_of_memory@alloc:" + std::to_string(at));
    tp_tensor *y = nullptr, *z = nullptr;
    tp_plan* plan = nullptr;
    const tp_status first = tp_capture_begin() || tp_relu(x, &y) || tp_square(y, &z) ? TP_ERROR : TP_OK;
    const tp_status ended = tp_capture_end(&plan);
    EXPECT_TRUE(!first || ended == TP_OUT_OF_MEMORY) << at;
    EXPECT_EQ(plan != nullptr, ended == TP_OK);
    tp_plan_free(plan);
    tp_tensor_free(y);
    tp_tensor_free(z);
    if (faults::happened() == 0) {
      EXPECT_GT(at, 2) << "some of them hit";
      return;
    }
  }
  FAIL() << "the fault never came";
}

class CThreads : public LibraryTest {};

TEST_F(CThreads, HaveTheirOwnErrors) {
  Bench b("");
  tp_tensor* out = nullptr;
  b.expect_error(tp_relu(nullptr, &out), TP_ARGUMENT_ERROR, {"tp_relu: a is NULL"});
  std::thread([] {
    EXPECT_STREQ(tp_last_error(), "");
    tp_tensor* other = nullptr;
    Bench::expect_error(tp_tanh(nullptr, &other), TP_ARGUMENT_ERROR, {"tp_tanh: a is NULL"});
  }).join();
  EXPECT_STREQ(tp_last_error(), "tp_relu: a is NULL; wanted a tensor");
}

TEST_F(CThreads, HaveTheirOwnCapturesAndScopes) {
  Bench b("");
  tp_tensor *x = b.f32({1, -1}, {2}), *scoped = nullptr;
  b.expect_ok(tp_capture_begin());
  b.expect_ok(tp_tidy_begin());
  b.expect_ok(tp_relu(x, &scoped));
  std::thread([x] {
    tp_tensor* y = nullptr;
    Bench::expect_ok(tp_relu(x, &y));
    Bench::expect_values(y, {1, 0});  // it is not captured
    tp_plan* plan = nullptr;
    Bench::expect_error(tp_capture_end(&plan), TP_ERROR, {"this thread is not capturing"});
    Bench::expect_error(tp_tidy_end(), TP_ERROR, {"no scope on this thread"});
    Bench::expect_ok(tp_tensor_free(y));
    tp_capture_begin();  // and left open: the thread's end ends it
    tp_tidy_begin();
    tp_no_grad_begin();
  }).join();
  tp_plan* plan = nullptr;
  b.expect_ok(tp_tidy_end());
  b.expect_ok(tp_capture_end(&plan));
  b.expect_ok(tp_plan_free(plan));
  b.expect_error(tp_tensor_free(scoped), TP_RELEASED_ERROR, {"freed already"});
}

// Made before the thread's first call, and so destroyed after all that the library keeps for the thread.
struct Late {
  tp_tensor* tensor = nullptr;
  tp_status *freed = nullptr, *failed = nullptr, *begun = nullptr;
  ~Late() {
    *freed = tp_tensor_free(tensor);
    *failed = tp_tensor_free(tensor);
    *begun = tp_tidy_begin();
    EXPECT_STREQ(tp_last_error(), "the thread is ending; no message is kept");
  }
};

TEST_F(CThreads, MayCallWhileTheyEnd) {
  tp_status freed = -1, failed = -1, begun = -1;
  std::thread([&] {
    static thread_local Late late;
    late.freed = &freed;
    late.failed = &failed;
    late.begun = &begun;
    const std::int64_t shape[] = {2};
    Bench::expect_ok(tp_zeros(shape, 1, TP_F32, nullptr, &late.tensor));
    Bench::expect_ok(tp_tidy_begin());
  }).join();
  EXPECT_EQ(freed, TP_OK);
  EXPECT_EQ(failed, TP_RELEASED_ERROR);
  EXPECT_EQ(begun, TP_ERROR);
}

TEST_F(CThreads, MayFreeWhatAnotherUses) {
  constexpr int rounds = 300;
  const std::int64_t shape[] = {8};
  std::atomic<tp_tensor*> shared{nullptr};
  std::atomic<bool> over{false};
  std::atomic<int> odd{0}, used{0};
  std::vector<std::thread> users;
  for (int i = 0; i < 3; ++i)
    users.emplace_back([&] {
      while (!over) {
        tp_tensor* y = nullptr;
        const tp_status status = tp_square(shared, &y);
        if (status == TP_OK) ++used;
        if (status != TP_OK && status != TP_RELEASED_ERROR && status != TP_ARGUMENT_ERROR) ++odd;
        if (tp_tensor_free(y) != TP_OK) ++odd;
      }
    });
  for (int i = 0; i < rounds || used < 10; ++i) {
    tp_tensor* fresh = nullptr;
    Bench::expect_ok(tp_full(shape, 1, 2, TP_F32, nullptr, &fresh));
    tp_tensor* const old = shared.exchange(fresh);
    std::this_thread::yield();
    Bench::expect_ok(tp_tensor_free(old));
  }
  over = true;
  for (std::thread& user : users) user.join();
  EXPECT_EQ(odd, 0);
  EXPECT_GE(used, 10);
  Bench::expect_ok(tp_tensor_free(shared));
}

}  // namespace
}  // namespace tidepool::c_tests
