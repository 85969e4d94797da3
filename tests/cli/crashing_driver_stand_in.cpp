// A Vulkan driver that crashes as soon as it is loaded.
#include <cstdlib>

namespace {

struct Crash {
  Crash() { std::abort(); }
} crash;

}  // namespace
