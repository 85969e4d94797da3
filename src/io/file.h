// Files in and out. Nothing that a file says is believed before it is compared with how much the file can hold.
//
//     FileReader file("idx", path);
//     std::array<std::byte, 4> magic;
//     file.read_exactly(magic, "the magic number");
//     if (bytes > file.most_left()) file.fail(cat("byte 4: the header asks for ", bytes, " bytes"));
//     std::shared_ptr<std::byte> numbers = file.take(bytes, "images");
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/gzip.h"

namespace tidepool::inline v0 {

// Bytes that a .gz may unpack to: so many in any case, or so many times its own size, but never more than the last. What unpacks to more
// is taken for one that was made to fill the memory.
constexpr std::size_t usual_unpacked = std::size_t{4} << 20, usual_ratio = 50, most_unpacked = std::size_t{2} << 30;

// A file from front to back. One that begins as .gz does (whatever its name is) is unpacked on the way.
class FileReader {
 public:
  FileReader(const char* operation, std::string path);
  ~FileReader();
  FileReader(const FileReader&) = delete;
  FileReader& operator=(const FileReader&) = delete;

  const char* operation() const { return operation_; }
  const std::string& path() const { return path_; }
  std::size_t size() const { return size_; }      // of the file as it is
  std::size_t offset() const { return offset_; }  // bytes given so far, unpacked
  // No more bytes than these can follow; just as many, where the file is not packed.
  std::size_t most_left() const;
  bool packed() const { return gunzip_.has_value(); }

  std::size_t read(std::span<std::byte> to);  // how many; fewer than asked for at the end only
  void read_exactly(std::span<std::byte> to, std::string_view what);
  std::shared_ptr<std::byte> take(std::size_t bytes, std::string_view what);  // aligned for any number; checks most_left()
  void expect_end();                                                          // and a packed file's checksum
  void expect_possible(std::size_t bytes, std::string_view what) const;       // so many may follow
  // Before so much memory is taken for the rest of the file: it has just so many bytes. A packed file that is far smaller than the memory
  // is read through to see.
  void expect_rest(std::size_t bytes, std::size_t memory, std::string_view what) const;

  [[noreturn]] void fail(std::string_view message) const;  // IoError that names the operation and the file

 private:
  std::size_t read_raw(std::span<std::byte> to);
  std::size_t read_packed(std::span<std::byte> to);
  [[noreturn]] void fail_packed(std::string_view message) const;
  std::size_t most_bytes() const;  // unpacked

  const char* operation_;
  std::string path_;
  int descriptor_ = -1;
  std::size_t size_ = 0;  // of the file, packed
  std::size_t raw_ = 0;   // bytes read of it
  std::size_t offset_ = 0;
  std::optional<Gunzip> gunzip_;
  bool within_member_ = false;
  std::vector<std::byte> buffer_;  // what is read but not unpacked
  std::size_t buffer_begin_ = 0, buffer_end_ = 0;
};

// Memory for so many bytes, aligned for any number, not filled. OutOfMemory names the operation and what it was for.
std::shared_ptr<std::byte> host_memory(const char* operation, std::size_t bytes, std::string_view purpose);

// The whole file, unpacked if it is a .gz. One that has more bytes than `most` is an IoError.
std::vector<std::byte> read_file(const char* operation, const std::string& path, std::size_t most = most_unpacked);

}  // namespace tidepool::inline v0
