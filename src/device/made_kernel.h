// A kernel that is made at run time. It lives as long as anybody may use it: whoever launches it holds it, a plan holds those that it was
// captured from, and when the last one lets go, it is set aside until no device has work under way that uses it.
//
//     struct Saxpy : MadeKernel { Saxpy() : MadeKernel("saxpy") { def.bindings = 3; … } };
//     const std::shared_ptr<const Saxpy> kernel = make_kernel<Saxpy>();
//     if (Capture* capture = Capture::current()) capture->keep(kernel);
//     stream.launch_made(kernel->def, …);
//
// Ids of kernels that are gone are given again, so that tables by id do not grow with the number of kernels that ever were.
#pragma once

#include "backend/launch.h"

#include <memory>
#include <string_view>
#include <utility>

namespace tidepool::inline v0 {

class MadeKernel {
 public:
  explicit MadeKernel(std::string_view name);
  virtual ~MadeKernel();
  MadeKernel(const MadeKernel&) = delete;
  MadeKernel& operator=(const MadeKernel&) = delete;

  KernelDef def;

 private:
  friend void set_aside(MadeKernel* kernel) noexcept;
  friend void forget_made_kernels(std::size_t);
  MadeKernel* next_ = nullptr;  // of those that are set aside
};

void set_aside(MadeKernel* kernel) noexcept;
// Lets go of those that were set aside, if they are more than so many; waits for the devices that used them. With no stream's lock held.
void forget_made_kernels(std::size_t more_than);
inline constexpr std::size_t most_set_aside = 64;  // before captures and new kernels, which so bound their number

template <class Kernel, class... Arguments>
std::shared_ptr<Kernel> make_kernel(Arguments&&... arguments) {
  return std::shared_ptr<Kernel>(new Kernel(std::forward<Arguments>(arguments)...), set_aside);
}

// The same text for the life of the process: those who watch, and blocks, remember names by their address.
const char* lasting_name(std::string_view name);

}  // namespace tidepool::inline v0
