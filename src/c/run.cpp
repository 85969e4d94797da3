// Running: tickets and plans; and what a thread begins and ends: captures, tidy scopes, stretches without gradients.
#include <tidepool/run.h>

#include <tidepool/c.h>
#include <tidepool/memory.h>

#include "c/call.h"
#include "c/thread.h"

#include <utility>

namespace tp = tidepool;
using tp::c::Call;
using tp::c::frees;
using tp::c::gives;
using tp::c::guarded;
using tp::c::this_thread;

tp_status tp_commit(tp_ticket** ticket) {
  if (!ticket) return guarded(__func__, [](const Call&) { tp::commit(); });
  return gives(
      __func__, "ticket", ticket, [](const Call&) { return tp::commit(); }, [](const tp::Ticket& t) { return tp::c::tickets().add(t); });
}
tp_status tp_ticket_ready(const tp_ticket* ticket, int* ready) {
  return guarded(__func__, [&](const Call& call) {
    call.pointer("ready", ready) = tp::c::tickets().find(call.function(), "ticket", ticket).ready() ? 1 : 0;
  });
}
tp_status tp_ticket_wait(const tp_ticket* ticket) {
  return guarded(__func__, [&](const Call& call) { tp::c::tickets().find(call.function(), "ticket", ticket).wait(); });
}
tp_status tp_ticket_free(tp_ticket* ticket) { return frees(__func__, ticket, tp::c::tickets()); }

tp_status tp_sync(void) {
  return guarded(__func__, [](const Call&) { tp::sync(); });
}
tp_status tp_cleanup(void) {
  return guarded(__func__, [](const Call&) { tp::cleanup(); });
}

tp_status tp_capture_begin(void) {
  return guarded(__func__, [](const Call& call) {
    auto& capture = this_thread(call.function()).capture;
    if (capture) throw tp::Error(call.function(), "this thread is capturing already; end that capture first");
    capture.emplace();
  });
}

tp_status tp_capture_end(tp_plan** plan) {
  // Whatever comes of it, it is over; a failure now is not one inside.
  tp::c::CallerThread* const thread = this_thread();
  const auto make = [&](const Call& call) {
    if (!thread || !thread->capture) throw tp::Error(call.function(), "this thread is not capturing; call tp_capture_begin first");
    tp::c::OpenCapture& open = *thread->capture;
    if (open.failed) throw tp::c::CodedError(open.failed, call.function(), "a call inside the capture failed: " + open.why);
    return tp::Plan(open.capture.finish());
  };
  const tp_status status = gives(__func__, "plan", plan, make, [](tp::Plan made) { return tp::c::plans().add(std::move(made)); });
  if (thread) thread->capture.reset();
  return status;
}

tp_status tp_capture_cancel(void) {
  return guarded(__func__, [](const Call& call) { this_thread(call.function()).capture.reset(); });
}

tp_status tp_plan_run(const tp_plan* plan) {
  return guarded(__func__, [&](const Call& call) { tp::c::plans().find(call.function(), "plan", plan).run(); });
}
tp_status tp_plan_launches(const tp_plan* plan, int64_t* launches) {
  return guarded(__func__, [&](const Call& call) {
    call.pointer("launches", launches) = tp::c::plans().find(call.function(), "plan", plan).launches();
  });
}
tp_status tp_plan_free(tp_plan* plan) { return frees(__func__, plan, tp::c::plans()); }

tp_status tp_tidy_begin(void) {
  return guarded(__func__, [](const Call& call) { this_thread(call.function()).scopes.emplace_back(); });
}
tp_status tp_tidy_end(void) {
  return guarded(__func__, [](const Call& call) {
    auto& scopes = this_thread(call.function()).scopes;
    if (scopes.empty()) throw tp::Error(call.function(), "there is no scope on this thread; call tp_tidy_begin first");
    const tp::c::TidyHandles scope = std::move(scopes.back());
    scopes.pop_back();
    for (tp_tensor* handle : scope.made) tp::c::tensors().drop(handle);
  });
}
tp_status tp_keep(const tp_tensor* tensor) {
  return guarded(__func__, [&](const Call& call) {
    call.tensor("tensor", tensor);
    for (tp::c::TidyHandles& scope : this_thread(call.function()).scopes) std::erase(scope.made, tensor);
  });
}

tp_status tp_no_grad_begin(void) {
  return guarded(__func__, [](const Call& call) { this_thread(call.function()).no_grad.push_back(std::make_unique<tp::NoGrad>()); });
}
tp_status tp_no_grad_end(void) {
  return guarded(__func__, [](const Call& call) {
    auto& open = this_thread(call.function()).no_grad;
    if (open.empty()) throw tp::Error(call.function(), "there is none on this thread; call tp_no_grad_begin first");
    open.pop_back();
  });
}
