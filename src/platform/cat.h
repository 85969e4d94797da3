// cat("got ", 3, " of ", shape): everything that a stream can print, as one string.
#pragma once

#include <initializer_list>
#include <ostream>
#include <string>
#include <string_view>

namespace tidepool::inline v0 {

// One value to print. A call costs little code where it stands: messages are many, and rarely made.
class Printed {
 public:
  Printed(const char* text) : text_(text) {}
  Printed(const std::string& text) : text_(text) {}
  Printed(std::string_view text) : text_(text) {}
  template <class T>
  Printed(const T& value) : value_(&value), print_([](std::ostream& out, const void* at) { out << *static_cast<const T*>(at); }) {}

  void print(std::ostream& out) const;

 private:
  std::string_view text_;
  const void* value_ = nullptr;
  void (*print_)(std::ostream&, const void*) = nullptr;
};

std::string cat_all(std::initializer_list<Printed> parts);

template <class... T>
std::string cat(const T&... parts) {
  return cat_all({Printed(parts)...});
}

}  // namespace tidepool::inline v0
