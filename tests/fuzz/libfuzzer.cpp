// What libFuzzer calls, in a program with one target.
#include <cstddef>
#include <cstdint>

#include "fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);  // NOLINT: libFuzzer's name

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {  // NOLINT
  (*tidepool::fuzz::Target::all().front())({reinterpret_cast<const char*>(data), size});
  return 0;
}
