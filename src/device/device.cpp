#include <tidepool/device.h>
#include <tidepool/error.h>
#include <tidepool/run.h>

#include "backend/cpu/cpu_backend.h"
#include "backend/null/null_backend.h"
#ifdef TIDEPOOL_VULKAN
#include "backend/vulkan/vulkan_backend.h"
#endif
#include "backend/faults.h"
#include "device/capture.h"
#include "device/list.h"
#include "device/loads.h"
#include "device/settings.h"
#include "device/slot.h"
#include "platform/cat.h"
#include "platform/environment.h"
#include "platform/log.h"
#include "platform/one_line.h"

#include <charconv>
#include <exception>
#include <map>
#include <ostream>

namespace tidepool::inline v0 {

namespace {

struct Registry {
  Registry() { faults_from_outside(); }
  std::mutex mutex;
  std::map<std::string, std::unique_ptr<DeviceSlot>, std::less<>> slots;
  std::atomic<DeviceSlot*> chosen{nullptr};
  std::mutex listeners_mutex;
  std::vector<std::function<void(const DeviceEvent&)>> listeners;
};

Registry& registry() {
  static auto& only = *new Registry;  // never destroyed: tensors may be destroyed after main
  return only;
}

DeviceSlot::Open opener(std::string_view id) {
  if (id == "cpu") return [] { return open_cpu(); };
  if (id == "null") return [] { return std::make_unique<NullBackend>(); };
#ifdef TIDEPOOL_VULKAN
  if (id.starts_with("vulkan:")) {
    std::size_t index = 0;
    const std::string_view number = id.substr(7);
    const auto error = std::from_chars(number.data(), number.data() + number.size(), index).ec;
    const bool read = error == std::errc{} && number == std::to_string(index);  // one name for each: a slot has a pool of its own
    if (read && index < list_vulkan_devices().size()) return [index] { return open_vulkan(index); };
  }
#endif
  std::string known;
  for (const DeviceInfo& info : devices()) known += cat(known.empty() ? "" : ", ", info.id);
  throw DeviceError(
      "device", cat("there is no device called ", shown(id), "; there are: ", known, id == "gpu" ? "; select() finds the best GPU" : ""));
}

DeviceInfo describe(const ListedDevice& listed) {
  const BackendInfo& info = listed.info;
  const Load load = load_of(listed);
  return {.id = listed.id,
          .name = info.name,
          .kind = info.kind,
          .driver = info.driver,
          .memory_total = info.memory_total,
          .memory_free = info.memory_free,
          .load = load.value,
          .load_source = load.source};
}

DeviceSlot& first_default() {
  const auto wanted = environment("TIDEPOOL_DEVICE");
  if (wanted && *wanted == "gpu") return select({.prefer_gpu = true, .allow_software = true}).slot();
  if (wanted) try {
      return slot_for(*wanted);
    } catch (const DeviceError&) {
      warn_environment("TIDEPOOL_DEVICE", *wanted, "cpu, gpu, or an id that `tidepool devices` lists");
    }
  return slot_for("cpu");
}

}  // namespace

DeviceSlot& slot_for(std::string_view id) {
  Registry& all = registry();
  {
    const std::scoped_lock lock(all.mutex);
    if (const auto found = all.slots.find(id); found != all.slots.end()) return *found->second;
  }
  DeviceSlot::Open open = opener(id);  // which may look for devices, or throw
  const std::scoped_lock lock(all.mutex);
  if (const auto found = all.slots.find(id); found != all.slots.end()) return *found->second;  // another thread's; a slot is for good
  auto slot = std::make_unique<DeviceSlot>(std::string(id), std::move(open));
  return *all.slots.emplace(id, std::move(slot)).first->second;
}

std::vector<DeviceSlot*> all_slots() {
  Registry& all = registry();
  const std::scoped_lock lock(all.mutex);
  std::vector<DeviceSlot*> slots;
  for (const auto& [id, slot] : all.slots) slots.push_back(slot.get());
  return slots;
}

void for_each_slot(const std::function<void(DeviceSlot&)>& function) {
  std::exception_ptr first;
  for (DeviceSlot* slot : all_slots()) try {
      function(*slot);
    } catch (...) {
      if (!first) first = std::current_exception();
    }
  if (first) std::rethrow_exception(first);
}

void emit(const DeviceEvent& event) noexcept {
  log_info(event.message);
  Registry& all = registry();
  std::vector<std::function<void(const DeviceEvent&)>> listeners;
  {
    const std::scoped_lock lock(all.listeners_mutex);
    listeners = all.listeners;
  }
  for (const auto& listener : listeners) try {
      listener(event);
    } catch (const std::exception& error) {
      warn(cat("a device event listener threw: ", error.what()));
    } catch (...) {
      warn("a device event listener threw something that is no std::exception");
    }
}

const std::string& Device::id() const { return slot().id(); }

DeviceSlot& Device::slot() const {
  if (slot_) return *slot_;
  Registry& all = registry();
  if (DeviceSlot* chosen = all.chosen.load(std::memory_order_acquire)) return *chosen;
  DeviceSlot* first = &first_default();
  DeviceSlot* none = nullptr;
  all.chosen.compare_exchange_strong(none, first, std::memory_order_acq_rel);
  return *all.chosen.load(std::memory_order_acquire);
}

std::ostream& operator<<(std::ostream& out, const Device& device) { return out << device.id(); }

std::vector<DeviceInfo> devices() {
  std::vector<DeviceInfo> all;
  for (const ListedDevice& listed : list_devices()) all.push_back(describe(listed));
  return all;
}

Device device(std::string_view id) { return Device(slot_for(id)); }

Device default_device() { return Device(Device().slot()); }

namespace {

// What was begun on a device is done before work goes on elsewhere. One that is lost meanwhile has said so.
void finish_work_on(DeviceSlot& slot) {
  const std::shared_ptr<Stream> stream = slot.stream_if_open();
  if (!stream) return;
  const StreamLock lock(*stream);
  if (stream->alive()) try {
      stream->finish_all();
    } catch (const DeviceLost&) {
    }
}

}  // namespace

void set_default_device(const Device& device) {
  DeviceSlot* before = registry().chosen.load(std::memory_order_acquire);
  if (before == &device.slot()) return;
  if (before) finish_work_on(*before);
  registry().chosen.store(&device.slot(), std::memory_order_release);
}

void reset(const Device& device) {
  Capture::refuse("reset");
  device.slot().reset();
}

void on_device_event(std::function<void(const DeviceEvent&)> function) {
  if (!function) throw ArgumentError("on_device_event", "got an empty function; wanted one to call");
  const std::scoped_lock lock(registry().listeners_mutex);
  registry().listeners.push_back(std::move(function));
}

Ticket commit() {
  Capture::refuse("commit");
  DeviceSlot& slot = Device().slot();
  Ticket ticket;
  ticket.slot_ = &slot;
  with_stream(slot, [&](Stream& stream) {
    ticket.epoch_ = slot.epoch();
    ticket.serial_ = stream.commit();
  });
  return ticket;
}

bool Ticket::ready() const {
  if (!slot_) return true;
  const auto stream = slot_->stream_if_open();
  if (!stream || slot_->epoch() != epoch_) return true;  // that device is over; there is nothing left to wait for
  const StreamLock lock(*stream);
  return stream->closed() || stream->ready(serial_);
}

void Ticket::wait() const {
  if (!slot_) return;
  const auto stream = slot_->stream_if_open();
  if (!stream || slot_->epoch() != epoch_) return;
  const StreamLock lock(*stream);
  if (!stream->closed()) stream->wait(serial_);
}

// A loss was told when it came: one that the program has left for another device holds nobody up any more.
void sync() {
  Capture::refuse("sync");
  const DeviceSlot* now = &Device().slot();
  for_each_slot([now](DeviceSlot& slot) {
    const auto stream = slot.stream_if_open();
    if (!stream) return;
    const StreamLock lock(*stream);
    if (!stream->closed() && (&slot == now || !stream->lost())) stream->sync();
  });
}

}  // namespace tidepool::inline v0
