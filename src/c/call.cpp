#include "c/call.h"

#include <tidepool/error.h>

#include "c/thread.h"
#include "platform/cat.h"

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <string>

namespace tidepool::inline v0::c {

namespace {

constinit thread_local bool thread_is_over = false;
constinit thread_local const char* last_error = "";

// A pointer only: a library that is opened at run time has little room for what belongs to threads.
struct ThreadKeeper {
  std::unique_ptr<CallerThread> thread = std::make_unique<CallerThread>();
  ~ThreadKeeper() {
    thread_is_over = true;
    last_error = "";
  }
};

// Whatever happens to the message, the code stands.
tp_status told(tp_status status, const char* message) noexcept {
  last_error = "no memory for the message";
  try {
    CallerThread* const thread = this_thread();
    if (!thread) {
      last_error = "the thread is ending; no message is kept";
      return status;
    }
    if (thread->capture && !thread->capture->failed) {
      thread->capture->failed = status;
      thread->capture->why = message;
    }
    thread->message = message;
    last_error = thread->message.c_str();
  } catch (...) {  // no memory
  }
  return status;
}

constexpr std::array names = {"TP_OK",           "TP_ERROR",          "TP_SHAPE_ERROR",   "TP_DTYPE_ERROR",
                              "TP_DEVICE_ERROR", "TP_DEVICE_LOST",    "TP_OUT_OF_MEMORY", "TP_RELEASED_ERROR",
                              "TP_IO_ERROR",     "TP_ARGUMENT_ERROR", "TP_VERSION_ERROR", "TP_INTERNAL_ERROR"};
static_assert(names.size() == TP_INTERNAL_ERROR + 1);

}  // namespace

CallerThread* this_thread() {
  if (thread_is_over) return nullptr;
  static thread_local ThreadKeeper keeper;
  return keeper.thread.get();
}

CallerThread& this_thread(const char* function) {
  CallerThread* const thread = this_thread();
  if (!thread) throw Error(function, "the thread is ending, and nothing can be begun on it any more");
  return *thread;
}

void TidyHandles::add(tp_tensor* handle) {
  if (made.size() >= sweep_at) {
    std::erase_if(made, [](const tp_tensor* entry) { return !tensors().has(entry); });
    sweep_at = std::max<std::size_t>(64, 2 * made.size());
  }
  made.push_back(handle);
}

tp_tensor* hand_out(Tensor tensor) {
  CallerThread* const thread = this_thread();
  tp_tensor* const handle = tensors().add(std::move(tensor));
  if (thread && !thread->scopes.empty()) try {
      thread->scopes.back().add(handle);
    } catch (...) {
      tensors().drop(handle);
      throw;
    }
  return handle;
}

tp_status failed() noexcept {
  try {
    throw;
  } catch (const ShapeError& error) {
    return told(TP_SHAPE_ERROR, error.what());
  } catch (const DTypeError& error) {
    return told(TP_DTYPE_ERROR, error.what());
  } catch (const DeviceLost& error) {
    return told(TP_DEVICE_LOST, error.what());
  } catch (const DeviceError& error) {
    return told(TP_DEVICE_ERROR, error.what());
  } catch (const OutOfMemory& error) {
    return told(TP_OUT_OF_MEMORY, error.what());
  } catch (const ReleasedError& error) {
    return told(TP_RELEASED_ERROR, error.what());
  } catch (const IoError& error) {
    return told(TP_IO_ERROR, error.what());
  } catch (const ArgumentError& error) {
    return told(TP_ARGUMENT_ERROR, error.what());
  } catch (const CodedError& error) {
    return told(error.status, error.what());
  } catch (const Error& error) {
    return told(TP_ERROR, error.what());
  } catch (const std::bad_alloc&) {
    return told(TP_OUT_OF_MEMORY, "the host has no memory left");
  } catch (const std::exception& error) {
    return told(TP_INTERNAL_ERROR, error.what());
  } catch (...) {
    return told(TP_INTERNAL_ERROR, "something was thrown that is no error of the library");
  }
}

int Call::one_of(const char* name, int value, int last, const char* wanted) const {
  if (value < 0 || value > last) throw ArgumentError(function_, cat(name, " is ", value, "; wanted ", wanted));
  return value;
}

DType Call::dtype(int value) const {
  static_assert(static_cast<int>(DType::f32) == TP_F32 && static_cast<int>(DType::f16) == TP_F16 &&
                static_cast<int>(DType::i32) == TP_I32 && static_cast<int>(DType::u8) == TP_U8);
  return static_cast<DType>(one_of("dtype", value, TP_U8, "TP_F32 (0), TP_F16 (1), TP_I32 (2) or TP_U8 (3)"));
}

Activation Call::activation(int value) const {
  static_assert(static_cast<int>(Activation::none) == TP_NONE && static_cast<int>(Activation::relu) == TP_RELU &&
                static_cast<int>(Activation::sigmoid) == TP_SIGMOID && static_cast<int>(Activation::tanh) == TP_TANH &&
                static_cast<int>(Activation::gelu) == TP_GELU);
  return static_cast<Activation>(
      one_of("activation", value, TP_GELU, "TP_NONE (0), TP_RELU (1), TP_SIGMOID (2), TP_TANH (3) or TP_GELU (4)"));
}

void Call::refuse_null(const char* name) const { throw ArgumentError(function_, cat(name, " is NULL; wanted an address")); }

void Call::require_count(const char* name, std::int64_t count) const {
  if (count < 0) throw ArgumentError(function_, cat(name, " is ", count, "; wanted 0 or more"));
}

}  // namespace tidepool::inline v0::c

const char* tp_last_error(void) { return tidepool::c::last_error; }

const char* tp_status_name(tp_status status) {
  using tidepool::c::names;
  return status >= 0 && static_cast<std::size_t>(status) < names.size() ? names[static_cast<std::size_t>(status)] : "unknown";
}
