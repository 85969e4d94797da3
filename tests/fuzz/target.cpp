#include "fuzz/target.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "platform/log.h"

namespace tidepool::fuzz {

namespace {

std::vector<const Target*>& registered() {
  static std::vector<const Target*> all;
  return all;
}

std::string& unreadable_log() {  // a logger cannot throw
  static std::string text;
  return text;
}

bool readable(std::string_view message) {
  constexpr std::size_t most = 1000;
  const auto obeyed = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  return message.size() <= most && std::ranges::none_of(message, obeyed);
}

void prepare() {
  setenv("TIDEPOOL_CACHE", "off", 1);  // nothing is found there from an earlier input
  set_log_level(LogLevel::debug);
  set_logger([](LogLevel, std::string_view message) {
    if (!readable(message)) unreadable_log() = message;
  });
}

}  // namespace

Target::Target(const char* name, Take take, int tries) : name_(name), take_(take), tries_(tries) { registered().push_back(this); }

const std::vector<const Target*>& Target::all() { return registered(); }

void Target::operator()(std::string_view bytes) const {
  static const bool prepared = (prepare(), true);
  static_cast<void>(prepared);
  unreadable_log().clear();
  take_(bytes);
  require_readable(unreadable_log());
}

void require(bool holds, const char* what) {
  if (!holds) throw Wrong(what);
}

void require_readable(std::string_view message) {
  if (!readable(message)) throw Wrong("a message is long, or not on one line: " + std::string(message));
}

MemoryFile::MemoryFile(std::string_view bytes) : descriptor_(memfd_create("tidepool-fuzz", MFD_CLOEXEC)) {
  if (descriptor_ < 0) throw std::system_error(errno, std::generic_category(), "memfd_create");
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor_, bytes.data(), bytes.size());
    if (written <= 0) throw std::system_error(errno, std::generic_category(), "write");
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

MemoryFile::~MemoryFile() { close(descriptor_); }

}  // namespace tidepool::fuzz
