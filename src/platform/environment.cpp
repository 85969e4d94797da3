#include "platform/environment.h"

#include "platform/log.h"
#include "platform/one_line.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <set>

namespace tidepool::inline v0 {

namespace {

// Switches are read again and again.
bool is_news(const char* name) {
  static std::mutex& mutex = *new std::mutex;
  static std::set<std::string>& told = *new std::set<std::string>;
  const std::lock_guard lock(mutex);
  return told.insert(name).second;
}

}  // namespace

std::optional<std::string> environment(const char* name) {
  const char* value = std::getenv(name);
  if (!value || !*value) return std::nullopt;
  return value;
}

std::string environment_word(const char* name, std::initializer_list<std::string_view> words) {
  std::string first(*words.begin());
  const std::optional<std::string> value = environment(name);
  if (!value) return first;
  if (std::ranges::find(words, *value) != words.end()) return *value;
  if (!is_news(name)) return first;
  std::string wanted;
  for (std::size_t i = 0; i < words.size(); ++i) wanted += cat(i == 0 ? "" : i + 1 == words.size() ? " or " : ", ", words.begin()[i]);
  warn_environment(name, *value, wanted);
  return first;
}

void warn_environment(std::string_view name, std::string_view value, std::string_view wanted) {
  warn(cat(name, '=', shown(value), " is ignored: wanted ", wanted));
}

}  // namespace tidepool::inline v0
