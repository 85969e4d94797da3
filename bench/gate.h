// Performance gates: figures that must hold on any machine, so most are ratios of two things done in turn in one process.
//
// A gate is one line of the table in gates.cpp and a function that measures:
//
//     Measured measure_addition() { return compare(1000, [&] { … }, [&] { … }); }
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidepool::gates {

// Nanoseconds for one operation.
struct Measured {
  double ours = 0;
  std::optional<double> bare = {};  // what it is compared with; none: the gate is on our own figure
  std::string skipped = {};         // why it cannot be measured here
  int far = 0;                      // pairs that were taken though the cores were far from each other
};

struct Gate {
  std::string_view name;
  double allowed;  // ours / bare, or nanoseconds when there is nothing to compare with; infinity: it only says how much
  Measured (*measure)();
};

Measured measure_addition();
Measured measure_conv_many_images();
Measured measure_conv_many_channels();
Measured measure_recorded_launch();
Measured measure_replayed_launch();
Measured measure_gain_of_batches();
Measured measure_gain_of_replay();
Measured measure_vulkan_xor();
Measured measure_device_ready();
Measured measure_first_step();
Measured measure_params_in_one_buffer();
Measured measure_params_in_buffers();
Measured measure_launch_with_params_in_buffers();
Measured measure_pool_with_few();
Measured measure_pool_with_many();
template <int size>
Measured measure_matmul();  // 64, 256, 512, 1024, 2048
Measured measure_linear();
Measured measure_chain();
Measured measure_mean_of_squares();
Measured measure_xor_step();
Measured measure_sine_step();
Measured measure_mlp_step();
Measured measure_cnn_step();
Measured measure_watching_xor();  // by account, not by comparing two runs
Measured measure_watching_cnn();
template <int mega>
Measured measure_large_addition();  // 1, 32
template <int side>
Measured measure_vulkan_product_over_plain();  // 512, 1024
template <int side>
Measured measure_vulkan_product();  // 512, 1024
Measured measure_vulkan_addition();
Measured measure_vulkan_chain();
Measured measure_vulkan_conv();
Measured measure_vulkan_conv_input();
Measured measure_vulkan_conv_weights();

// The compiler must take it that the value is used and that memory was read.
template <class T>
inline void use(T* value) {
  asm volatile("" : : "r"(value) : "memory");
}

inline double median(std::vector<double> samples) {
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  return *middle;
}

// What one call takes, averaged over `rounds` of them.
template <class Function>
double time_of(std::size_t rounds, Function& function) {
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < rounds; ++i) function();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() / static_cast<double>(rounds);
}

constexpr std::size_t warm_up_pairs = 10, pairs = 31;

// Takes samples of both in turn, so that whatever else the machine does meets both alike; the medians.
template <class Ours, class Bare>
Measured compare_samples(Ours&& sample_ours, Bare&& sample_bare) {
  std::vector<double> ours, bare;
  for (std::size_t i = 0; i < warm_up_pairs + pairs; ++i) {
    const double a = sample_ours(), b = sample_bare();
    if (i < warm_up_pairs) continue;
    ours.push_back(a);
    bare.push_back(b);
  }
  return {.ours = median(ours), .bare = median(bare)};
}

template <class Ours, class Bare>
Measured compare(std::size_t rounds, Ours&& ours, Bare&& bare) {
  return compare_samples([&] { return time_of(rounds, ours); }, [&] { return time_of(rounds, bare); });
}

// Waits until two threads are on cores with a common cache; false: they were not for three minutes, all waiting of this process together. A
// host moves the processors of a virtual machine about, for seconds or minutes: on an EPYC a cache line then takes 168 ns from one to the
// other, not 26.
bool wait_for_near_cores();

// For steps of many kernels, whose threads hand each other what they made: with cores far from each other that takes its time for ours, and
// not for a bare product (an MLP's step 1.1 ms, not 0.75). So each pair is taken when they are near.
template <class Ours, class Bare>
Measured compare_near(std::size_t rounds, Ours&& ours, Bare&& bare) {
  int far = 0;
  Measured measured = compare_samples(
      [&] {
        far += wait_for_near_cores() ? 0 : 1;
        return time_of(rounds, ours);
      },
      [&] { return time_of(rounds, bare); });
  measured.far = far;
  return measured;
}

// The better of two measurements, on each side for itself: a figure that is too slow on the bare side would pass what
// should fail.
inline Measured better(const Measured& a, const Measured& b) {
  return {.ours = std::min(a.ours, b.ours), .bare = std::min(*a.bare, *b.bare), .far = a.far + b.far};
}

}  // namespace tidepool::gates
