// A pool without a stream: a host over the null backend that watches over what the pool asks of it.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "backend/null/null_backend.h"
#include "memory/block_pool.h"
#include "support/pool_check.h"

namespace tidepool::inline v0 {

class WatchedPool final : public PoolHost {
 public:
  explicit WatchedPool(const PoolLimits& limits = {}, const NullBackend::Options& options = {}, std::size_t alignment = 256)
      : backend(options), pool(*this, nullptr, alignment) {
    set_limits(limits);
  }
  ~WatchedPool() {
    if (!abandoned_) {
      EXPECT_EQ(PoolCheck::of(pool), "");
    }
  }

  void set_limits(const PoolLimits& limits) {
    limit_ = limits.memory;
    pool.set_limits(limits);
  }
  Storage take(std::size_t bytes, MemoryTag tag = MemoryTag::activations) {
    Storage storage(pool.take(bytes, tag, "take"));
    EXPECT_GE(storage->bytes, bytes);
    return storage;
  }
  // The next submission uses it.
  void use(const Storage& storage) {
    backend.record({});
    storage->last_use = last_ + 1;
    last_use_[storage->memory] = last_ + 1;
  }
  void submit() { last_ = backend.submit(nullptr); }
  void abandon() {
    abandoned_ = true;
    pool.abandon();
  }

  Memory* allocate(std::size_t bytes) override {
    if (limit_) {
      EXPECT_LE(backend.counts.bytes + bytes, limit_) << "the hard limit was exceeded for an instant";
    }
    Memory* memory = backend.allocate(bytes);
    log.push_back(memory ? "allocate" : "refused");
    if (memory) last_use_[memory] = 0;
    return memory;
  }
  void free(Memory* memory) override {
    EXPECT_TRUE(finished(last_use_.at(memory))) << "memory was freed while a submission may use it";
    last_use_.erase(memory);
    freed.push_back(memory);
    log.push_back("free");
    backend.free(memory);
  }
  bool finished(Serial serial) override { return serial <= last_ && backend.wait(serial, std::chrono::nanoseconds(0)); }
  void finish_all() override {
    log.push_back("finish");
    submit();
    backend.wait(last_, std::chrono::seconds(1));
    if (on_finish) on_finish();
  }
  bool drop_idle_plan() override {
    if (plans.empty()) return false;
    log.push_back("drop plan");
    plans.pop_back();
    return true;
  }
  const char* device_id() override { return "null"; }

  NullBackend backend;
  std::vector<std::string> log;
  std::vector<Memory*> freed;
  std::function<void()> on_finish;  // what happens meanwhile
  BlockPool pool;
  std::vector<Storage> plans;  // each stands for a plan that may be dropped; they return to the pool, so they go first

 private:
  bool abandoned_ = false;
  std::size_t limit_ = 0;
  Serial last_ = 0;
  std::map<Memory*, Serial> last_use_;
};

}  // namespace tidepool::inline v0
