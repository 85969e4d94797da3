// An operation is one constant value. `apply` runs any of them: it checks the inputs, asks the rule for the output's
// shape and type, takes a block, lets the operation launch its kernels, and remembers the gradient.
//
//     const OpDef relu{.name = "relu", .rule = same_shape, .run = …, .gradient = relu_grad};
//     Tensor relu(const Tensor& a) { return apply(ops::relu, {&a}); }
#pragma once

#include <tidepool/tensor.h>

#include "backend/launch.h"
#include "core/node.h"
#include "device/stream.h"

#include <array>
#include <cstring>
#include <initializer_list>
#include <span>
#include <type_traits>
#include <vector>

namespace tidepool::inline v0 {

using Tensors = std::vector<Tensor>;
struct OpDef;

// An operation's own options (an axis, a slope), kept for its gradient.
class Attrs {
 public:
  Attrs() = default;
  template <class T>
  explicit Attrs(const T& value) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(bytes_) && alignof(T) <= 8);
    std::memcpy(bytes_, &value, sizeof(T));
  }
  template <class T>
  T as() const {
    T value;
    std::memcpy(&value, bytes_, sizeof(T));
    return value;
  }

 private:
  alignas(8) std::byte bytes_[88];
};
inline constexpr Attrs no_attrs{};  // one for all: setting 88 bytes at each call would show

// One use of an operation.
struct OpCall {
  const OpDef& op;
  std::span<Node* const> in;
  const Attrs& attrs;
};

// What a gradient function gets.
class Grad {
 public:
  Grad(const TapeEntry& entry, Tensor dout) : dout(std::move(dout)), entry_(entry) {}
  const Tensor dout;               // of the loss, for the operation's output
  Tensor in(std::size_t i) const;  // the value that the operation had; only where `saves` says so
  Tensor out() const;
  const Shape& shape(std::size_t i) const;
  std::size_t inputs() const;
  bool needs(std::size_t i) const;  // whether anybody wants the gradient of this input
  const OpDef& op() const;
  template <class T>
  T attrs() const {
    return all_attrs().as<T>();
  }

 private:
  const Attrs& all_attrs() const;
  const TapeEntry& entry_;
};

// Which values the gradient reads. The fewer, the earlier memory is free.
enum class Saves : std::uint8_t { nothing = 0, inputs = 1, output = 2, both = 3 };
constexpr bool saves_inputs(Saves s) { return (static_cast<int>(s) & 1) != 0; }
constexpr bool saves_output(Saves s) { return (static_cast<int>(s) & 2) != 0; }

struct OpDef {
  const char* name;
  void (*rule)(const OpCall& call, Node& out) = nullptr;                 // checks; says the output's shape and type
  void (*run)(const OpCall& call, Stream& stream, Node& out) = nullptr;  // launches; null for views
  Tensors (*gradient)(const Grad& grad) = nullptr;                       // one for each input; null: not differentiable
  Saves saves = Saves::inputs;
  const KernelDef* kernel = nullptr;                   // for `run` functions that many operations share
  const KernelDef* kernel_i32 = nullptr;               // the same of i32, where it makes sense
  DType result_i32 = DType::i32;                       // and what it gives
  std::array<const KernelDef*, 2> gradient_kernels{};  // likewise for gradients
};

// The operations of a family, for tests and tools that go through all of them.
using Operations = std::vector<const OpDef*>;

Tensor apply(const OpDef& op, std::span<const Tensor* const> in, const Attrs& attrs);
inline Tensor apply(const OpDef& op, std::initializer_list<const Tensor*> in) {
  return apply(op, std::span(in.begin(), in.size()), no_attrs);
}
template <class T>
Tensor apply(const OpDef& op, std::initializer_list<const Tensor*> in, const T& attrs) {
  return apply(op, std::span(in.begin(), in.size()), Attrs(attrs));
}
// A view of the first input: the same storage, `offset` bytes further on.
Tensor apply_view(const OpDef& op, const Tensor& a, const Shape& shape, std::size_t offset, const Attrs& attrs);
// Runs `launch(stream, nodes)` on tensors that are read and written in place. The first `written` of them change, so
// pending backward passes that need their old values will throw.
using InPlaceCheck = void (*)(std::span<Node* const>);                       // may be null
using InPlaceRun = void (*)(std::span<Node* const>, Stream&, const Attrs&);  // unless all that is written is empty
void apply_in_place(const char* operation, std::span<const Tensor* const> tensors, std::size_t written, InPlaceCheck check, InPlaceRun run,
                    const Attrs& attrs);
inline void apply_in_place(const char* operation, std::initializer_list<const Tensor*> tensors, std::size_t written, InPlaceCheck check,
                           InPlaceRun run, const Attrs& attrs) {
  apply_in_place(operation, std::span(tensors.begin(), tensors.size()), written, check, run, attrs);
}

// Operands for launches, with their access. An empty view may begin where its block ends, and no device binds that.
inline Operand operand(const Node& node, Access access) {
  return {node.storage.block(), node.bytes() ? node.offset : 0, node.bytes(), access, static_cast<std::uint8_t>(size_of(node.dtype))};
}
inline Operand read(const Node& node) { return operand(node, Access::read); }
inline Operand write(const Node& node) { return operand(node, Access::write); }
inline Operand update(const Node& node) { return operand(node, Access::read_write); }
inline Operand scratch(const Storage& storage, std::size_t bytes, Access access) { return {storage.block(), 0, bytes, access, 4}; }

// Kernels count elements with 32 bits, and the last workgroups may reach a little beyond the last element.
inline constexpr std::int64_t most_elements = 0xff000000;
inline std::uint32_t to_count(std::int64_t value) { return static_cast<std::uint32_t>(value); }
inline Extent per_element(std::int64_t count) { return {to_count(count), 1, 1}; }
inline Extent per_element(const Node& node) { return per_element(node.numel); }

// Checks shared by rules.
[[noreturn]] void wrong_dtype(const OpCall& call, DType wanted);
inline void require_dtype(const OpCall& call, DType wanted) {
  for (const Node* node : call.in)
    if (node->dtype != wanted) [[unlikely]]
      wrong_dtype(call, wanted);
}
std::int64_t normal_axis(const char* operation, std::int64_t axis, std::int64_t rank);

}  // namespace tidepool::inline v0
