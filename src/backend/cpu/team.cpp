#include "backend/cpu/team.h"

#include "platform/forked.h"

#include <algorithm>

#ifdef TIDEPOOL_OPENMP
#include <omp.h>
#else
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>
#endif

namespace tidepool::inline v0 {

namespace {
struct Share {
  std::size_t begin, end;
};
Share share(std::size_t count, std::size_t grain, std::size_t parts, std::size_t part) {
  const std::size_t grains = (count + grain - 1) / grain;
  const std::size_t each = (grains + parts - 1) / parts * grain;
  return {std::min(count, part * each), std::min(count, (part + 1) * each)};
}
}  // namespace

// The same pieces as with all threads, so the same bits.
void CpuTeam::run_alone(std::size_t count, std::size_t grain, Piece piece, void* context) const {
  const auto parts = static_cast<std::size_t>(threads_);
  for (std::size_t part = 0; part < parts; ++part) {
    const Share next = share(count, grain, parts, part);
    if (next.begin < next.end) piece(context, next.begin, next.end);
  }
}

#ifdef TIDEPOOL_OPENMP

struct CpuTeam::Workers {};

CpuTeam::CpuTeam(int threads) : threads_(threads) {}
CpuTeam::~CpuTeam() = default;

void CpuTeam::split(std::size_t count, std::size_t grain, Piece piece, void* context) {
  if (is_forked()) return run_alone(count, grain, piece, context);
  watch_forks();
#pragma omp parallel num_threads(threads_)
  {
    const auto parts = static_cast<std::size_t>(omp_get_num_threads());
    const Share mine = share(count, grain, parts, static_cast<std::size_t>(omp_get_thread_num()));
    if (mine.begin < mine.end) piece(context, mine.begin, mine.end);
  }
}

#else

struct CpuTeam::Workers {
  std::mutex mutex;
  std::condition_variable wake, done;
  std::size_t generation = 0, running = 0;
  bool stop = false;
  std::size_t count = 0, grain = 0;
  Piece piece = nullptr;
  void* context = nullptr;
  std::vector<std::thread> threads;

  void work(std::size_t part, std::size_t parts) {
    std::unique_lock lock(mutex);
    for (std::size_t seen = 0;;) {
      wake.wait(lock, [&] { return stop || generation != seen; });
      if (stop) return;
      seen = generation;
      lock.unlock();
      const Share mine = share(count, grain, parts, part);
      if (mine.begin < mine.end) piece(context, mine.begin, mine.end);
      lock.lock();
      if (--running == 0) done.notify_one();
    }
  }
};

CpuTeam::CpuTeam(int threads) : threads_(threads), workers_(std::make_unique<Workers>()) {
  if (threads == 1 || is_forked()) return;
  watch_forks();
  const auto parts = static_cast<std::size_t>(threads);
  for (std::size_t part = 1; part < parts; ++part) workers_->threads.emplace_back([this, part, parts] { workers_->work(part, parts); });
}

CpuTeam::~CpuTeam() {
  if (is_forked()) {
    workers_.release();  // NOLINT: threads that are the parent's cannot be joined
    return;
  }
  {
    const std::scoped_lock lock(workers_->mutex);
    workers_->stop = true;
  }
  workers_->wake.notify_all();
  for (std::thread& thread : workers_->threads) thread.join();
}

void CpuTeam::split(std::size_t count, std::size_t grain, Piece piece, void* context) {
  if (is_forked()) return run_alone(count, grain, piece, context);
  const auto parts = static_cast<std::size_t>(threads_);
  {
    const std::scoped_lock lock(workers_->mutex);
    workers_->count = count;
    workers_->grain = grain;
    workers_->piece = piece;
    workers_->context = context;
    workers_->running = parts - 1;
    ++workers_->generation;
  }
  workers_->wake.notify_all();
  const Share mine = share(count, grain, parts, 0);
  if (mine.begin < mine.end) piece(context, mine.begin, mine.end);
  std::unique_lock lock(workers_->mutex);
  workers_->done.wait(lock, [&] { return workers_->running == 0; });
}

#endif

}  // namespace tidepool::inline v0
