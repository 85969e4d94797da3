// Unpacking .gz data, with zlib, which is opened when it is first needed.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace tidepool::inline v0 {

class Gunzip {
 public:
  enum class State { more, end, corrupt };
  struct Step {
    State state = State::more;
    std::size_t read = 0, written = 0;
    std::string problem;  // when corrupt
  };
  // No more than so many bytes come out of one that goes in.
  static constexpr std::size_t most_ratio = 1032;

  static std::string why_not();  // empty when zlib is there; otherwise what to do

  Gunzip();  // zlib is there
  // Unpacks what fits. `end` is the end of a member: a file may go on with another, which the next call begins.
  Step unpack(std::span<const std::byte> from, std::span<std::byte> to);

 private:
  struct Stream;
  struct Close {
    void operator()(Stream* stream) const;
  };
  std::unique_ptr<Stream, Close> stream_;
};

}  // namespace tidepool::inline v0
