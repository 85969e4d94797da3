#include "io/gzip.h"

#include "platform/environment.h"
#include "platform/library.h"

#ifdef TIDEPOOL_ZLIB

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>

namespace tidepool::inline v0 {

namespace {

struct ZlibFunctions {
  decltype(&::inflateInit2_) init = nullptr;
  decltype(&::inflate) inflate = nullptr;
  decltype(&::inflateReset) reset = nullptr;
  decltype(&::inflateEnd) end = nullptr;
};

const ZlibFunctions* open_functions() {
  if (!switched_on("TIDEPOOL_ZLIB", true)) return nullptr;
  Library library("libz.so.1");
  static ZlibFunctions functions;
  library.find(functions.init, "inflateInit2_");
  library.find(functions.inflate, "inflate");
  library.find(functions.reset, "inflateReset");
  library.find(functions.end, "inflateEnd");
  return library.has_all() ? &functions : nullptr;
}

const ZlibFunctions* zlib() {
  static const ZlibFunctions* const functions = open_functions();
  return functions;
}

uInt count_of(std::size_t bytes) { return static_cast<uInt>(std::min<std::size_t>(bytes, std::numeric_limits<uInt>::max())); }

}  // namespace

struct Gunzip::Stream {
  z_stream z{};
  bool ended = false;  // the next byte begins a member
};

void Gunzip::Close::operator()(Stream* stream) const {
  zlib()->end(&stream->z);
  delete stream;
}

std::string Gunzip::why_not() { return zlib() ? "" : "zlib (libz.so.1) is not there: install zlib1g, or unpack the file with gunzip"; }

Gunzip::Gunzip() {
  auto stream = std::make_unique<Stream>();
  constexpr int window_bits_of_gzip = 15 + 16;  // the header and the checksum are zlib's to check
  if (zlib()->init(&stream->z, window_bits_of_gzip, ZLIB_VERSION, static_cast<int>(sizeof(z_stream))) != Z_OK) throw std::bad_alloc();
  stream_.reset(stream.release());
}

Gunzip::Step Gunzip::unpack(std::span<const std::byte> from, std::span<std::byte> to) {
  z_stream& z = stream_->z;
  if (stream_->ended) zlib()->reset(&z);
  z.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(from.data()));  // zlib only reads there
  z.next_out = reinterpret_cast<Bytef*>(to.data());
  const uInt in = z.avail_in = count_of(from.size()), out = z.avail_out = count_of(to.size());
  const int result = zlib()->inflate(&z, Z_NO_FLUSH);
  stream_->ended = result == Z_STREAM_END;
  Step step{.state = stream_->ended ? State::end : State::more, .read = in - z.avail_in, .written = out - z.avail_out, .problem = {}};
  if (result == Z_MEM_ERROR) throw std::bad_alloc();
  if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) {
    step.state = State::corrupt;
    step.problem = z.msg ? z.msg : "not deflate";
  }
  return step;
}

}  // namespace tidepool::inline v0

#else

namespace tidepool::inline v0 {

struct Gunzip::Stream {};
void Gunzip::Close::operator()(Stream* stream) const { delete stream; }
std::string Gunzip::why_not() { return "this build has no zlib: unpack the file with gunzip"; }
Gunzip::Gunzip() = default;
Gunzip::Step Gunzip::unpack(std::span<const std::byte>, std::span<std::byte>) { return {}; }

}  // namespace tidepool::inline v0

#endif
