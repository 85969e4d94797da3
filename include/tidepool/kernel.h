// Kernels of one's own: a compute shader for Vulkan, a function for the CPU, and one call for both.
//
//     struct Params { float a; std::uint32_t n; };
//     tp::Kernel saxpy({.name = "saxpy",
//                       .glsl = R"(layout(push_constant) uniform Params { float a; uint n; } p;
//                                  layout(binding = 0) readonly buffer X { float x[]; };
//                                  layout(binding = 1) readonly buffer Y { float y[]; };
//                                  layout(binding = 2) buffer Out { float out_[]; };
//                                  void main() {
//                                    const uint i = item();
//                                    if (i < p.n) out_[i] = p.a * x[i] + y[i];
//                                  })",
//                       .cpu = [](tp::KernelCall& call) {
//                         const float a = call.params<Params>().a;
//                         const float *x = call.buffer<float>(0), *y = call.buffer<float>(1);
//                         float* out = call.buffer<float>(2);
//                         for (std::int64_t i = 0; i < call.size(); ++i) out[i] = a * x[i] + y[i];
//                       },
//                       .bindings = 3,
//                       .writes = {2}});
//     saxpy(n, Params{2.0F, n}, {x, y, out});      // n work items
//
// A call joins the open batch, or the plan that is being captured, like an operation of ours. It records no gradient. What shaders look
// like, and what is checked: docs/kernels.md.
#pragma once

#include <tidepool/tensor.h>
#include <tidepool/version.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace tidepool::inline v0 {

struct CpuCall;
struct OwnKernel;

// What the CPU's function gets: one call for all work items. It works on the buffers and must not use tensors.
class TIDEPOOL_API KernelCall {
 public:
  std::int64_t size() const;  // work items
  template <class P>
  const P& params() const {
    static_assert(std::is_trivially_copyable_v<P>);
    return *reinterpret_cast<const P*>(param_bytes(sizeof(P)));
  }
  // The first element of the i-th tensor. T is float for f32, std::int32_t for i32, std::uint8_t for u8, std::uint16_t for the bits of f16,
  // or a struct of such.
  template <class T>
  T* buffer(std::int64_t i) const {
    return span<T>(i).data();
  }
  template <class T>
  std::span<T> span(std::int64_t i) const {  // all of its elements
    static_assert(std::is_trivially_copyable_v<T>);
    const std::span<std::byte> bytes = bytes_of(i);
    return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  // Calls work(begin, end) for pieces of the work items, each at least `grain` long but the last: in all of the device's threads, where
  // there is more than one piece. Pieces do not depend on which thread is free.
  void parallel(const std::function<void(std::int64_t begin, std::int64_t end)>& work, std::int64_t grain = 4096) const;

 private:
  friend struct OwnKernel;
  KernelCall(const CpuCall& call, const OwnKernel& kernel) : call_(call), kernel_(kernel) {}
  const std::byte* param_bytes(std::size_t wanted) const;
  std::span<std::byte> bytes_of(std::int64_t i) const;

  const CpuCall& call_;
  const OwnKernel& kernel_;
};

struct KernelOptions {
  std::string name = "kernel";                          // in errors, and for those who watch
  std::string glsl = "";                                // a compute shader: for Vulkan
  std::function<void(KernelCall& call)> cpu = nullptr;  // for the CPU
  std::int64_t bindings = 0;                            // how many tensors a call takes, 1 to 8
  std::vector<std::int64_t> writes = {};                // which of them it writes; it may read those too
  std::vector<std::uint32_t> spirv = {};                // instead of GLSL
};

class TIDEPOOL_API Kernel {
 public:
  Kernel() = default;  // empty: calling it throws ReleasedError
  // Compiles the GLSL, where libshaderc is installed, and checks the shader: ArgumentError says what is wrong with it, and in which line.
  explicit Kernel(const KernelOptions& options);

  // Parameters are any trivially copyable type of up to 128 bytes, the same in every call; a plan runs with those of its capture.
  template <class P>
  void operator()(std::int64_t n, const P& params, std::initializer_list<Tensor> tensors) const {
    launch(n, bytes_of(params), {tensors.begin(), tensors.size()});
  }
  template <class P>
  void operator()(std::int64_t n, const P& params, const std::vector<Tensor>& tensors) const {
    launch(n, bytes_of(params), tensors);
  }
  void operator()(std::int64_t n, std::initializer_list<Tensor> tensors) const { launch(n, {}, {tensors.begin(), tensors.size()}); }
  void operator()(std::int64_t n, const std::vector<Tensor>& tensors) const { launch(n, {}, tensors); }

  const std::string& name() const;

 private:
  template <class P>
  static std::span<const std::byte> bytes_of(const P& params) {
    static_assert(std::is_trivially_copyable_v<P>, "parameters are copied byte by byte");
    static_assert(sizeof(P) <= 128, "a kernel has up to 128 bytes of parameters; put what is larger into a tensor");
    static_assert(alignof(P) <= 16);
    return std::as_bytes(std::span<const P, 1>(&params, 1));
  }
  void launch(std::int64_t n, std::span<const std::byte> params, std::span<const Tensor> tensors) const;

  std::shared_ptr<OwnKernel> kernel_;  // copies share it; so do plans that were captured from it
};

}  // namespace tidepool::inline v0
