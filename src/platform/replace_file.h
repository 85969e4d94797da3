// Files that are written whole or not at all.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace tidepool::inline v0 {

// Puts a file of these pieces in the place of `path`, at once: it is written beside it as <path>.tmp-<pid>, synced and renamed. On an error
// the old file is as it was. With `keep_previous` the old one stays as <path>.previous; one of the two is good at every moment.
void replace_file(const char* operation, const std::string& path, std::span<const std::span<const std::byte>> pieces,
                  bool keep_previous = false);
// An IoError, as replace_file would throw it, when a file could not be put there now: before hours of work whose result belongs there.
void require_replaceable(const char* operation, const std::string& path);
// Removes what processes that were killed while they wrote this file left beside it.
void remove_abandoned(const std::string& path);

}  // namespace tidepool::inline v0
