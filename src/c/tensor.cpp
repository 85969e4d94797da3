// Making tensors, asking them, views, and the way to the host and back.
#include <tidepool/tensor.h>

#include <tidepool/c.h>

#include "c/call.h"
#include "platform/cat.h"

#include <algorithm>

namespace tp = tidepool;
using tp::c::Call;
using tp::c::frees;
using tp::c::gives_device;
using tp::c::gives_tensor;
using tp::c::guarded;

namespace {

tp::TensorOptions options_of(const Call& call, int dtype, const tp_device* device) {
  return {.dtype = call.dtype(dtype), .device = call.device(device)};
}

template <class T>
tp_status from_values(const char* function, const T* values, int64_t count, const int64_t* shape, int64_t rank, const tp_device* device,
                      tp_tensor** out) {
  return gives_tensor(function, out, [&](const Call& call) {
    return tp::from_host(call.values("values", values, "count", count), call.shape(shape, rank), call.device(device));
  });
}

template <class T>
tp_status copy_out(const char* function, const tp_tensor* tensor, T* values, int64_t count) {
  return guarded(function, [&](const Call& call) { call.tensor("tensor", tensor).copy_to(call.values("values", values, "count", count)); });
}

template <class T>
tp_status copy_in(const char* function, const tp_tensor* tensor, const T* values, int64_t count) {
  return guarded(function,
                 [&](const Call& call) { call.tensor("tensor", tensor).copy_from(call.values("values", values, "count", count)); });
}

template <class T>
tp_status item(const char* function, const tp_tensor* tensor, T* value) {
  return guarded(function, [&](const Call& call) { call.pointer("value", value) = call.tensor("tensor", tensor).item<T>(); });
}

}  // namespace

tp_status tp_zeros(const int64_t* shape, int64_t rank, int dtype, const tp_device* device, tp_tensor** out) {
  return gives_tensor(__func__, out, [&](const Call& call) { return tp::zeros(call.shape(shape, rank), options_of(call, dtype, device)); });
}
tp_status tp_full(const int64_t* shape, int64_t rank, float value, int dtype, const tp_device* device, tp_tensor** out) {
  return gives_tensor(__func__, out,
                      [&](const Call& call) { return tp::full(call.shape(shape, rank), value, options_of(call, dtype, device)); });
}
tp_status tp_empty(const int64_t* shape, int64_t rank, int dtype, const tp_device* device, tp_tensor** out) {
  return gives_tensor(__func__, out, [&](const Call& call) { return tp::empty(call.shape(shape, rank), options_of(call, dtype, device)); });
}
tp_status tp_rand(const int64_t* shape, int64_t rank, int dtype, const tp_device* device, tp_tensor** out) {
  return gives_tensor(__func__, out, [&](const Call& call) { return tp::rand(call.shape(shape, rank), options_of(call, dtype, device)); });
}
tp_status tp_randn(const int64_t* shape, int64_t rank, int dtype, const tp_device* device, tp_tensor** out) {
  return gives_tensor(__func__, out, [&](const Call& call) { return tp::randn(call.shape(shape, rank), options_of(call, dtype, device)); });
}
tp_status tp_manual_seed(uint64_t seed) {
  return guarded(__func__, [&](const Call&) { tp::manual_seed(seed); });
}

tp_status tp_from_f32(const float* values, int64_t count, const int64_t* shape, int64_t rank, const tp_device* device, tp_tensor** out) {
  return from_values(__func__, values, count, shape, rank, device, out);
}
tp_status tp_from_i32(const int32_t* values, int64_t count, const int64_t* shape, int64_t rank, const tp_device* device, tp_tensor** out) {
  return from_values(__func__, values, count, shape, rank, device, out);
}
tp_status tp_from_u8(const uint8_t* values, int64_t count, const int64_t* shape, int64_t rank, const tp_device* device, tp_tensor** out) {
  return from_values(__func__, values, count, shape, rank, device, out);
}

tp_status tp_tensor_free(tp_tensor* tensor) { return frees(__func__, tensor, tp::c::tensors()); }
tp_status tp_tensor_release(tp_tensor* tensor) {
  return guarded(__func__, [&](const Call& call) { call.tensor("tensor", tensor).release(); });
}

tp_status tp_tensor_shape(const tp_tensor* tensor, int64_t* sizes, int64_t room, int64_t* rank) {
  return guarded(__func__, [&](const Call& call) {
    const tp::Tensor asked = call.tensor("tensor", tensor);
    const tp::Shape& shape = asked.shape();
    const std::span<int64_t> to = call.values("sizes", sizes, "room", room);
    call.pointer("rank", rank) = shape.rank();
    if (to.empty()) return;
    if (room < shape.rank())
      throw tp::ArgumentError(call.function(),
                              tp::cat("room for ", room, " sizes of a tensor of shape ", shape, "; wanted ", shape.rank(), " or more"));
    std::copy(shape.begin(), shape.end(), to.begin());
  });
}
tp_status tp_tensor_dtype(const tp_tensor* tensor, int* dtype) {
  return guarded(__func__,
                 [&](const Call& call) { call.pointer("dtype", dtype) = static_cast<int>(call.tensor("tensor", tensor).dtype()); });
}
tp_status tp_tensor_numel(const tp_tensor* tensor, int64_t* numel) {
  return guarded(__func__, [&](const Call& call) { call.pointer("numel", numel) = call.tensor("tensor", tensor).numel(); });
}
tp_status tp_tensor_nbytes(const tp_tensor* tensor, size_t* nbytes) {
  return guarded(__func__, [&](const Call& call) { call.pointer("nbytes", nbytes) = call.tensor("tensor", tensor).nbytes(); });
}
tp_status tp_tensor_device(const tp_tensor* tensor, tp_device** device) {
  return gives_device(__func__, device, [&](const Call& call) { return call.tensor("tensor", tensor).device(); });
}

tp_status tp_tensor_copy_to_f32(const tp_tensor* tensor, float* values, int64_t count) { return copy_out(__func__, tensor, values, count); }
tp_status tp_tensor_copy_to_i32(const tp_tensor* tensor, int32_t* values, int64_t count) {
  return copy_out(__func__, tensor, values, count);
}
tp_status tp_tensor_copy_to_u8(const tp_tensor* tensor, uint8_t* values, int64_t count) {
  return copy_out(__func__, tensor, values, count);
}
tp_status tp_tensor_copy_from_f32(tp_tensor* tensor, const float* values, int64_t count) {
  return copy_in(__func__, tensor, values, count);
}
tp_status tp_tensor_copy_from_i32(tp_tensor* tensor, const int32_t* values, int64_t count) {
  return copy_in(__func__, tensor, values, count);
}
tp_status tp_tensor_copy_from_u8(tp_tensor* tensor, const uint8_t* values, int64_t count) {
  return copy_in(__func__, tensor, values, count);
}
tp_status tp_tensor_item_f32(const tp_tensor* tensor, float* value) { return item(__func__, tensor, value); }
tp_status tp_tensor_item_i32(const tp_tensor* tensor, int32_t* value) { return item(__func__, tensor, value); }
tp_status tp_tensor_item_u8(const tp_tensor* tensor, uint8_t* value) { return item(__func__, tensor, value); }

tp_status tp_tensor_reshape(const tp_tensor* tensor, const int64_t* shape, int64_t rank, tp_tensor** out) {
  return gives_tensor(__func__, out, [&](const Call& call) { return call.tensor("tensor", tensor).reshape(call.shape(shape, rank)); });
}
tp_status tp_tensor_slice(const tp_tensor* tensor, int64_t begin, int64_t end, tp_tensor** out) {
  return gives_tensor(__func__, out, [&](const Call& call) { return call.tensor("tensor", tensor).slice(begin, end); });
}
tp_status tp_tensor_detach(const tp_tensor* tensor, tp_tensor** out) {
  return gives_tensor(__func__, out, [&](const Call& call) { return call.tensor("tensor", tensor).detach(); });
}
tp_status tp_tensor_clone(const tp_tensor* tensor, tp_tensor** out) {
  return gives_tensor(__func__, out, [&](const Call& call) { return call.tensor("tensor", tensor).clone(); });
}
tp_status tp_tensor_to_device(const tp_tensor* tensor, const tp_device* device, tp_tensor** out) {
  return gives_tensor(__func__, out, [&](const Call& call) { return call.tensor("tensor", tensor).to(call.device(device)); });
}
tp_status tp_tensor_to_dtype(const tp_tensor* tensor, int dtype, tp_tensor** out) {
  return gives_tensor(__func__, out, [&](const Call& call) { return call.tensor("tensor", tensor).to(call.dtype(dtype)); });
}

tp_status tp_copy(tp_tensor* destination, const tp_tensor* source) {
  return guarded(__func__, [&](const Call& call) { tp::copy_(call.tensor("destination", destination), call.tensor("source", source)); });
}
tp_status tp_fill(tp_tensor* tensor, float value) {
  return guarded(__func__, [&](const Call& call) { tp::fill_(call.tensor("tensor", tensor), value); });
}
