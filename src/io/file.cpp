#include <tidepool/error.h>

#include "io/file.h"
#include "platform/bytes.h"
#include "platform/cat.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

namespace tidepool::inline v0 {

namespace {
constexpr std::size_t chunk = std::size_t{64} << 10;
}

FileReader::FileReader(const char* operation, std::string path) : operation_(operation), path_(std::move(path)) {
  if (path_.find('\0') != std::string::npos) throw IoError(operation_, "the path has a zero byte in it");
  descriptor_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // so that a pipe does not keep us waiting
  if (descriptor_ < 0) fail(cat("cannot be opened: ", std::system_category().message(errno)));
  try {
    struct stat status {};
    if (fstat(descriptor_, &status) != 0) fail(cat("cannot be read: ", std::system_category().message(errno)));
    if (S_ISDIR(status.st_mode)) fail("is a directory; wanted a file");
    if (!S_ISREG(status.st_mode)) fail("is a pipe or a device; wanted a regular file");
    size_ = static_cast<std::size_t>(status.st_size);
    std::array<unsigned char, 2> magic{};
    if (pread(descriptor_, magic.data(), magic.size(), 0) != 2 || magic[0] != 0x1f || magic[1] != 0x8b) return;
    if (const std::string problem = Gunzip::why_not(); !problem.empty()) fail(cat("is packed (.gz), and ", problem));
    gunzip_.emplace();
    within_member_ = true;
    buffer_.resize(chunk);
  } catch (...) {
    close(descriptor_);
    throw;
  }
}

FileReader::~FileReader() { close(descriptor_); }

void FileReader::fail(std::string_view message) const { throw IoError(operation_, cat(path_, ": ", message)); }

void FileReader::fail_packed(std::string_view message) const {
  fail(cat("packed byte ", raw_ - (buffer_end_ - buffer_begin_), ": ", message));
}

std::size_t FileReader::most_bytes() const {
  if (!gunzip_) return size_;
  const auto times = [&](std::size_t ratio) { return size_ > most_unpacked / ratio ? most_unpacked : size_ * ratio; };
  return std::min(times(Gunzip::most_ratio), std::max(usual_unpacked, times(usual_ratio)));
}

std::size_t FileReader::most_left() const { return most_bytes() - std::min(most_bytes(), offset_); }

std::size_t FileReader::read_raw(std::span<std::byte> to) {
  std::size_t done = 0;
  while (done < to.size()) {
    const ssize_t got = ::read(descriptor_, to.data() + done, std::min(to.size() - done, std::size_t{1} << 30));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(cat("byte ", raw_, ": cannot be read: ", std::system_category().message(errno)));
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
    raw_ += static_cast<std::size_t>(got);
  }
  return done;
}

std::size_t FileReader::read_packed(std::span<std::byte> to) {
  std::size_t done = 0;
  while (done < to.size()) {
    if (buffer_begin_ == buffer_end_) {
      buffer_begin_ = 0;
      buffer_end_ = read_raw(buffer_);
      if (buffer_end_ == 0 && within_member_) fail_packed("the packed data is cut off here");
      if (buffer_end_ == 0) break;
    }
    const Gunzip::Step step = gunzip_->unpack(std::span(buffer_).subspan(buffer_begin_, buffer_end_ - buffer_begin_), to.subspan(done));
    buffer_begin_ += step.read;
    done += step.written;
    if (step.state == Gunzip::State::corrupt) fail_packed(cat("the packed data is corrupt: ", step.problem));
    within_member_ = step.state == Gunzip::State::more;
  }
  return done;
}

std::size_t FileReader::read(std::span<std::byte> to) {
  const std::size_t got = gunzip_ ? read_packed(to) : read_raw(to);
  offset_ += got;
  if (gunzip_ && offset_ > most_bytes())
    fail(cat("unpacks to more than ", readable_bytes(most_bytes()), ", ", most_bytes() / std::max<std::size_t>(size_, 1),
             " times its size; if that is meant, unpack it with gunzip first"));
  return got;
}

void FileReader::read_exactly(std::span<std::byte> to, std::string_view what) {
  const std::size_t start = offset_;
  if (const std::size_t got = read(to); got < to.size())
    fail(cat("byte ", start, ": wanted ", to.size(), " bytes of ", what, "; the file ends after ", got));
}

std::shared_ptr<std::byte> FileReader::take(std::size_t bytes, std::string_view what) {
  expect_possible(bytes, what);
  std::shared_ptr<std::byte> memory = host_memory(operation_, bytes, path_);
  read_exactly({memory.get(), bytes}, what);
  return memory;
}

void FileReader::expect_end() {
  std::byte more{};
  if (read({&more, 1}) > 0) fail(cat("byte ", offset_ - 1, ": the data ends here; the file goes on"));
}

void FileReader::expect_possible(std::size_t bytes, std::string_view what) const {
  if (bytes > most_left())
    fail(
        cat("byte ", offset_, ": wanted ", bytes, " bytes of ", what, "; the file has ", packed() ? "at most " : "", most_left(), " more"));
}

void FileReader::expect_rest(std::size_t bytes, std::size_t memory, std::string_view what) const {
  expect_possible(bytes, what);
  if (!packed() && bytes < most_left()) fail(cat("byte ", offset_ + bytes, ": the data ends here; the file goes on"));
  if (!packed() || memory <= 2 * size_) return;
  FileReader again(operation_, path_);
  std::array<std::byte, chunk / 2> piece;
  for (const std::size_t end = offset_ + bytes; again.offset_ < end;)
    if (again.read(std::span(piece).first(std::min(piece.size(), end - again.offset_))) == 0)
      fail(cat("byte ", offset_, ": wanted ", bytes, " bytes of ", what, "; the file ends after ",
               again.offset_ - std::min(again.offset_, offset_)));
  again.expect_end();
}

std::shared_ptr<std::byte> host_memory(const char* operation, std::size_t bytes, std::string_view purpose) {
  try {
    const auto units = std::make_shared_for_overwrite<std::max_align_t[]>(bytes / sizeof(std::max_align_t) + 1);
    return {units, reinterpret_cast<std::byte*>(units.get())};
  } catch (const std::bad_alloc&) {
    throw OutOfMemory(operation, cat(purpose, ": no memory on the host for ", readable_bytes(bytes)));
  }
}

std::vector<std::byte> read_file(const char* operation, const std::string& path, std::size_t most) {
  FileReader file(operation, path);
  const auto too_much = [&] { file.fail(cat("has more than ", most, " bytes, the most that is read here")); };
  if (!file.packed() && file.most_left() > most) too_much();
  std::vector<std::byte> bytes;
  try {
    bytes.resize(file.packed() ? std::min(most, chunk) : file.most_left());
    std::size_t done = file.read(bytes);
    while (file.packed() && done == bytes.size() && done < most) {  // how much comes is not known before
      bytes.resize(std::min(most, 2 * bytes.size()));
      done += file.read(std::span(bytes).subspan(done));
    }
    bytes.resize(done);
  } catch (const std::bad_alloc&) {
    throw OutOfMemory(operation, cat(path, ": no memory on the host for its ", readable_bytes(bytes.size()), " or more"));
  }
  std::byte more{};
  if (file.packed() && file.read({&more, 1}) > 0) too_much();
  return bytes;
}

}  // namespace tidepool::inline v0
