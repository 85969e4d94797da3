// The waist: every piece of work that a device does is a Launch.
//
// A KernelDef is described once, as a constant: its name, how it touches its bindings, its CPU function and its shader.
// A Launch is one use of it: the memory, up to 128 bytes of packed parameters, and an extent of work items.
#pragma once

#include "backend/traits.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>
#include <string_view>
#include <type_traits>

namespace tidepool::inline v0 {

enum class Access : std::uint8_t { read, write, read_write };
constexpr bool reads(Access a) { return a != Access::write; }
constexpr bool writes(Access a) { return a != Access::read; }
namespace access {  // short, for tables of kernels
inline constexpr Access r = Access::read, w = Access::write, rw = Access::read_write;
}

// One piece of device memory as a backend's `allocate` gave it. Backends derive from it.
struct Memory {
  std::size_t bytes = 0;
  std::byte* host = nullptr;  // where the host can reach it, or null
};

struct Binding {  // no initialisers: a Launch has room for eight and most use three
  Memory* memory;
  std::size_t offset;  // bytes; a multiple of the device's offset alignment
  std::size_t bytes;   // from the offset to the end of what the kernel may touch
  Access access;
  std::uint8_t element;  // bytes of one element, the unit of Shifts
};

// Work items along up to three axes.
struct Extent {
  std::uint32_t x = 1, y = 1, z = 1;
  friend bool operator==(const Extent&, const Extent&) = default;
};

constexpr std::size_t max_bindings = 8;
constexpr std::size_t max_param_bytes = 128;

// Parameter structs are copied byte for byte into GLSL's push constants, so they hold 4-byte members only. Every one
// begins with the Shifts, which the launch fills in: what is left of each binding's offset after alignment, in elements.
struct Shifts {
  std::array<std::uint8_t, max_bindings> of{};
};
template <class P>
concept Params = std::is_trivially_copyable_v<P> && std::is_standard_layout_v<P> && sizeof(P) <= max_param_bytes && sizeof(P) % 4 == 0 &&
                 std::is_same_v<decltype(P::shifts), Shifts>;

// What a kernel's CPU function gets. Its buffers point at the first element of each binding, so it ignores the shifts.
class CpuTeam;
class OneDnn;
struct CpuCall {
  std::array<std::byte*, max_bindings> buffers;
  const std::byte* param_bytes;
  Extent extent;
  CpuTeam* team;                                // for loops that are worth more than one thread
  OneDnn* onednn;                               // null: our own kernels only
  int instructions;                             // which compiled variant to run; see backend/cpu/instructions.h
  const void* program;                          // the kernel's; where there is one, what follows is known too
  std::array<std::size_t, max_bindings> bytes;  // of each buffer
  std::size_t param_size;                       // of the parameters, in whole words

  template <class P>
  const P& params() const {
    return *reinterpret_cast<const P*>(param_bytes);
  }
  template <class T>
  T* buffer(std::size_t i) const {
    return reinterpret_cast<T*>(buffers[i]);
  }
};

// What a shader wants beyond what every device has.
struct ShaderNeeds {
  std::uint8_t subgroup = 0;       // operations across a subgroup's lanes, as Vulkan's bits
  std::uint32_t shared_bytes = 0;  // memory that a workgroup shares
};

struct KernelDef {
  const char* name;
  std::array<Access, max_bindings> access{};
  std::uint8_t bindings = 0;
  void (*cpu)(const CpuCall&) = nullptr;
  const char* shader = nullptr;              // its name among the embedded shaders; null: the kernel's own name
  Extent group = {64, 1, 1};                 // work items per workgroup, as the shader declares or is specialised to
  std::uint32_t covers = 0;                  // of the extent along x, by a workgroup; 0: as much as it has work items
  std::array<std::uint32_t, 8> constants{};  // specialization constants 0…7
  std::uint8_t constant_count = 0;
  mutable std::uint32_t id = 0;            // given at first use, from 1 on: see kernel_id
  std::span<const std::uint32_t> spirv{};  // instead of a shader by name
  const BlockedImages* images = nullptr;
  const FlatKernel* flat = nullptr;
  const StretchKernel* stretches = nullptr;
  const ElementText* element = nullptr;          // of a flat one
  Stages (*stages)(int instructions) = nullptr;  // on the CPU; its last binding is written, the others are read
  const void* program = nullptr;                 // what the CPU function runs, for kernels that are made at run time
  ShaderNeeds needs{};                           // of such kernels
  bool shifts = true;                            // its parameters begin with Shifts; if not, its bindings begin where the device can bind
  bool folds = true;                             // it numbers its workgroups through x and y, so that a long line of them can be folded
};

// A small number for tables; the same for the life of the process, or of a kernel that is made at run time.
inline constinit std::atomic<std::uint32_t> last_kernel_id{0};
inline std::uint32_t kernel_id(const KernelDef& kernel) {
  const std::atomic_ref<std::uint32_t> id(kernel.id);
  if (const std::uint32_t known = id.load(std::memory_order_relaxed)) [[likely]]
    return known;
  std::uint32_t mine = 0;
  const std::uint32_t fresh = last_kernel_id.fetch_add(1) + 1;
  return id.compare_exchange_strong(mine, fresh) ? fresh : mine;
}

// "2 read, 1 written" as access values, for KernelDef initialisers.
constexpr std::array<Access, max_bindings> accesses(std::initializer_list<Access> list) {
  std::array<Access, max_bindings> all{};
  std::size_t i = 0;
  for (const Access a : list) all[i++] = a;
  return all;
}

struct Launch {
  const KernelDef* kernel = nullptr;
  const char* operation;     // that it belongs to, for those who watch
  std::uint32_t stands_for;  // when it is on its own: how many launches its time stands for; 0: it is not timed
  std::array<Binding, max_bindings> bindings;
  std::uint8_t binding_count = 0;
  std::uint8_t param_bytes = 0;
  bool barrier = false;  // what came before must be finished and visible first
  // In recordings of backends that join launches: so many after it are done piece by piece together with it, in pieces of so many
  // elements. A binding without memory lives within a piece; its offset is one in the piece's room.
  std::uint16_t joined = 0;
  std::uint32_t piece = 0;
  Extent extent;
  alignas(16) std::array<std::byte, max_param_bytes> params;

  std::span<const Binding> bound() const { return {bindings.data(), binding_count}; }
};

}  // namespace tidepool::inline v0
