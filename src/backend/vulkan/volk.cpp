// volk's own code, compiled once. Its warnings are not ours to fix.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wcast-function-type"
#define VOLK_IMPLEMENTATION
#include "backend/vulkan/vulkan.h"
#pragma GCC diagnostic pop
