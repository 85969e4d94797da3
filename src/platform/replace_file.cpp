#include "platform/replace_file.h"

#include <tidepool/error.h>

#include "platform/cat.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <system_error>

namespace tidepool::inline v0 {

namespace {
std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, std::max(slash, std::size_t{1}));
}

// What a path leads to by links, also where nothing is there.
std::string target_of(const std::string& path) {
  constexpr int most_links = 40;  // as the kernel follows
  std::filesystem::path at = path;
  std::error_code error;
  for (int i = 0; i < most_links && std::filesystem::is_symlink(at, error); ++i) {
    const std::filesystem::path target = std::filesystem::read_symlink(at, error);
    at = at.parent_path() / target;
  }
  return at.string();
}
}  // namespace

FileReplacement::FileReplacement(const char* operation, const std::string& path) : operation_(operation), path_(path) {
  if (path.empty() || path.find('\0') != std::string::npos) throw IoError(operation, "the path is empty or has a zero byte in it");
  place_ = target_of(path);  // what a link points to is replaced, and not the link
  struct stat status {};
  if (lstat(place_.c_str(), &status) == 0 && S_ISLNK(status.st_mode)) {  // still: they lead in a circle
    errno = ELOOP;
    fail_now("is a link that leads nowhere");
  }
  // A link that leads nowhere is a mistake, unless there was a file: where it was moved to be kept, and the process died.
  if (place_ != path && access(previous_of(place_).c_str(), F_OK) != 0 && stat(place_.c_str(), &status) != 0)
    fail_now("is a link that leads nowhere");
  there_ = stat(place_.c_str(), &status) == 0;
  if (there_ && S_ISDIR(status.st_mode)) fail("is a directory");
  if (there_ && !S_ISREG(status.st_mode)) fail("is a pipe or a device; only a regular file is replaced");
  if (there_) mode_ = status.st_mode & 07777U;
  create();
}

FileReplacement::~FileReplacement() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!renamed_) unlink(temporary_.c_str());
}

void FileReplacement::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(descriptor_, bytes.data(), std::min(bytes.size(), std::size_t{1} << 30));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) fail_now("cannot be written");
    bytes = bytes.subspan(static_cast<std::size_t>(wrote));
  }
}

void FileReplacement::finish(bool keep_previous) {
  if (there_ && fchmod(descriptor_, mode_) != 0) fail_now("cannot be given the old one's permissions");
  if (fsync(descriptor_) != 0) fail_now("cannot be written to the disk");
  const int closed = close(descriptor_);
  descriptor_ = -1;
  if (closed != 0) fail_now("cannot be written");
  if (keep_previous && there_) keep();
  if (rename(temporary_.c_str(), place_.c_str()) != 0) fail_now("cannot be replaced");
  renamed_ = true;
  sync_directory();
}

void FileReplacement::fail(std::string_view message) const { throw IoError(operation_, cat(path_, ": ", message)); }
void FileReplacement::fail_now(std::string_view what) const { fail(cat(what, ": ", std::system_category().message(errno))); }

// A name that is taken (another thread saves the same file, or a process died) is left alone.
void FileReplacement::create() {
  const std::string base = cat(place_, ".tmp-", getpid());
  constexpr int tries = 100;
  for (int i = 0; descriptor_ < 0 && i < tries; ++i) {
    temporary_ = i == 0 ? base : cat(base, '-', i);
    descriptor_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && errno != EEXIST) break;
  }
  if (descriptor_ < 0 && errno == ENOENT) fail(cat("cannot be written: there is no folder ", folder_of(place_), "; make it first"));
  if (descriptor_ < 0) fail_now(cat("cannot be written beside it as ", temporary_));
}

// By a second name for the old file, so that it is never without one; where there are no such links, by moving it.
void FileReplacement::keep() {
  const std::string previous = previous_of(place_), link_name = temporary_ + ".previous";
  if (!link_old(link_name)) {
    if (rename(place_.c_str(), previous.c_str()) != 0) fail_now(cat("cannot be kept as ", previous));
    return;
  }
  const bool kept = rename(link_name.c_str(), previous.c_str()) == 0;
  const int error = errno;
  unlink(link_name.c_str());  // rename leaves it where both names are one file already
  errno = error;
  if (!kept) fail_now(cat("cannot be kept as ", previous));
}
bool FileReplacement::link_old(const std::string& name) {  // false: this file system has no second names
  constexpr int tries = 100;
  for (int i = 0; i < tries; ++i) {
    if (link(place_.c_str(), name.c_str()) == 0) return true;
    if (errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS || errno == EMLINK) return false;
    if (errno != ENOENT) break;  // which it is for an instant when somebody else replaces the file
  }
  fail_now(cat("cannot be kept as ", name));
}

void FileReplacement::sync_directory() const {
  const std::string folder = folder_of(place_);
  const int directory = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return;  // one may write in a folder without being allowed to list it
  const int result = fsync(directory), error = errno;
  close(directory);
  errno = error;
  if (result != 0 && error != EINVAL && error != ENOTSUP) fail_now("is in place, but its folder cannot be written to the disk");
}

void replace_file(const char* operation, const std::string& path, std::span<const std::span<const std::byte>> pieces, bool keep_previous) {
  FileReplacement file(operation, path);
  for (const std::span<const std::byte> piece : pieces) file.write(piece);
  file.finish(keep_previous);
}

void require_replaceable(const char* operation, const std::string& path) { const FileReplacement removed_at_once(operation, path); }

std::string previous_of(const std::string& path) { return target_of(path) + ".previous"; }

void remove_abandoned(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const std::string place = target_of(path);
  const std::string begin = fs::path(place).filename().string() + ".tmp-";
  for (fs::directory_iterator at(folder_of(place), error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with(begin)) continue;
    pid_t process = 0;
    const auto [rest, problem] = std::from_chars(name.data() + begin.size(), name.data() + name.size(), process);
    std::error_code ignored;
    if (problem == std::errc{} && process > 0 && kill(process, 0) != 0 && errno == ESRCH) fs::remove(at->path(), ignored);
  }
}

}  // namespace tidepool::inline v0
