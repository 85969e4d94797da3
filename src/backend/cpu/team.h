// The threads of the CPU device. `run` splits a range so that the same range is always split the same way: results do
// not depend on which thread was free.
#pragma once

#include <cstddef>
#include <memory>

namespace tidepool::inline v0 {

class CpuTeam {
 public:
  explicit CpuTeam(int threads);
  ~CpuTeam();
  CpuTeam(const CpuTeam&) = delete;
  CpuTeam& operator=(const CpuTeam&) = delete;

  int threads() const { return threads_; }

  // Calls work(begin, end) for pieces of [0, count), each a multiple of `grain` but the last; in this thread when the
  // range is not worth more (`count` up to `grain`).
  template <class Work>
  void run(std::size_t count, std::size_t grain, Work&& work) {
    if (threads_ == 1 || count <= grain) {
      work(std::size_t{0}, count);
      return;
    }
    split(
        count, grain,
        [](void* context, std::size_t begin, std::size_t end) { (*static_cast<std::remove_reference_t<Work>*>(context))(begin, end); },
        &work);
  }

 private:
  using Piece = void (*)(void* context, std::size_t begin, std::size_t end);
  void split(std::size_t count, std::size_t grain, Piece piece, void* context);
  void run_alone(std::size_t count, std::size_t grain, Piece piece, void* context) const;  // in a child of fork()

  struct Workers;
  int threads_;
  std::unique_ptr<Workers> workers_;
};

}  // namespace tidepool::inline v0
