// GLSL that a program brings as a kernel.
#include <tidepool/kernel.h>

#include "fuzz/target.h"

namespace tidepool::fuzz {
namespace {

void take(std::string_view bytes) {
  taken([&] { Kernel({.name = "kernel", .glsl = std::string(bytes), .bindings = 3, .writes = {2}}); });
}

const Target target("glsl", take, 200);

}  // namespace
}  // namespace tidepool::fuzz
