// What the doctor found, one line each: printed as soon as it is known.
//
//     findings.warn("loader", "libvulkan.so.1 is not there, so no GPU can be used", "install libvulkan1");
#pragma once

#include <string>
#include <vector>

namespace tidepool::cli {

struct Finding {
  enum Level { ok, warn, fail };
  Level level;
  std::string about;
  std::string text;  // goes into reports: no paths, no names of people or machines
  std::string fix;   // what to do about it; stays on this machine
};

const char* name_of(Finding::Level level);

class Findings {
 public:
  explicit Findings(bool print) : print_(print) {}
  void ok(const std::string& about, const std::string& text) { add({Finding::ok, about, text, ""}); }
  void warn(const std::string& about, const std::string& text, const std::string& fix) { add({Finding::warn, about, text, fix}); }
  void fail(const std::string& about, const std::string& text, const std::string& fix) { add({Finding::fail, about, text, fix}); }

  const std::vector<Finding>& all() const { return all_; }
  std::size_t count(Finding::Level level) const;

 private:
  void add(const Finding& finding);

  bool print_;
  std::vector<Finding> all_;
};

}  // namespace tidepool::cli
