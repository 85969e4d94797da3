// What is fuzzed: a function that takes any bytes at all, the way that a file, a request or a command line brings them. libFuzzer calls
// it (scripts/fuzz), and so does fuzz_test.cpp, with the kept inputs and with changed ones.
//
//     void take(std::string_view bytes) {
//       const MemoryFile file(bytes);
//       taken([&] { data::csv(file.path()); });
//     }
//     const Target target("csv", take);
#pragma once

#include <tidepool/error.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tidepool::fuzz {

class Target {
 public:
  using Take = void (*)(std::string_view bytes);
  // `tries`: how many changed inputs the usual tests give it; fewer for what takes long.
  Target(const char* name, Take take, int tries = 3000);

  const char* name() const { return name_; }
  int tries() const { return tries_; }
  void operator()(std::string_view bytes) const;  // whatever it throws is a finding

  static const std::vector<const Target*>& all();  // that this program has

 private:
  const char* name_;
  Take take_;
  int tries_;
};

// Something that no input may bring about.
struct Wrong : std::logic_error {
  using std::logic_error::logic_error;
};
void require(bool holds, const char* what);

// What somebody reads in a terminal or a log: short, on one line, and without codes that a terminal obeys.
void require_readable(std::string_view message);

// True when the function returns; false when it refuses by an error of ours.
template <class Function>
bool taken(const Function& function) {
  try {
    function();
    return true;
  } catch (const Error& error) {
    require_readable(error.what());
  }
  return false;
}

// A file that is nowhere but in memory, and yet has a path.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes);
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

}  // namespace tidepool::fuzz
