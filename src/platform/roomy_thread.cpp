#include "platform/roomy_thread.h"

#include <pthread.h>

#include <exception>

namespace tidepool::inline v0 {

namespace {

struct Call {
  const std::function<void()>& function;
  std::exception_ptr thrown;
};

void* run(void* argument) {
  auto& call = *static_cast<Call*>(argument);
  try {
    call.function();
  } catch (...) {
    call.thrown = std::current_exception();
  }
  return nullptr;
}

}  // namespace

void with_room(std::size_t stack_bytes, const std::function<void()>& function) {
  Call call{function, nullptr};
  pthread_attr_t attributes;
  pthread_t thread{};
  bool started = pthread_attr_init(&attributes) == 0;
  if (started) {
    started = pthread_attr_setstacksize(&attributes, stack_bytes) == 0 && pthread_create(&thread, &attributes, run, &call) == 0;
    pthread_attr_destroy(&attributes);
  }
  if (!started) return function();
  pthread_join(thread, nullptr);
  if (call.thrown) std::rethrow_exception(call.thrown);
}

}  // namespace tidepool::inline v0
