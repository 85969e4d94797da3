// A library that is opened by name at run time, when it is first needed, and stays open.
//
//     Library library("libz.so.1");
//     library.find(functions.inflate, "inflate");
//     return library.has_all() ? &functions : nullptr;
#pragma once

#include <string>

namespace tidepool::inline v0 {

class Library {
 public:
  explicit Library(const std::string& name);

  bool there() const { return handle_ != nullptr; }
  template <class Function>
  void find(Function& function, const char* name) {
    function = reinterpret_cast<Function>(symbol(name));
    has_all_ &= function != nullptr;
  }
  bool has_all() const { return there() && has_all_; }  // that was looked for

 private:
  void* symbol(const char* name) const;

  void* handle_;
  bool has_all_ = true;
};

// The folders that a library of ours may lie in: that of this code, and that of the program.
std::string folder_of_this_library();
std::string folder_of_this_program();

}  // namespace tidepool::inline v0
