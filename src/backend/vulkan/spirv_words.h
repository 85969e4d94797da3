// The numbers of SPIR-V that we read, by the names of its specification.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tidepool::inline v0::spirv {

constexpr std::size_t header_words = 5;
constexpr std::uint32_t magic = 0x07230203, magic_swapped = 0x03022307;

enum Op : std::uint32_t {
  op_memory_model = 14,
  op_entry_point = 15,
  op_execution_mode = 16,
  op_capability = 17,
  op_type_void = 19,
  op_type_bool = 20,
  op_type_int = 21,
  op_type_float = 22,
  op_type_vector = 23,
  op_type_matrix = 24,
  op_type_array = 28,
  op_type_struct = 30,
  op_type_pointer = 32,
  op_constant = 43,
  op_constant_composite = 44,
  op_spec_constant = 50,
  op_spec_constant_composite = 51,
  op_function_call = 57,
  op_variable = 59,
  op_store = 62,
  op_copy_memory = 63,
  op_copy_memory_sized = 64,
  op_access_chain = 65,
  op_in_bounds_access_chain = 66,
  op_ptr_access_chain = 67,
  op_in_bounds_ptr_access_chain = 70,
  op_decorate = 71,
  op_member_decorate = 72,
  op_group_decorate = 74,
  op_group_member_decorate = 75,
  op_copy_object = 83,
  op_atomic_store = 228,  // the others, from here
  op_atomic_xor = 242,    // to here, give back what was there before
  op_atomic_flag_test_and_set = 318,
  op_atomic_flag_clear = 319,
  op_execution_mode_id = 331,
  op_atomic_min_float = 5614,
  op_atomic_max_float = 5615,
  op_atomic_add_float = 6035,
};

enum Storage : std::uint32_t {
  storage_uniform_constant = 0,
  storage_uniform = 2,
  storage_workgroup = 4,
  storage_push_constant = 9,
  storage_buffer = 12,
};

enum Decoration : std::uint32_t {
  decoration_buffer_block = 3,
  decoration_row_major = 4,
  decoration_array_stride = 6,
  decoration_matrix_stride = 7,
  decoration_built_in = 11,
  decoration_binding = 33,
  decoration_set = 34,
  decoration_offset = 35,
};

constexpr std::uint32_t model_compute = 5, mode_local_size = 17, mode_local_size_id = 38, built_in_workgroup_size = 25;

enum Capability : std::uint32_t {
  capability_matrix = 0,
  capability_shader = 1,
  capability_group = 61,
  capability_group_vote = 62,  // then arithmetic, ballot, shuffle, relative shuffle, clustered
  capability_group_quad = 68,
};

struct NamedCapability {
  std::uint32_t number;
  const char* name;
};
constexpr NamedCapability optional_capabilities[] = {
    {9, "numbers of type float16_t"},    {10, "numbers of type double"},      {11, "integers of 64 bits"},
    {12, "atomics of 64 bits"},          {22, "integers of 16 bits"},         {39, "integers of 8 bits"},
    {4433, "buffers of 16-bit numbers"}, {4434, "buffers of 16-bit numbers"}, {4441, "variable pointers"},
    {4442, "variable pointers"},         {4448, "buffers of bytes"},          {5345, "Vulkan's memory model"},
    {5347, "addresses of buffers"},      {6033, "atomic sums of floats"},
};

}  // namespace tidepool::inline v0::spirv
