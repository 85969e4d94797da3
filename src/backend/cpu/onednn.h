// oneDNN, where it is installed: a library of fast CPU kernels. It is opened by name when a kernel first wants it, so
// nothing links it; where it is missing, or TIDEPOOL_ONEDNN=0 says so, our own kernels serve. It works with OpenMP's
// threads, which are the team's.
//
//     if (call.onednn && call.onednn->gemm(product)) return;
//     own_kernel(product);
//
// Each CPU device has one of these, used under its stream's lock. Other kinds of work are files of their own beside
// onednn.cpp, written with onednn_api.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace tidepool::inline v0 {

// c = a · b, or c += a · b, of matrices that are stored row by row, or column by column where they are transposed.
struct Gemm {
  const float* a;  // [m, k]; transposed: [k, m]
  const float* b;  // [k, n]; transposed: [n, k]
  float* c;        // [m, n]
  std::size_t m, n, k;
  bool transposed_a = false, transposed_b = false;
  bool add = false;  // to what is there

  bool times_vector() const { return n == 1 && !transposed_a; }  // then b is one vector, transposed or not
};

class OneDnn {
 public:
  explicit OneDnn(int threads);
  ~OneDnn();
  OneDnn(const OneDnn&) = delete;
  OneDnn& operator=(const OneDnn&) = delete;

  bool there() const;  // opens the library if nobody has
  // False: not there, and nothing was done. `alone`: in this thread only, beside others that do the same.
  bool gemm(const Gemm& g, bool alone = false);
  std::uint32_t channel_block() const;  // as its convolutions like images best on this processor; 0: not there, or no preference
  struct Workshop;                      // see onednn_api.h
  Workshop* workshop();                 // where primitives are made and kept; null: not there

 private:
  bool turned_product(const Gemm& g);  // as gemm, where that would take its time to turn b round

  [[maybe_unused]] int threads_;
  std::unique_ptr<Workshop> workshop_;
};

}  // namespace tidepool::inline v0
