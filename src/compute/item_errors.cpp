#include "compute/item_errors.h"

#include <tidepool/error.h>

#include "platform/cat.h"

#include <algorithm>
#include <new>

namespace tidepool::inline v0 {

namespace {

std::string text_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& known) {
    return known.what();
  } catch (...) {
    return "something that is no std::exception";
  }
}

// The first of the types that the error is of; the more special come first.
template <class First, class... Rest>
[[noreturn]] void throw_alike(const std::exception_ptr& error, const char* operation, const std::string& text) {
  try {
    std::rethrow_exception(error);
  } catch (const First&) {
    throw First(operation, text);
  } catch (...) {
    if constexpr (sizeof...(Rest) > 0)
      throw_alike<Rest...>(error, operation, text);
    else
      throw Error(operation, text);
  }
}

}  // namespace

const FailedItem& ItemErrors::add(std::int64_t index, const std::exception_ptr& error) {
  FailedItem item{.index = index, .message = text_of(error), .error = error};
  return *all_.insert(std::ranges::upper_bound(all_, index, {}, &FailedItem::index), std::move(item));
}

bool ItemErrors::has(std::int64_t index) const { return std::ranges::binary_search(all_, index, {}, &FailedItem::index); }

void ItemErrors::forget_from(std::int64_t index) { all_.erase(std::ranges::lower_bound(all_, index, {}, &FailedItem::index), all_.end()); }

void throw_for_item(const char* operation, const FailedItem& item) {
  throw_alike<ShapeError, DTypeError, DeviceLost, DeviceError, OutOfMemory, ReleasedError, IoError, ArgumentError>(
      item.error, operation, cat("item ", item.index, ": ", item.message));
}

}  // namespace tidepool::inline v0
