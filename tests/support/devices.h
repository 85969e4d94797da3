// The devices that tests run on, and fixtures that leave the library as they found it.
//
//     class Tidying : public OnEveryDevice {};
//     TEST_P(Tidying, FreesWhatIsNotReturned) { … }
//     INSTANTIATE_TEST_SUITE_P(On, Tidying, devices_for_tests(), device_name);
#pragma once

#include <gtest/gtest.h>
#include <tidepool/tidepool.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "backend/cpu/cpu_backend.h"
#include "backend/faults.h"
#include "backend/null/null_backend.h"
#include "device/slot.h"
#include "support/errors.h"
#include "support/pool_check.h"

namespace tidepool::inline v0 {

#ifdef TIDEPOOL_VULKAN
std::uint64_t validation_messages();  // of backend/vulkan/instance.h, which would bring in all of Vulkan
#else
inline std::uint64_t validation_messages() { return 0; }
#endif

inline auto devices_for_tests() { return testing::Values("null", "cpu", "vulkan:0"); }
inline auto devices_that_compute() { return testing::Values("cpu", "vulkan:0"); }  // null leaves memory as it is

inline std::string device_name(const testing::TestParamInfo<const char*>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), ':', '_');
  return name;
}

inline bool is_there(const std::string& id) {
  if (id == "null") return true;
  for (const DeviceInfo& info : devices())
    if (info.id == id) return true;
  return false;
}

// Why a test does not run, and what to do.
inline std::string no_device(const std::string& id) {
  return id + " is not among devices(): install a Vulkan driver, such as Debian's mesa-vulkan-drivers";
}
// In a test or in SetUp.
#define SKIP_WITHOUT_DEVICE(id) \
  GTEST_AMBIGUOUS_ELSE_BLOCKER_ \
  if (tidepool::is_there(id))   \
    ;                           \
  else                          \
    GTEST_SKIP() << tidepool::no_device(id)

inline std::shared_ptr<Stream> stream_on(const Device& device) { return device.slot().stream(); }
inline std::int64_t flushes_on(const Device& device) {
  const auto stream = stream_on(device);
  const StreamLock lock(*stream);
  return stream->flushes();
}
inline PoolStats pool_stats(const Device& device) {
  const auto stream = stream_on(device);
  const StreamLock lock(*stream);
  return stream->pool().stats();
}
// The null device opens with these options from now on, until the test ends.
inline void reopen_null(const NullBackend::Options& options) {
  slot_for("null").replace_open([options] { return std::make_unique<NullBackend>(options); });
  reset(device("null"));
}
// A device that cannot be opened, for as long as this lives, from the next time on that it is closed.
class Unopenable {
 public:
  explicit Unopenable(const char* id) : slot_(slot_for(id)) {
    slot_.replace_open([this]() -> std::unique_ptr<Backend> {
      ++tried;
      throw DeviceError("open", slot_.id() + " is out of order");
    });
  }
  ~Unopenable() {
    slot_.replace_open([id = slot_.id()]() -> std::unique_ptr<Backend> {
      if (id == "cpu") return open_cpu();
      return std::make_unique<NullBackend>();
    });
  }
  Unopenable(const Unopenable&) = delete;
  Unopenable& operator=(const Unopenable&) = delete;
  int tried = 0;

 private:
  DeviceSlot& slot_;
};
inline NullBackend& null_backend() { return static_cast<NullBackend&>(slot_for("null").stream()->backend()); }

// Everything that a test can change for the next one.
inline void restore_library() {
  faults::set("");
  slot_for("null").replace_open([] { return std::make_unique<NullBackend>(); });
  for (DeviceSlot* slot : all_slots()) {
    const auto stream = slot->stream_if_open();
    if (!stream && slot->awaits_restoring()) slot->reset();  // or the next test would hear of it
    if (!stream) continue;
    bool lost = false;
    {
      const StreamLock lock(*stream);
      lost = stream->lost();
    }
    if (lost || slot->id() == "null") slot->reset();
  }
  configure({.max_commands = 100, .max_cached_per_class = 50, .memory_limit = 0, .cache_limit = 512_MiB, .wait_limit = 30, .max_load = 1});
  set_default_device(device("cpu"));
  manual_seed(0);
  cleanup();
  reset_peak();
}

// Starts with every device closed; ends by looking for what the test left behind.
class LibraryTest : public testing::Test {
 protected:
  void SetUp() override { restore_library(); }
  void TearDown() override {
    faults::set("");
    for (DeviceSlot* slot : all_slots()) {
      EXPECT_EQ(slot->tensors.sum(), 0) << "tensors left on " << slot->id();
      const auto stream = slot->stream_if_open();
      if (!stream) continue;
      const StreamLock lock(*stream);
      if (stream->alive()) {
        EXPECT_EQ(PoolCheck::of(stream->pool()), "") << slot->id();
      }
    }
    EXPECT_EQ(validation_messages(), 0U);
    restore_library();
  }
};

class OnEveryDevice : public LibraryTest, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    SKIP_WITHOUT_DEVICE(GetParam());
    LibraryTest::SetUp();
    set_default_device(device(GetParam()));
  }
  void TearDown() override {
    if (!IsSkipped()) LibraryTest::TearDown();
  }
  static std::string id() { return GetParam(); }
  static bool computes() { return id() != "null"; }
  // Where values are computed at all, these are the tensor's.
  static void expect_values(const Tensor& tensor, const std::vector<float>& values, const char* why = "") {
    if (computes()) {
      EXPECT_EQ(tensor.to_host<float>(), values) << why;
    }
  }
  static void expect_all(const Tensor& tensor, float value, const char* why = "") {
    expect_values(tensor, std::vector<float>(static_cast<std::size_t>(tensor.numel()), value), why);
  }
};

// What happened to devices since the log was made.
class EventLog {
 public:
  EventLog() : first_(all().events.size()) {}
  std::vector<DeviceEvent> events() const {
    const std::scoped_lock lock(all().mutex);
    return {all().events.begin() + static_cast<std::ptrdiff_t>(first_), all().events.end()};
  }
  std::ptrdiff_t count(DeviceEvent::Kind kind) const {
    const auto list = events();
    return std::count_if(list.begin(), list.end(), [kind](const DeviceEvent& e) { return e.kind == kind; });
  }

 private:
  struct All {
    std::mutex mutex;
    std::vector<DeviceEvent> events;
    All() {
      on_device_event([this](const DeviceEvent& event) {
        const std::scoped_lock lock(mutex);
        events.push_back(event);
      });
    }
  };
  static All& all() {
    static All& only = *new All;  // listeners stay for good
    return only;
  }
  std::size_t first_;
};

}  // namespace tidepool::inline v0
