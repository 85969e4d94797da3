#include "platform/environment.h"

#include "platform/log.h"
#include "platform/one_line.h"

#include <cstdlib>

namespace tidepool::inline v0 {

std::optional<std::string> environment(const char* name) {
  const char* value = std::getenv(name);
  if (!value || !*value) return std::nullopt;
  return value;
}

void warn_environment(std::string_view name, std::string_view value, std::string_view wanted) {
  warn(cat(name, "='", one_line(value), "' is ignored: wanted ", wanted));
}

}  // namespace tidepool::inline v0
