// Any text as the value of every variable that the library reads, and as a tuning file.
#include <tidepool/device.h>
#include <tidepool/faults.h>

#include <cstdlib>

#include "backend/cpu/cpu_backend.h"
#include "device/tuning.h"
#include "device/tuning_file.h"
#include "fuzz/target.h"
#include "platform/bytes.h"
#include "platform/cache_folder.h"
#include "platform/drivers.h"
#include "platform/environment.h"
#include "platform/http_get.h"

namespace tidepool::fuzz {
namespace {

class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) { setenv(name, value.c_str(), 1); }
  ~Variable() { unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

void read_tuning_file(std::string_view bytes) {
  BackendInfo info;
  info.name = "device";
  info.driver = "driver";
  info.kind = "software";
  info.lanes = 8;
  const MemoryFile file(bytes);
  taken([&] { read_tuning(file.path(), info); });
  const Variable variable("TIDEPOOL_TUNING", file.path());
  tuning_for(info);  // never an error
}

void take(std::string_view bytes) {
  read_tuning_file(bytes);
  const std::string text(bytes.substr(0, bytes.find('\0')));
  parse_bytes(text);
  taken([&] { faults::set(text); });
  faults::set("");
  taken([&] { http_address(text); });
  {
    const Variable threads("TIDEPOOL_THREADS", text);
    const int count = cpu_threads();
    require(count >= 1 && count <= 1024, "a number of threads that was not asked for");
  }
  {
    const Variable onednn("TIDEPOOL_ONEDNN", text);
    require(switched_on("TIDEPOOL_ONEDNN", true) != (text == "0"), "a switch that only 0 turns off");
  }
  {
    const Variable drivers("VK_DRIVER_FILES", text);
    driver_files("/nowhere");
  }
  {
    const Variable name("TIDEPOOL_TUNING", text);
    BackendInfo info;
    info.kind = "software";
    if (text.find('/') == text.npos) tuning_for(info);  // but no file that happens to be there
  }
}

const Target target("environment", take);

}  // namespace
}  // namespace tidepool::fuzz
