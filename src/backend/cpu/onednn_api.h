// oneDNN's own types and functions. Only the onednn*.cpp files and benchmarks that compare with it include this.
//
//     OneDnn::Workshop* const workshop = onednn.workshop();
//     if (!workshop) return false;
//     const OneDnnThreads threads(workshop->threads);
//     const Relu* const relu = workshop->kept<Relu>({kind_relu, n}, [&] { return make_relu(*workshop, n); });
//     return relu && workshop->dnn.primitive_execute(relu->primitive, workshop->stream, …) == dnnl_success;
#pragma once

#include "backend/cpu/onednn.h"

#ifdef TIDEPOOL_ONEDNN

#include <oneapi/dnnl/dnnl.h>

#include <array>
#include <cstdint>
#include <list>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tidepool::inline v0 {

// What we use of the library, without the prefix dnnl_.
#define TIDEPOOL_ONEDNN_FUNCTIONS(X)                \
  X(sgemm)                                          \
  X(get_effective_cpu_isa)                          \
  X(engine_create)                                  \
  X(engine_destroy)                                 \
  X(stream_create)                                  \
  X(stream_wait)                                    \
  X(stream_destroy)                                 \
  X(memory_desc_init_by_tag)                        \
  X(memory_desc_equal)                              \
  X(memory_desc_get_size)                           \
  X(memory_create)                                  \
  X(memory_set_data_handle)                         \
  X(memory_destroy)                                 \
  X(primitive_attr_create)                          \
  X(primitive_attr_set_scratchpad_mode)             \
  X(primitive_attr_destroy)                         \
  X(dilated_convolution_forward_desc_init)          \
  X(matmul_desc_init)                               \
  X(dilated_convolution_backward_data_desc_init)    \
  X(dilated_convolution_backward_weights_desc_init) \
  X(reorder_primitive_desc_create)                  \
  X(primitive_desc_create)                          \
  X(primitive_desc_query_md)                        \
  X(primitive_desc_destroy)                         \
  X(primitive_create)                               \
  X(primitive_execute)                              \
  X(primitive_destroy)

struct OneDnnFunctions {
#define X(name) decltype(&::dnnl_##name) name = nullptr;
  TIDEPOOL_ONEDNN_FUNCTIONS(X)
#undef X
};

// Opens the library at the first call; null when it is not there, and in a child of fork().
const OneDnnFunctions* onednn_functions();

// While it lives, OpenMP regions that this thread starts have so many threads.
class OneDnnThreads {
 public:
  explicit OneDnnThreads(int threads);
  ~OneDnnThreads();
  OneDnnThreads(const OneDnnThreads&) = delete;
  OneDnnThreads& operator=(const OneDnnThreads&) = delete;

 private:
  int before_, wanted_;
};

// Something of the library's that ends with us.
template <class T>
class Owned {
 public:
  using End = dnnl_status_t (*)(T);
  explicit Owned(End end) : end_(end) {}
  ~Owned() {
    if (value_) end_(value_);
  }
  Owned(Owned&& other) noexcept : value_(std::exchange(other.value_, nullptr)), end_(other.end_) {}
  Owned& operator=(Owned&&) = delete;
  T get() const { return value_; }
  T* put() { return &value_; }

 private:
  T value_ = nullptr;
  End end_;
};
using OwnedMemory = Owned<dnnl_memory_t>;
using Primitive = Owned<dnnl_primitive_t>;
using Description = Owned<dnnl_primitive_desc_t>;

inline bool done(dnnl_status_t status) { return status == dnnl_success; }

// A device's engine and the primitives that it has made.
struct OneDnn::Workshop {
  struct Kept {
    virtual ~Kept() = default;
  };
  using Key = std::array<std::int32_t, 24>;  // a kind and sizes; what is not set is 0
  static constexpr std::size_t most_kept = 256;

  Workshop(const OneDnnFunctions& functions, int threads);  // `stream` is null when that failed
  ~Workshop();
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;

  // The T of this key, made if there is none; null where `make` gave null: the library cannot do it. The least recently
  // used one goes when there are too many.
  template <class T, class Make>
  T* kept(const Key& key, Make&& make) {
    const std::unique_ptr<Kept>* found = find(key);
    return static_cast<T*>(found ? found->get() : add(key, make()));
  }
  // Memory for one execution, shared by all, so make primitives with dnnl_scratchpad_mode_user; null: there is none.
  void* scratch(std::size_t bytes);

  const OneDnnFunctions& dnn;
  const int threads;
  dnnl_engine_t engine = nullptr;
  dnnl_stream_t stream = nullptr;

 private:
  struct Hash {
    std::size_t operator()(const Key& key) const {
      return std::hash<std::string_view>()({reinterpret_cast<const char*>(key.data()), sizeof(Key)});
    }
  };
  using Entries = std::list<std::pair<Key, std::unique_ptr<Kept>>>;
  const std::unique_ptr<Kept>* find(const Key& key);  // and makes it the last used
  Kept* add(const Key& key, std::unique_ptr<Kept> made);

  Entries entries_;  // the last used first
  std::unordered_map<Key, Entries::iterator, Hash> places_;
  struct Free {
    void operator()(void* memory) const;
  };
  std::unique_ptr<void, Free> scratch_;
  std::size_t scratch_bytes_ = 0;
};

}  // namespace tidepool::inline v0

#endif
