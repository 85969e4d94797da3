#include "platform/forked.h"

#include <pthread.h>

#include <atomic>

namespace tidepool::inline v0 {

namespace {
constinit std::atomic<bool> forked{false};
}  // namespace

void watch_forks() {
  [[maybe_unused]] static const int watched = pthread_atfork(nullptr, nullptr, [] { forked.store(true, std::memory_order_relaxed); });
}

bool is_forked() { return forked.load(std::memory_order_relaxed); }

}  // namespace tidepool::inline v0
