#include "c/handles.h"

#include <tidepool/error.h>

#include "platform/cat.h"

namespace tidepool::inline v0::c {

namespace {

static_assert(sizeof(std::uintptr_t) == 8, "a handle is four bits of kind, 28 of place and 32 of use");

const char* name_of(HandleKind kind) {
  switch (kind) {
    case HandleKind::tensor:
      return "a tensor";
    case HandleKind::plan:
      return "a plan";
    case HandleKind::device:
      return "a device";
    case HandleKind::ticket:
      return "a ticket";
  }
  return nullptr;
}

}  // namespace

std::uintptr_t pack(const HandleBits& bits) {
  return std::uintptr_t{bits.use} << 32 | std::uintptr_t{bits.place} << 4 | static_cast<std::uintptr_t>(bits.kind);
}

HandleBits unpack(std::uintptr_t handle) {
  return {.kind = static_cast<HandleKind>(handle & 15),
          .place = static_cast<std::uint32_t>(handle) >> 4,
          .use = static_cast<std::uint32_t>(handle >> 32)};
}

void refuse_handle(const char* function, const char* name, std::uintptr_t handle, HandleKind wanted, std::uint32_t uses) {
  const HandleBits bits = unpack(handle);
  if (!handle) throw ArgumentError(function, cat(name, " is NULL; wanted ", name_of(wanted)));
  if (bits.kind == wanted && bits.use && bits.use <= uses)
    throw ReleasedError(function,
                        cat(name, " is ", name_of(wanted), " that was freed already; free a handle once, when nothing uses it any more"));
  const char* other = bits.kind != wanted ? name_of(bits.kind) : nullptr;
  throw ArgumentError(function, cat(name, " is ", other ? other : cat(reinterpret_cast<const void*>(handle), ", no handle of this library"),
                                    "; wanted ", name_of(wanted)));
}

template <class Handle, class T, HandleKind kind>
void Handles<Handle, T, kind>::throw_full() {
  throw Error("handles", cat("there are ", most, " handles of ", name_of(kind), " already; free those that are not needed"));
}

template <class Table>
Table& only() {
  static auto& table = *new Table;
  return table;
}

TensorHandles& tensors() { return only<TensorHandles>(); }
PlanHandles& plans() { return only<PlanHandles>(); }
DeviceHandles& device_handles() { return only<DeviceHandles>(); }
TicketHandles& tickets() { return only<TicketHandles>(); }

template class Handles<tp_tensor, Tensor, HandleKind::tensor>;
template class Handles<tp_plan, Plan, HandleKind::plan>;
template class Handles<tp_device, Device, HandleKind::device>;
template class Handles<tp_ticket, Ticket, HandleKind::ticket>;

}  // namespace tidepool::inline v0::c
