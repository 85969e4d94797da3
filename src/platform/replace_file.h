// Files that are written whole or not at all.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace tidepool::inline v0 {

// Puts a file of these pieces in the place of `path`, at once: it is written beside it as <path>.tmp-<pid>, synced and renamed. On an error
// the old file is as it was. With `keep_previous` the old one stays as <path>.previous; one of the two is good at every moment.
void replace_file(const char* operation, const std::string& path, std::span<const std::span<const std::byte>> pieces,
                  bool keep_previous = false);
// An IoError, as replace_file would throw it, when a file could not be put there now: before hours of work whose result belongs there.
void require_replaceable(const char* operation, const std::string& path);
// Where the old one stays: beside the file that a link leads to, also one that is not there any more.
std::string previous_of(const std::string& path);

// The same for a file that is written piece by piece. Until finish() the old file is as it was, and without it nothing is left.
class FileReplacement {
 public:
  FileReplacement(const char* operation, const std::string& path);
  ~FileReplacement();
  FileReplacement(const FileReplacement&) = delete;
  FileReplacement& operator=(const FileReplacement&) = delete;

  void write(std::span<const std::byte> bytes);
  void finish(bool keep_previous = false);

 private:
  [[noreturn]] void fail(std::string_view message) const;
  [[noreturn]] void fail_now(std::string_view what) const;  // and why, by errno
  void create();
  void keep();
  bool link_old(const std::string& name);
  void sync_directory() const;

  const char* operation_;
  std::string path_, place_, temporary_;
  bool there_ = false, renamed_ = false;
  unsigned mode_ = 0;
  int descriptor_ = -1;
};

// Removes what processes that were killed while they wrote this file left beside it.
void remove_abandoned(const std::string& path);

}  // namespace tidepool::inline v0
