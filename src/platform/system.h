// What the operating system says of the machine.
#pragma once

#include <cstddef>
#include <string>

namespace tidepool::inline v0 {

struct SystemMemory {
  std::size_t total = 0, available = 0;
};
SystemMemory system_memory();
std::string processor_name();
int usable_cores();  // those that this process may use

}  // namespace tidepool::inline v0
