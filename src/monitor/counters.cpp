#include "monitor/counters.h"

namespace tidepool::inline v0::monitor {

void DeviceCounters::on(const Event& event) noexcept {
  switch (event.kind) {
    case Event::plan_run:
      plan_runs.add(1);
      planned_launches.add(event.count);
      compute_nanoseconds.add(event.nanoseconds);
      return;
    case Event::launch:
      launches.add(1);
      kernels.of(event.name).launches.add(1);
      return;
    case Event::timed: {
      timed_launches.add(1);
      clocks.add(event.in_plan ? 1 : 2);
      KernelCounts& kernel = kernels.of(event.name);
      kernel.timed.add(1);
      kernel.stood_for.add(event.count);
      kernel.nanoseconds.add(event.nanoseconds * event.count);
      if (event.in_plan)
        kernel.in_plans.add(event.count);
      else
        compute_nanoseconds.add(event.nanoseconds * event.count);
      operations.of(event.operation).device_nanoseconds.add(event.nanoseconds * event.count);
      return;
    }
    case Event::called: {
      calls.add(1);
      OperationCounts& operation = operations.of(event.name);
      operation.calls.add(1);
      if (!event.start) return;
      clocks.add(2);
      operation.timed.add(1);
      operation.host_nanoseconds.add(event.nanoseconds * event.count);
      operation.stood_for.add(event.count);
      return;
    }
    case Event::flush:
      return flushes.add(1);
    case Event::allocate:
      return allocations.add(1);
    case Event::lend:  // counted where it was allocated
      return;
    case Event::reuse:
      return reuses.add(1);
    case Event::give_back:
      return given_back.add(1);
    case Event::evict:
      return evictions.add(1);
    case Event::upload:
    case Event::download:
      (event.kind == Event::upload ? uploads : downloads).add(1);
      transfer_bytes.add(event.bytes);
      if (event.start) clocks.add(2);
      transfer_nanoseconds.add(event.nanoseconds * event.count);
      return;
    case Event::wait:
      waits.add(1);
      if (event.start) clocks.add(2);
      wait_nanoseconds.add(event.nanoseconds * event.count);
      return;
  }
}

std::uint64_t DeviceCounters::events() const {
  return launches + flushes + plan_runs + allocations + reuses + evictions + given_back + waits + calls + timed_launches + uploads +
         downloads;
}

}  // namespace tidepool::inline v0::monitor
