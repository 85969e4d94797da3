#include "backend/vulkan/spirv.h"

#include <tidepool/error.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "backend/vulkan/spirv_words.h"
#include "platform/cat.h"

namespace tidepool::inline v0 {

namespace {

using namespace spirv;

constexpr std::uint64_t too_large = std::numeric_limits<std::uint32_t>::max();
std::uint64_t times(std::uint64_t a, std::uint64_t b) { return a != 0 && b > too_large / a ? too_large : a * b; }

class ShaderReader {
 public:
  ShaderReader(std::string_view kernel, std::span<const std::uint32_t> words) : kernel_(kernel), words_(words) {}

  ShaderFacts read() {
    check_header();
    for (std::size_t at = header_words; at < words_.size();) {
      const std::uint32_t op = words_[at] & 0xffff, count = words_[at] >> 16;
      if (count == 0 || count > words_.size() - at) wrong(cat("ends within an instruction, at word ", at));
      operands_ = words_.subspan(at + 1, count - 1);
      at_ = at;
      instruction(op);
      at += count;
    }
    check_entry_point();
    choose_group();
    return facts_;
  }

 private:
  struct Type {
    std::uint32_t op = 0;
    std::uint32_t of = 0;        // what a pointer points at, and what an array is of
    std::uint64_t packed = 0;    // bytes, without gaps
    std::uint64_t laid_out = 0;  // bytes, where offsets and strides say so
    std::uint64_t columns = 1, rows = 1;
  };
  struct Layout {  // of a struct's member
    std::uint64_t offset = 0, matrix_stride = 0;
    bool row_major = false;
  };
  struct Decorations {
    std::optional<std::uint32_t> binding, set, stride;
    bool buffer_block = false, workgroup_size = false;
    std::map<std::uint32_t, Layout> members;
  };

  [[noreturn]] void wrong(const std::string& what) const { throw ArgumentError(kernel_, cat("the shader ", what)); }
  std::uint32_t operand(std::size_t i) const {
    if (i >= operands_.size()) wrong(cat("has an instruction that is too short, at word ", at_));
    return operands_[i];
  }

  void check_header() {
    constexpr std::size_t most_words = std::size_t{1} << 20;
    if (words_.size() < header_words) wrong(cat("has ", words_.size(), " words of SPIR-V; a header alone has ", header_words));
    if (words_.size() > most_words) wrong(cat("has ", words_.size(), " words of SPIR-V; wanted at most ", most_words));
    if (words_[0] == magic_swapped) wrong("is SPIR-V of the other byte order; turn its words around");
    if (words_[0] != magic) wrong(cat("is no SPIR-V: its first word is ", words_[0], ", wanted ", magic));
    if (words_[1] < 0x00010000 || words_[1] > 0x00010500)
      wrong(cat("is of SPIR-V ", words_[1] >> 16, ".", words_[1] >> 8 & 0xff, "; Vulkan 1.2 takes 1.0 to 1.5: compile it for that"));
  }

  void instruction(std::uint32_t op) {
    switch (op) {
      case op_capability:
        return capability(operand(0));
      case op_memory_model:
        if (operand(0) != 0) wrong("has pointers of its own kind; wanted logical addressing");
        return;
      case op_entry_point:
        return entry_point();
      case op_execution_mode:
      case op_execution_mode_id:
        if (operand(1) == mode_local_size_id) wrong("has a workgroup's size by ids, which is newer than Vulkan 1.2");
        if (operand(1) == mode_local_size) facts_.group = {operand(2), operand(3), operand(4)};
        return;
      case op_decorate:
        return decorate(decorations_[operand(0)], operand(1));
      case op_member_decorate:
        return decorate_member(decorations_[operand(0)].members[operand(1)], operand(2));
      case op_group_decorate:
      case op_group_member_decorate:
        return wrong("has groups of decorations, which are not read here; compile it without");
      case op_constant:
      case op_spec_constant:
        constants_[operand(1)] = operand(2);
        return;
      case op_constant_composite:
      case op_spec_constant_composite:
        if (decorations_[operand(1)].workgroup_size) workgroup_size_ = {operand(2), operand(3), operand(4)};
        return;
      case op_variable:
        return variable();
      default:
        if (op >= op_type_void && op <= op_type_pointer) return type(op);
        return follow(op);
    }
  }

  void capability(std::uint32_t wanted) {
    if (wanted == capability_matrix || wanted == capability_shader || wanted == capability_group) return;
    if (wanted >= capability_group_vote && wanted <= capability_group_quad) {  // which each device has or has not: Vulkan's bits from 2 on
      facts_.needs.subgroup |= static_cast<std::uint8_t>(2U << (wanted - capability_group_vote));
      return;
    }
    const auto known = std::ranges::find(optional_capabilities, wanted, &NamedCapability::number);
    wrong(cat("wants ", known != std::end(optional_capabilities) ? known->name : cat("SPIR-V's capability ", wanted),
              ", which not every device has and none has turned on here; do without"));
  }

  void entry_point() {
    ++entry_points_;
    if (operand(0) != model_compute) wrong(cat("is no compute shader: its entry point is of kind ", operand(0)));
    constexpr std::uint32_t main_text = 'm' | 'a' << 8 | 'i' << 16 | 'n' << 24;
    if (operand(2) != main_text || (operand(3) & 0xff) != 0) wrong("has an entry point that is not called main");
  }

  void decorate(Decorations& of, std::uint32_t decoration) {
    switch (decoration) {
      case decoration_binding:
        of.binding = operand(2);
        return;
      case decoration_set:
        of.set = operand(2);
        return;
      case decoration_array_stride:
        of.stride = operand(2);
        return;
      case decoration_buffer_block:
        of.buffer_block = true;
        return;
      case decoration_built_in:
        of.workgroup_size |= operand(2) == built_in_workgroup_size;
        return;
      default:
        return;
    }
  }

  void decorate_member(Layout& of, std::uint32_t decoration) {
    if (decoration == decoration_offset) of.offset = operand(3);
    if (decoration == decoration_matrix_stride) of.matrix_stride = operand(3);
    if (decoration == decoration_row_major) of.row_major = true;
  }

  // Of types that were described before: SPIR-V knows no others here.
  const Type& type_of(std::uint32_t id) const {
    const auto found = types_.find(id);
    if (found == types_.end()) wrong(cat("uses a type before it is described, at word ", at_));
    return found->second;
  }

  void type(std::uint32_t op) {
    Type made{.op = op};
    const std::uint32_t id = operand(0);
    switch (op) {
      case op_type_bool:
        made.packed = made.laid_out = 4;
        break;
      case op_type_int:
      case op_type_float:
        made.packed = made.laid_out = operand(1) / 8;
        break;
      case op_type_vector:
      case op_type_matrix: {
        const Type& part = type_of(operand(1));
        made.packed = made.laid_out = times(part.packed, operand(2));
        made.columns = op == op_type_matrix ? operand(2) : 1;
        made.rows = op == op_type_matrix ? part.rows : operand(2);
        break;
      }
      case op_type_array: {
        const auto length = constants_.find(operand(2));
        const std::uint64_t count = length == constants_.end() ? 0 : length->second;
        made.of = operand(1);
        made.packed = times(type_of(made.of).packed, count);
        made.laid_out = times(decorations_[id].stride.value_or(0), count);
        break;
      }
      case op_type_struct:
        describe_struct(made, decorations_[id]);
        break;
      case op_type_pointer:
        made.of = operand(2);
        if (const auto to = types_.find(made.of); to != types_.end() && to->second.op == op_type_pointer)
          wrong("has pointers to pointers, which buffers cannot hold");
        break;
      default:
        break;
    }
    types_[id] = made;
  }

  void describe_struct(Type& made, const Decorations& decorations) {
    for (std::uint32_t member = 0; member + 1 < operands_.size(); ++member) {
      const Type& part = type_of(operand(member + 1));
      made.packed = std::min(too_large, made.packed + part.packed);
      const auto layout = decorations.members.find(member);
      if (layout == decorations.members.end()) continue;
      const auto& [offset, stride, row_major] = layout->second;
      const std::uint64_t bytes = part.op == op_type_matrix && stride ? times(stride, row_major ? part.rows : part.columns) : part.laid_out;
      made.laid_out = std::max(made.laid_out, std::min(too_large, offset + bytes));
    }
  }

  void variable() {
    const std::uint32_t id = operand(1), storage = operand(2);
    const Type& pointer = type_of(operand(0));
    if (pointer.op != op_type_pointer) wrong(cat("has a variable that is no pointer, at word ", at_));
    if (storage == storage_uniform_constant) wrong("has an image or a sampler; only buffers can be bound");
    if (storage == storage_push_constant)
      facts_.param_bytes = static_cast<std::uint32_t>(std::max<std::uint64_t>(facts_.param_bytes, type_of(pointer.of).laid_out));
    else if (storage == storage_workgroup)
      facts_.needs.shared_bytes = static_cast<std::uint32_t>(std::min(too_large, facts_.needs.shared_bytes + type_of(pointer.of).packed));
    else if (storage == storage_buffer || storage == storage_uniform)
      buffer(id, storage, pointer.of);
  }

  void buffer(std::uint32_t id, std::uint32_t storage, std::uint32_t type) {
    const Decorations own = decorations_[id];
    if (storage == storage_uniform && !decorations_[type].buffer_block)
      wrong("has a uniform block; parameters come as push constants, everything else as buffers");
    if (type_of(type).op != op_type_struct) wrong("has an array of buffers; give each a binding of its own");
    if (own.set.value_or(0) != 0) wrong(cat("has a buffer in descriptor set ", *own.set, "; wanted set 0"));
    if (!own.binding) wrong("has a buffer without a binding");
    if (*own.binding >= max_bindings) wrong(cat("has a buffer at binding ", *own.binding, "; there are 0 to ", max_bindings - 1));
    facts_.bound |= 1U << *own.binding;
    root_[id] = *own.binding;
  }

  // Which pointers lead into which buffer, and where something is stored.
  void follow(std::uint32_t op) {
    const bool chain = op == op_access_chain || op == op_in_bounds_access_chain || op == op_ptr_access_chain ||
                       op == op_in_bounds_ptr_access_chain || op == op_copy_object;
    if (chain) {
      if (const auto base = root_.find(operand(2)); base != root_.end()) root_[operand(1)] = base->second;
    } else if (op == op_function_call) {
      for (std::size_t i = 3; i < operands_.size(); ++i) stored(operands_[i]);
    } else if (op == op_store || op == op_copy_memory || op == op_copy_memory_sized || op == op_atomic_store ||
               op == op_atomic_flag_clear) {
      stored(operand(0));
    } else if ((op > op_atomic_store && op <= op_atomic_xor) || op == op_atomic_flag_test_and_set || op == op_atomic_add_float ||
               op == op_atomic_min_float || op == op_atomic_max_float) {
      stored(operand(2));
    }
  }
  void stored(std::uint32_t pointer) {
    if (const auto base = root_.find(pointer); base != root_.end()) facts_.written |= 1U << base->second;
  }

  void check_entry_point() const {
    if (entry_points_ != 1) wrong(cat("has ", entry_points_, " entry points; wanted one"));
  }

  void choose_group() {
    if (!workgroup_size_.empty()) {  // by constants; it goes before the fixed one
      const auto value = [&](std::size_t i) {
        const auto found = constants_.find(workgroup_size_[i]);
        return found == constants_.end() ? 0 : found->second;
      };
      facts_.group = {value(0), value(1), value(2)};
    }
    const Extent& g = facts_.group;
    if (g.x == 0 || g.y == 0 || g.z == 0) wrong("has a workgroup without work items");
  }

  std::string_view kernel_;
  std::span<const std::uint32_t> words_, operands_;
  std::size_t at_ = 0;
  ShaderFacts facts_;
  int entry_points_ = 0;
  std::vector<std::uint32_t> workgroup_size_;
  std::unordered_map<std::uint32_t, Decorations> decorations_;
  std::unordered_map<std::uint32_t, Type> types_;
  std::unordered_map<std::uint32_t, std::uint32_t> constants_;
  std::unordered_map<std::uint32_t, std::uint32_t> root_;  // the binding that a pointer leads to
};

}  // namespace

ShaderFacts read_shader(std::string_view kernel, std::span<const std::uint32_t> words) { return ShaderReader(kernel, words).read(); }

}  // namespace tidepool::inline v0
