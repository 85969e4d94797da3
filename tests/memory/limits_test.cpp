// The limits, through the public interface.
#include <gtest/gtest.h>
#include <tidepool/tidepool.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <span>
#include <thread>
#include <vector>

#include "monitor/event.h"
#include "platform/bytes.h"
#include "support/child.h"
#include "support/devices.h"

namespace tidepool::inline v0 {
namespace {

class Limits : public OnEveryDevice {};
class LimitsThreads : public OnEveryDevice {};
class LimitSettings : public LibraryTest {};
INSTANTIATE_TEST_SUITE_P(On, Limits, devices_for_tests(), device_name);
INSTANTIATE_TEST_SUITE_P(On, LimitsThreads, devices_for_tests(), device_name);

// Adds up what the pool takes from the device and gives back, at the instant that it happens.
class Reserved final : public EventSink {
 public:
  explicit Reserved(std::string device) : device_(std::move(device)) { event_sink = this; }
  ~Reserved() { event_sink = nullptr; }
  void on(const Event& event) noexcept override {
    if (device_ != event.device) return;
    if (event.kind == Event::allocate) now_ += event.bytes;
    if (event.kind == Event::evict) now_ -= event.bytes;
    peak_ = std::max(peak_, now_);
  }
  std::size_t peak() const { return peak_; }

 private:
  std::string device_;
  std::size_t now_ = 0, peak_ = 0;  // the device's lock is held for every event
};

TEST_P(LimitsThreads, TheHardLimitHoldsAtEveryInstantWithFourThreads) {
  configure({.memory_limit = 8_MiB, .cache_limit = 6_MiB});
  std::atomic<int> done{0}, refused{0};
  {
    const Reserved reserved(GetParam());
    std::vector<std::thread> threads;
    for (unsigned seed = 1; seed <= 4; ++seed)
      threads.emplace_back([&, seed] {
        std::mt19937 random(seed);
        std::vector<Tensor> held;
        for (int i = 0; i < 300; ++i) {
          try {
            held.push_back(zeros({1 + static_cast<std::int64_t>(random() % (1U << (6 + random() % 13)))}));
            ++done;
          } catch (const OutOfMemory&) {
            ++refused;
            held.clear();
          }
          if (held.size() > 12) held.erase(held.begin(), held.begin() + 6);
        }
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_LE(reserved.peak(), 8_MiB);
    EXPECT_GT(reserved.peak(), 4_MiB) << "the limit was never near; the test is too easy";
  }
  EXPECT_EQ(done + refused, 1200);
  EXPECT_GT(done, 600);
  EXPECT_LE(memory().peak_bytes, 8_MiB);
  if (id() == "null") {
    EXPECT_LE(null_backend().counts.peak, 8_MiB) << "what the device itself saw";
  }
}

TEST_P(Limits, FourGigabytesBeyondTheLimitAreRefusedAndTheNextOperationWorks) {
  configure({.memory_limit = 64_MiB});
  const Tensor before = full({1000}, 2.0F);
  const MemoryStats stats = memory();
  const std::string message = message_of<OutOfMemory>([] { zeros({1024, 1024, 1024}); });
  EXPECT_HAS(message, "zeros: asked 4 GiB of " + id());
  EXPECT_HAS(message, "limit 64 MiB");
  EXPECT_HAS(message, "live 4");  // 4 KiB
  const MemoryStats after = memory();
  EXPECT_EQ(after.tensors, stats.tensors);
  EXPECT_EQ(after.live_bytes, stats.live_bytes);
  EXPECT_EQ(after.reserved_bytes, stats.reserved_bytes);
  const std::vector<float> sum = (before + before).to_host<float>();
  if (computes()) {
    EXPECT_EQ(sum, std::vector<float>(1000, 4.0F));
  }
}

TEST_P(Limits, AnOperationThatRunsOutOfMemoryLeavesTheFiguresAsTheyWere) {
  configure({.memory_limit = 10_MiB});
  const Tensor a = full({1024, 1024}, 1.5F), b = full({1024, 1024}, 2.0F);
  a.requires_grad();
  sync();
  const MemoryStats before = memory();
  for (int i = 0; i < 3; ++i) EXPECT_THROW(a + b, OutOfMemory);
  EXPECT_THROW(sum(transpose(a)), OutOfMemory);
  EXPECT_EQ(memory().tensors, before.tensors);
  EXPECT_EQ(memory().live_bytes, before.live_bytes);
  if (computes()) {
    EXPECT_FLOAT_EQ(sum(a).item(), 1.5F * 1024 * 1024);
  }
  b.release();
  EXPECT_NO_THROW(square(a));
}

// On Vulkan long sums are cut in parts, which lie in scratch memory: whichever of the three finds none, none of them is written.
TEST_P(Limits, ALinearBackwardThatRunsOutOfMemoryWritesNoneOfItsResults) {
  constexpr std::int64_t rows = 4096, in = 64, out = 64;
  const Tensor dy = ones({rows, out}), x = ones({rows, in}), w = ones({out, in});
  const Tensor dx = full({rows, in}, 7.0F), dw = full({out, in}, 7.0F), db = full({out}, 7.0F);
  const auto expect_all_of_them = [&](float of_dx, float of_dw, float of_db) {
    if (!computes()) return;
    EXPECT_EQ(dx.to_host<float>(), std::vector<float>(rows * in, of_dx));
    EXPECT_EQ(dw.to_host<float>(), std::vector<float>(out * in, of_dw));
    EXPECT_EQ(db.to_host<float>(), std::vector<float>(out, of_db));
  };
  sync();
  const std::size_t live = memory().live_bytes;
  const std::uint64_t launches = id() == "null" ? null_backend().counts.launches : 0;
  int refused = 0;
  for (std::size_t more = 1024; more <= 4_MiB; more *= 2) {
    configure({.memory_limit = live + more});
    try {
      raw::linear_bwd(dy, x, w, {}, Activation::none, dx, dw, db);
      break;
    } catch (const OutOfMemory&) {
      ++refused;
    }
    configure({.memory_limit = 0});
    expect_all_of_them(7, 7, 7);
    if (id() == "null") {
      ASSERT_EQ(null_backend().counts.launches, launches);
    }
  }
  EXPECT_EQ(refused > 0, id() != "cpu") << "there all fitted at once, or it needed none";
  expect_all_of_them(out, rows, rows);
}

TEST_P(Limits, IdleBlocksGoBeforeAnOperationFails) {
  configure({.memory_limit = 10_MiB});
  { const Tensor idle = full({2048, 1024}, 1.0F); }
  EXPECT_EQ(memory().cached_bytes, 8_MiB);
  const Tensor next = full({1024, 1024}, 1.0F);
  EXPECT_LE(memory().reserved_bytes, 10_MiB);
  EXPECT_GE(memory().evictions, 1U);
}

TEST_P(Limits, ALowerLimitIsObeyedAtOnce) {
  const Tensor live = zeros({1024});
  {
    std::vector<Tensor> idle;
    for (int i = 0; i < 20; ++i) idle.push_back(zeros({256, 1024}));
  }
  EXPECT_GE(memory().cached_bytes, 20_MiB);
  configure({.cache_limit = 10_MiB});
  EXPECT_LE(memory().cached_bytes, 10_MiB);
  configure({.memory_limit = 5_MiB});
  EXPECT_EQ(memory().limit, 5_MiB);
  EXPECT_LE(memory().reserved_bytes, 5_MiB) << "idle blocks hold more than the limit allows";
}

TEST_P(Limits, TenThousandShapesStayWithinTheCacheLimitAndStopGrowing) {
  const bool small = id() == "vulkan:0";
  const std::size_t cache = small ? 1_MiB : 8_MiB;
  const unsigned largest = small ? 160 : 320;  // edge of a matrix
  configure({.cache_limit = cache});
  std::mt19937 random(4711);
  std::vector<Tensor> held(16);
  std::size_t peak = 0, peak_of_first_half = 0;
  for (int i = 0; i < 10'000; ++i) {
    const auto edge = [&] { return 1 + static_cast<std::int64_t>(random() % largest); };
    Tensor& place = held[random() % held.size()];
    place = random() % 2 ? zeros({edge()}) : zeros({edge(), edge()});
    const MemoryStats stats = memory();
    ASSERT_LE(stats.reserved_bytes, cache + stats.live_bytes) << "after shape " << i;
    ASSERT_EQ(stats.reserved_bytes, stats.live_bytes + stats.cached_bytes);
    peak = std::max(peak, stats.reserved_bytes);
    if (i == 4'999) peak_of_first_half = std::exchange(peak, 0);
  }
  EXPECT_LE(static_cast<double>(peak), 1.05 * static_cast<double>(peak_of_first_half)) << "it still grows";
  held.clear();
  EXPECT_EQ(memory().live_bytes, 0U);
  EXPECT_LE(memory().reserved_bytes, cache);
}

TEST_P(Limits, CreatingFunctionsNeverShowOldContents) {
  if (!computes()) GTEST_SKIP() << "null computes nothing";
  for (const std::int64_t n : {1, 15, 16, 17, 1000, 4097, 300'000}) {
    const std::vector<float> nan(static_cast<std::size_t>(n), NAN);
    { const Tensor old = from_host(nan, {n}); }
    const std::size_t reuses = memory().reuses;
    const std::vector<float> fresh = zeros({n}).to_host<float>();
    EXPECT_GT(memory().reuses, reuses) << "the old block was not lent again, so nothing was tested";
    EXPECT_EQ(fresh, std::vector<float>(static_cast<std::size_t>(n), 0.0F));
    { const Tensor old = from_host(nan, {n}); }
    EXPECT_EQ(full({n}, 3.0F).to_host<float>(), std::vector<float>(static_cast<std::size_t>(n), 3.0F));
    { const Tensor old = from_host(nan, {n}); }
    const Tensor one = ones({n});
    EXPECT_EQ((one + one).to_host<float>(), std::vector<float>(static_cast<std::size_t>(n), 2.0F));
    { const Tensor old = from_host(nan, {n}); }
    EXPECT_EQ(sum(one).item(), static_cast<float>(n)) << "scratch memory shows";
  }
}

// TIDEPOOL_POISON is read once in a process, so this one runs itself again with it set.
TEST_P(Limits, EmptyIsFilledWithNaNWhenPoisoned) {
  if (!computes()) GTEST_SKIP() << "null computes nothing";
#ifdef NDEBUG
  if (!is_child()) {
    EXPECT_EQ(run_this_test_again("TIDEPOOL_POISON=1"), 0);
    return;
  }
#endif
  { const Tensor old = ones({1000}); }
  for (const float value : empty({1000}).to_host<float>()) ASSERT_TRUE(std::isnan(value));
}

#ifdef NDEBUG
TEST_F(LimitSettings, APoisonThatIsNeitherOnNorOffIsToldAndOff) {
  if (!is_child()) {
    EXPECT_EQ(run_this_test_again("TIDEPOOL_POISON=yes"), 0);
    return;
  }
  std::string told;
  set_logger([&](LogLevel, std::string_view message) { told += message; });
  empty({4});
  set_logger({});
  EXPECT_EQ(told, "TIDEPOOL_POISON='yes' is ignored: wanted 0 or 1");
}
#endif

TEST_F(LimitSettings, ConfigureChangesOnlyWhatIsNamed) {
  configure({.max_commands = 7});
  configure({.memory_limit = 5_MiB});
  configure({.max_cached_per_class = 3, .cache_limit = 1_MiB});
  const Settings now = settings();
  EXPECT_EQ(now.max_commands, 7);
  EXPECT_EQ(now.memory_limit, 5_MiB);
  EXPECT_EQ(now.max_cached_per_class, 3);
  EXPECT_EQ(now.cache_limit, 1_MiB);
  configure({});
  EXPECT_EQ(settings().memory_limit, 5_MiB);
}

TEST_F(LimitSettings, ConfigureRefusesWhatMakesNoSenseAndChangesNothing) {
  EXPECT_HAS(message_of<ArgumentError>([] { configure({.max_commands = 0}); }), "configure: max_commands is 0; wanted 1 or more");
  EXPECT_HAS(message_of<ArgumentError>([] { configure({.max_commands = -1, .memory_limit = 1_MiB}); }), "max_commands is -1");
  EXPECT_HAS(message_of<ArgumentError>([] { configure({.max_cached_per_class = -1}); }), "max_cached_per_class is -1; wanted 0 or more");
  EXPECT_EQ(settings().max_commands, 100);
  EXPECT_EQ(settings().memory_limit, 0U);
}

TEST_F(LimitSettings, SettingsHoldForADeviceThatOpensLater) {
  configure({.memory_limit = 1_MiB});
  EXPECT_THROW(zeros({1024, 1024}, {.device = device("null")}), OutOfMemory);
}

TEST_F(LimitSettings, NoCacheIsKeptWhenTheCapIsZero) {
  configure({.max_cached_per_class = 0});
  { const Tensor t = zeros({1024, 1024}); }
  sync();
  EXPECT_EQ(memory().reserved_bytes, 0U);
}

// Looks at the pool whenever work is submitted, as the monitor does for its map of the memory.
class Looking final : public EventSink {
 public:
  Looking() { event_sink = this; }
  ~Looking() { event_sink = nullptr; }
  Looking(const Looking&) = delete;
  Looking& operator=(const Looking&) = delete;
  void on(const Event&) noexcept override { want_look(); }
  void look(const char*, BlockPool& pool) noexcept override {
    ++looks;
    pool.for_each_memory([&](const Memory& memory, std::span<const Block>) { seen.push_back(memory.bytes); });
  }
  int looks = 0;
  std::vector<std::size_t> seen;
};

TEST_F(LimitSettings, ThePoolMayBeLookedAtWhileItMakesRoom) {
  Looking looking;
  reopen_null({});
  set_default_device(device("null"));
  {
    const Tensor small = zeros({4}), large = zeros({512, 1024});
    sync();
    EXPECT_TRUE(std::ranges::count(looking.seen, 2_MiB)) << "a block by itself";
    EXPECT_TRUE(std::ranges::any_of(looking.seen, [](std::size_t bytes) { return bytes < 2_MiB; })) << "a slab";
  }
  reopen_null({.latency = 1'000'000});
  configure({.cache_limit = 1_MiB});
  { const Tensor a = zeros({512, 1024}), b = zeros({768, 1024}); }
  EXPECT_EQ(memory().cached_bytes, 0U);
  EXPECT_GT(looking.looks, 0);
  EXPECT_EQ(memory().evictions, 2U) << "each of them once";
  EXPECT_EQ(null_backend().counts.frees, 2U);
}

TEST(Bytes, AreWrittenForPeople) {
  EXPECT_EQ(readable_bytes(0), "0 B");
  EXPECT_EQ(readable_bytes(1023), "1023 B");
  EXPECT_EQ(readable_bytes(1_KiB), "1 KiB");
  EXPECT_EQ(readable_bytes(1536), "1.5 KiB");
  EXPECT_EQ(readable_bytes(5_MiB), "5 MiB");
  EXPECT_EQ(readable_bytes(4_GiB), "4 GiB");
  EXPECT_EQ(readable_bytes(3000_GiB), "2.9 TiB");
  EXPECT_EQ(readable_bytes(1_MiB - 1), "1 MiB") << "rounding reaches the next unit";
}

TEST(Bytes, AreReadAsPeopleWriteThem) {
  EXPECT_EQ(parse_bytes("4096"), 4096U);
  EXPECT_EQ(parse_bytes("17 B"), 17U);
  EXPECT_EQ(parse_bytes("512MiB"), 512_MiB);
  EXPECT_EQ(parse_bytes("2 GiB"), 2_GiB);
  EXPECT_EQ(parse_bytes("1TiB"), 1024_GiB);
  for (const char* bad : {"", "MiB", "-1", "1.5GiB", "2 gigs", "99999999999999999999", "99999999999TiB", "1 MiB x"})
    EXPECT_EQ(parse_bytes(bad), std::nullopt) << bad;
}

}  // namespace
}  // namespace tidepool::inline v0
