// The pool when the host has no memory to remember the device's by.
#include <gtest/gtest.h>

#include <array>
#include <new>

#include "memory/block_pool.h"
#include "support/allocations.h"
#include "support/pool_check.h"

namespace tidepool::inline v0 {
namespace {

// Takes nothing from the heap itself.
class BareHost final : public PoolHost {
 public:
  Memory* allocate(std::size_t bytes) override {
    ++lent;
    memory_.at(next_).bytes = bytes;
    return &memory_.at(next_++);
  }
  void free(Memory*) override { --lent; }
  bool finished(Serial) override { return true; }
  void finish_all() override {}
  bool drop_idle_plan() override { return false; }
  const char* device_id() override { return "bare"; }
  int lent = 0;

 private:
  std::array<Memory, 100> memory_{};
  std::size_t next_ = 0;
};

TEST(PoolWithoutHostMemory, GivesBackWhatTheDeviceGave) {
  for (const std::size_t bytes : {std::size_t{100}, std::size_t{1} << 20}) {
    BareHost host;
    BlockPool pool(host, nullptr, 256);
    int refused = 0;
    for (bool done = false; !done;) try {
        HeapCount::fails_in = refused + 1;
        const Storage taken(pool.take(bytes, MemoryTag::activations, "take"));
        done = true;
        HeapCount::fails_in = 0;
        EXPECT_EQ(host.lent, 1);
      } catch (const std::bad_alloc&) {
        ++refused;
        EXPECT_EQ(host.lent, 0);
        EXPECT_EQ(pool.stats().reserved, 0U);
        EXPECT_EQ(PoolCheck::of(pool), "");
      }
    EXPECT_GE(refused, 2) << "nothing was taken from the heap";
    EXPECT_EQ(PoolCheck::of(pool), "");
  }
}

}  // namespace
}  // namespace tidepool::inline v0
