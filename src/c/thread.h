// What belongs to a thread that calls from C: the message of its last error, its capture, its scopes.
#pragma once

#include <tidepool/c.h>
#include <tidepool/grad.h>

#include "device/capture.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tidepool::inline v0::c {

struct OpenCapture {
  Capture capture;
  tp_status failed = TP_OK;  // of the first call that failed in it
  std::string why;
};

struct TidyHandles {
  std::vector<tp_tensor*> made;
  std::size_t sweep_at = 64;  // freed ones are left out when it grows to this
  void add(tp_tensor* handle);
};

struct CallerThread {
  std::string message;
  std::optional<OpenCapture> capture;
  std::vector<TidyHandles> scopes;
  std::vector<std::unique_ptr<NoGrad>> no_grad;
};

// Null while the thread's own objects are being destroyed: frees may still come then, after main for example.
CallerThread* this_thread();
// The same, for functions that cannot do without.
CallerThread& this_thread(const char* function);

}  // namespace tidepool::inline v0::c
