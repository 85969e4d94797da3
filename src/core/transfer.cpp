#include "core/transfer.h"

#include <tidepool/error.h>
#include <tidepool/tensor.h>

#include "core/op.h"
#include "core/tape.h"
#include "device/capture.h"
#include "device/slot.h"
#include "platform/cat.h"

#include <type_traits>

namespace tidepool::inline v0 {

namespace {

template <class T>
constexpr DType dtype_of = DType::f32;
template <>
constexpr DType dtype_of<std::int32_t> = DType::i32;
template <>
constexpr DType dtype_of<std::uint8_t> = DType::u8;

void require_type(const char* operation, const Node& node, DType host) {
  if (node.dtype != host)
    throw DTypeError(operation, cat("the tensor is ", node.dtype, " but the host's values are ", host,
                                    "; wanted values of its own type, or convert it with to(DType::", host, ")"));
}

void require_count(const char* operation, const Node& node, std::size_t values) {
  if (values != static_cast<std::size_t>(node.numel))
    throw ShapeError(operation, cat(values, " values for a tensor of shape ", node.shape, ", which has ", node.numel));
}

void download(const char* operation, const Node& node, std::span<std::byte> bytes) {
  Capture::refuse(operation);
  Stream& stream = *node.storage->owner->stream;
  const StreamLock lock(stream);
  stream.require_alive(operation);
  stream.download(*node.storage.block(), node.offset, bytes);
}

void upload(const char* operation, const Node& node, std::span<const std::byte> bytes) {
  Capture::refuse(operation);
  Stream& stream = *node.storage->owner->stream;
  const StreamLock lock(stream);
  stream.require_alive(operation);
  stream.upload(*node.storage.block(), node.offset, bytes);
}

template <class T>
Tensor make_from_host(std::span<const T> values, const Shape& shape, const Device& device, const char* operation = "from_host") {
  Capture::refuse(operation);
  const std::int64_t wanted = checked_numel(operation, shape);
  if (static_cast<std::size_t>(wanted) != values.size())
    throw ShapeError(operation, cat(values.size(), " values for shape ", shape, ", which has ", wanted));
  Tensor tensor = allocate_tensor(operation, shape, dtype_of<T>, device.slot());
  upload(operation, *tensor.node(), std::as_bytes(values));
  return tensor;
}

// f16 reads as float.
template <class T>
bool reads_as_float(const Node& node) {
  return std::is_same_v<T, float> && node.dtype == DType::f16;
}

template <class T>
void copy_out(const Tensor& tensor, std::span<T> values) {
  const Node& node = usable("copy_to", tensor);
  if (reads_as_float<T>(node)) return copy_out(tensor.detach().to(DType::f32), values);
  require_type("copy_to", node, dtype_of<T>);
  require_count("copy_to", node, values.size());
  download("copy_to", node, std::as_writable_bytes(values));
}

template <class T>
void copy_in(const Tensor& tensor, std::span<const T> values) {
  const Node& node = usable("copy_from", tensor);
  if constexpr (std::is_same_v<T, float>)
    if (node.dtype == DType::f16) {
      require_count("copy_from", node, values.size());
      require_writable("copy_from", node);
      return copy_(tensor, make_from_host(values, node.shape, Device(*node.slot), "copy_from").to(DType::f16));
    }
  require_type("copy_from", node, dtype_of<T>);
  require_count("copy_from", node, values.size());
  require_writable("copy_from", node);
  upload("copy_from", node, std::as_bytes(values));
  node.storage->version.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

void upload_bytes(const char* operation, const Tensor& to, std::span<const std::byte> bytes) {
  const Node& node = usable(operation, to);
  if (bytes.size() > node.bytes())
    throw ShapeError(operation, cat(bytes.size(), " bytes for a tensor of shape ", node.shape, ", which has ", node.bytes()));
  upload(operation, node, bytes);
  node.storage->version.fetch_add(1, std::memory_order_relaxed);
}

void download_bytes(const char* operation, const Tensor& from, std::span<std::byte> bytes) {
  const Node& node = usable(operation, from);
  if (bytes.size() != node.bytes())
    throw ShapeError(operation, cat(bytes.size(), " bytes from a tensor of shape ", node.shape, ", which has ", node.bytes()));
  download(operation, node, bytes);
}

template <class T>
std::vector<T> Tensor::to_host() const {
  const Node& node = usable("to_host", *this);
  if (reads_as_float<T>(node)) return detach().to(DType::f32).to_host<T>();
  require_type("to_host", node, dtype_of<T>);
  host_memory_point("to_host");
  std::vector<T> values(static_cast<std::size_t>(node.numel));
  download("to_host", node, std::as_writable_bytes(std::span(values)));
  return values;
}

template <class T>
T Tensor::item() const {
  const Node& node = usable("item", *this);
  if (reads_as_float<T>(node)) return detach().to(DType::f32).item<T>();
  require_type("item", node, dtype_of<T>);
  if (node.numel != 1)
    throw ShapeError("item",
                     cat("the tensor has shape ", node.shape, "; wanted one element: reduce it first (sum, mean), or use to_host()"));
  T value{};
  download("item", node, std::as_writable_bytes(std::span(&value, 1)));
  return value;
}

template TIDEPOOL_API std::vector<float> Tensor::to_host() const;
template TIDEPOOL_API std::vector<std::int32_t> Tensor::to_host() const;
template TIDEPOOL_API std::vector<std::uint8_t> Tensor::to_host() const;
template TIDEPOOL_API float Tensor::item() const;
template TIDEPOOL_API std::int32_t Tensor::item() const;
template TIDEPOOL_API std::uint8_t Tensor::item() const;

void Tensor::copy_to(std::span<float> values) const { copy_out(*this, values); }
void Tensor::copy_to(std::span<std::int32_t> values) const { copy_out(*this, values); }
void Tensor::copy_to(std::span<std::uint8_t> values) const { copy_out(*this, values); }
void Tensor::copy_from(std::span<const float> values) const { copy_in(*this, values); }
void Tensor::copy_from(std::span<const std::int32_t> values) const { copy_in(*this, values); }
void Tensor::copy_from(std::span<const std::uint8_t> values) const { copy_in(*this, values); }

Tensor tensor(std::initializer_list<float> values, const Shape& shape, const Device& device) {
  return make_from_host(std::span(values.begin(), values.size()), shape, device, "tensor");
}
Tensor from_host(std::span<const float> values, const Shape& shape, const Device& device) { return make_from_host(values, shape, device); }
Tensor from_host(std::span<const std::int32_t> values, const Shape& shape, const Device& device) {
  return make_from_host(values, shape, device);
}
Tensor from_host(std::span<const std::uint8_t> values, const Shape& shape, const Device& device) {
  return make_from_host(values, shape, device);
}

Tensor arange(std::int64_t count, const Device& device) {
  if (count < 0) throw ArgumentError("arange", cat("count is ", count, "; wanted 0 or more"));
  Capture::refuse("arange");
  Tensor counted = allocate_tensor("arange", {count}, DType::f32, device.slot());  // before the host's: it knows the limits
  std::vector<float> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);  // adding 1 would stop at 2^24
  upload("arange", *counted.node(), std::as_bytes(std::span(values)));
  return counted;
}

namespace {

struct MoveAttrs {
  DeviceSlot* from;
};
constexpr OpDef move{
    // by way of the host: nothing is launched
    .name = "to",
    .gradient = [](const Grad& g) -> Tensors { return {g.dout.to(Device(*g.attrs<MoveAttrs>().from))}; },
    .saves = Saves::nothing,
};

}  // namespace

Tensor Tensor::to(const Device& device) const {
  Node* const own = &usable("to", *this);
  const Node& node = *own;
  if (&device.slot() == node.slot) return *this;
  std::vector<std::byte> bytes(node.bytes());
  download("to", node, bytes);
  Tensor moved = allocate_tensor("to", node.shape, node.dtype, device.slot());
  upload("to", *moved.node(), bytes);
  const Tensor* const in = this;
  if (wants_gradient({&own, 1})) remember(move, {&in, 1}, Attrs(MoveAttrs{node.slot}), *moved.node());
  return moved;
}

}  // namespace tidepool::inline v0
