// A call from C. Arguments are looked up and checked; what is thrown becomes a code and a message.
//
//     tp_status tp_relu(const tp_tensor* a, tp_tensor** out) {
//       return gives_tensor(__func__, out, [&](const Call& call) { return relu(call.tensor("a", a)); });
//     }
#pragma once

#include <tidepool/c.h>
#include <tidepool/error.h>
#include <tidepool/ops.h>
#include <tidepool/tensor.h>

#include "c/handles.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace tidepool::inline v0::c {

// Each throws an error that names the function and the argument.
class Call {
 public:
  explicit Call(const char* function) : function_(function) {}

  const char* function() const { return function_; }
  Tensor tensor(const char* name, const tp_tensor* handle) const { return tensors().find(function_, name, handle); }
  Tensor tensor_if_any(const char* name, const tp_tensor* handle) const { return handle ? tensor(name, handle) : Tensor(); }
  Device device(const tp_device* handle) const { return handle ? device_handles().find(function_, "device", handle) : Device(); }
  Shape shape(const std::int64_t* sizes, std::int64_t rank) const { return Shape(values("shape", sizes, "rank", rank)); }
  DType dtype(int value) const;
  Activation activation(int value) const;
  int one_of(const char* name, int value, int last, const char* wanted) const;  // from 0 to last

  template <class T>
  T& pointer(const char* name, T* to) const {
    if (!to) refuse_null(name);
    return *to;
  }
  template <class T>
  std::span<T> values(const char* name, T* first, const char* count_name, std::int64_t count) const {
    require_count(count_name, count);
    if (count && !first) refuse_null(name);
    return {first, static_cast<std::size_t>(count)};
  }

 private:
  [[noreturn]] void refuse_null(const char* name) const;
  void require_count(const char* name, std::int64_t count) const;

  const char* function_;
};

// An error with a code that no other type of error has.
struct CodedError : Error {
  CodedError(tp_status status, std::string_view function, std::string_view message) : Error(function, message), status(status) {}
  tp_status status;
};

// What is being thrown, as a code; its message is kept for tp_last_error.
tp_status failed() noexcept;
// A handle for it, known to this thread's tidy scope.
tp_tensor* hand_out(Tensor tensor);

template <class Function>
tp_status guarded(const char* function, Function&& body) noexcept {
  try {
    body(Call(function));
    return TP_OK;
  } catch (...) {
    return failed();
  }
}

// The body's result goes through `out`, by way of `hand`; NULL does when there is none.
template <class Handle, class Function, class Hand>
tp_status gives(const char* function, const char* name, Handle** out, Function&& body, Hand&& hand) noexcept {
  const tp_status status = guarded(function, [&](const Call& call) {
    call.pointer(name, out);
    *out = hand(body(call));
  });
  if (status && out) *out = nullptr;
  return status;
}

template <class Function>
tp_status gives_tensor(const char* function, tp_tensor** out, Function&& body) noexcept {
  return gives(function, "out", out, body, hand_out);
}
template <class Function>
tp_status gives_device(const char* function, tp_device** out, Function&& body) noexcept {
  return gives(function, "device", out, body, [](const Device& device) { return device_handles().add(device); });
}

// Gives a handle back; NULL is fine.
template <class Handle, class Table>
tp_status frees(const char* function, Handle* handle, Table& table) noexcept {
  if (!handle) return TP_OK;
  return guarded(function, [&](const Call& call) { table.free(call.function(), handle); });
}

}  // namespace tidepool::inline v0::c
