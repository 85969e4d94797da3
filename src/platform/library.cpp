#include "platform/library.h"

#include <dlfcn.h>

#include <filesystem>
#include <system_error>

namespace tidepool::inline v0 {

Library::Library(const std::string& name) : handle_(dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) {}

void* Library::symbol(const char* name) const { return handle_ ? dlsym(handle_, name) : nullptr; }

std::string folder_of_this_library() {
  static const char here = 0;
  Dl_info info{};
  if (dladdr(&here, &info) == 0 || !info.dli_fname) return "";
  return std::filesystem::path(info.dli_fname).parent_path();
}

std::string folder_of_this_program() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
}

}  // namespace tidepool::inline v0
