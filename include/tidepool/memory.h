// Memory: scopes that tidy up, the limits, and the figures.
//
//     using namespace tp::literals;
//     tp::configure({.memory_limit = 2_GiB});
//     tp::Tensor y = tp::tidy([&] { return tp::relu(x + x); });   // x + x is freed, y stays
//     tp::memory().live_bytes;
#pragma once

#include <tidepool/device.h>
#include <tidepool/tensor.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace tidepool::inline v0 {

inline namespace literals {
constexpr std::size_t operator""_KiB(unsigned long long n) { return static_cast<std::size_t>(n) << 10; }
constexpr std::size_t operator""_MiB(unsigned long long n) { return static_cast<std::size_t>(n) << 20; }
constexpr std::size_t operator""_GiB(unsigned long long n) { return static_cast<std::size_t>(n) << 30; }
}  // namespace literals

// Fields that are not named keep their value.
struct Settings {
  static constexpr std::int64_t unchanged = std::numeric_limits<std::int64_t>::min();
  static constexpr std::size_t unchanged_bytes = std::numeric_limits<std::size_t>::max();
  static constexpr double unchanged_real = -1;

  std::int64_t max_commands = unchanged;          // launches before the open batch is submitted by itself; 100 at first
  std::int64_t max_cached_per_class = unchanged;  // idle blocks kept per size class; 50 at first
  std::size_t memory_limit = unchanged_bytes;     // per device, never exceeded; 0 (none) at first
  std::size_t cache_limit = unchanged_bytes;      // idle bytes kept per device; 512 MiB at first, 0 is none
  double wait_limit = unchanged_real;             // seconds after which a device that does not answer counts as lost; 30 at first
  double max_load = unchanged_real;               // our work's share of a device's time, from 0.01; 1 (all of it) at first
};
TIDEPOOL_API void configure(const Settings& settings);
TIDEPOOL_API Settings settings();

struct MemoryStats {
  std::int64_t tensors = 0;        // handles that are neither destroyed nor released, views included
  std::size_t live_bytes = 0;      // lent to tensors and plans
  std::size_t reserved_bytes = 0;  // taken from the device: live + cached
  std::size_t cached_bytes = 0;    // idle, ready to be lent again
  std::size_t peak_bytes = 0;      // highest reserved since the start or reset_peak()
  std::size_t allocations = 0;     // blocks that had to be asked of the device, alone or as a slab
  std::size_t reuses = 0;          // blocks lent again
  std::size_t evictions = 0;       // idle blocks given back under pressure or over a cap
  std::size_t limit = 0;           // 0: none
  bool reliable = true;            // whether reserved is all that the device really holds for us
};
TIDEPOOL_API MemoryStats memory();  // of the default device
TIDEPOOL_API MemoryStats memory(const Device& device);
TIDEPOOL_API void reset_peak();

// Finishes all work, drops caches, idle blocks and plans. Live tensors stay valid. A device with none is closed and
// reopens on use.
TIDEPOOL_API void cleanup();

// The scope takes this thread's new tensors and releases them at its end, but for those that `keep` or that a
// tensor outside holds (the gradient of a parameter).
class TIDEPOOL_API Tidy {
 public:
  Tidy();
  ~Tidy();
  Tidy(const Tidy&) = delete;
  Tidy& operator=(const Tidy&) = delete;
  void pass_on(const Tensor& tensor);  // leaves this scope for the one around it

 private:
  struct Scope;
  Scope* scope_;
};

// Never released by a scope.
TIDEPOOL_API const Tensor& keep(const Tensor& tensor);

namespace detail {
template <class T>
concept Elements = requires(const T& values) {
  values.begin();
  values.end();
};
template <class T>
concept TupleLike = requires { std::tuple_size<T>::value; };
template <class T>
concept PointerLike = requires(const T& value) {
  *value;
  static_cast<bool>(value);
};

template <class T>
void pass_on(Tidy& scope, const T& value) {
  if constexpr (std::is_base_of_v<Tensor, T>) {
    scope.pass_on(value);
  } else if constexpr (Elements<T>) {
    if constexpr (!std::is_same_v<std::remove_cvref_t<decltype(*value.begin())>, T>)  // a path is made of paths
      for (const auto& each : value) detail::pass_on(scope, each);
  } else if constexpr (TupleLike<T>) {
    std::apply([&](const auto&... each) { (detail::pass_on(scope, each), ...); }, value);
  } else if constexpr (!std::is_trivially_copyable_v<T>) {  // what is holds no tensor
    static_assert(PointerLike<T>, "tidy cannot see whether this type holds tensors; return them in a vector, pair or tuple");
    if constexpr (PointerLike<T>)  // or a second error would follow
      if (value) detail::pass_on(scope, *value);
  }
}
}  // namespace detail

// Frees all that the function made but what it returns: a tensor, a container, pair, tuple, array or optional of them, something
// that holds none, such as a number or a string, or nothing.
template <class Function>
auto tidy(Function&& function) {
  Tidy scope;
  if constexpr (std::is_void_v<std::invoke_result_t<Function&>>) {
    std::forward<Function>(function)();
  } else {
    auto result = std::forward<Function>(function)();
    detail::pass_on(scope, result);
    return result;
  }
}

}  // namespace tidepool::inline v0
