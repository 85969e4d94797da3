// What a tp::Kernel holds: its forms, and what is known of them.
#pragma once

#include <tidepool/kernel.h>

#include "device/made_kernel.h"

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

namespace tidepool::inline v0 {

class Stream;

struct OwnKernel : MadeKernel {
  explicit OwnKernel(const KernelOptions& options);

  // Has the form that the device runs, compiling it if need be; throws DeviceError saying which form is missing.
  void make_ready(const Stream& stream);
  // Throws unless the parameters are as large as in earlier calls, and as the shader wants where it is what runs.
  void check_params(std::size_t bytes, bool by_shader) const;
  void called_with(std::size_t bytes) { param_bytes_.store(static_cast<std::int64_t>(bytes), std::memory_order_relaxed); }

  const std::string name;

 private:
  static void run_on_cpu(const CpuCall& call);
  void check_options(const KernelOptions& options);
  void compile();
  void use(std::vector<std::uint32_t> words);

  std::function<void(KernelCall&)> cpu_;
  std::string glsl_;                           // until it is compiled
  std::vector<std::uint32_t> words_;           // once it is
  std::uint32_t shader_params_ = 0;            // bytes that the shader reads
  std::atomic<std::int64_t> param_bytes_{-1};  // of a call that was made
  std::mutex mutex_;                           // of compiling
};

}  // namespace tidepool::inline v0
