#include "platform/thread_count.h"

#include <algorithm>
#include <mutex>
#include <vector>

namespace tidepool::inline v0 {

constinit thread_local ThreadCount::Parts ThreadCount::mine_{};

struct ThreadCount::Everyone {
  std::mutex mutex;
  std::vector<Parts*> threads;
  std::vector<ThreadCount*> counts;
};
// Never destroyed: tensors may end after main.
ThreadCount::Everyone& ThreadCount::everyone() {
  static auto* const all = new Everyone;
  return *all;
}

ThreadCount::ThreadCount() {
  Everyone& all = everyone();
  const std::scoped_lock lock(all.mutex);
  place_ = all.counts.size();
  all.counts.push_back(this);
}

void ThreadCount::add_slowly(std::int64_t difference) {
  if (place_ >= most || mine_.ended) {
    shared_.fetch_add(difference, std::memory_order_relaxed);
    return;
  }
  {
    Everyone& all = everyone();
    const std::scoped_lock lock(all.mutex);
    all.threads.push_back(&mine_);
  }
  static thread_local AtEnd at_end;
  mine_.known = true;
  add(difference);
}

ThreadCount::AtEnd::~AtEnd() {
  Everyone& all = everyone();
  const std::scoped_lock lock(all.mutex);
  mine_.known = false;
  mine_.ended = true;
  std::erase(all.threads, &mine_);
  for (std::size_t i = 0; i < std::min(most, all.counts.size()); ++i)
    all.counts[i]->shared_.fetch_add(mine_.of[i].load(std::memory_order_relaxed), std::memory_order_relaxed);
}

std::int64_t ThreadCount::sum() const {
  Everyone& all = everyone();
  const std::scoped_lock lock(all.mutex);
  std::int64_t sum = shared_.load(std::memory_order_relaxed);
  if (place_ < most)
    for (const Parts* thread : all.threads) sum += thread->of[place_].load(std::memory_order_relaxed);
  return sum;
}

}  // namespace tidepool::inline v0
