// \x93NUMPY, the version, the header's size, the header as a Python dictionary, the numbers.
#include <tidepool/data.h>
#include <tidepool/error.h>

#include "data/samples.h"
#include "platform/cat.h"
#include "platform/one_line.h"

#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

namespace tidepool::inline v0 {
namespace data {

namespace {

struct NpyHeader {
  std::string_view descr;
  bool fortran_order = false;
  std::vector<std::int64_t> sizes;
};

// Reads {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), } and nothing else of Python.
class HeaderText {
 public:
  HeaderText(const FileReader& file, std::size_t start, std::string_view text) : file_(file), start_(start), text_(text) {}

  NpyHeader parse() {
    NpyHeader header;
    std::array<bool, 3> has{};
    expect('{');
    while (!accept('}')) {
      const std::size_t at = place_;
      const std::string_view key = quoted();
      expect(':');
      const std::size_t field = key == "descr" ? 0 : key == "fortran_order" ? 1 : key == "shape" ? 2 : 3;
      if (field == 3 || has[field]) fail(at, cat("the key ", shown(key), field == 3 ? " is unknown" : " is there twice"));
      has[field] = true;
      if (field == 0) header.descr = quoted();
      if (field == 1) header.fortran_order = boolean();
      if (field == 2) header.sizes = sizes();
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (place_ != text_.size()) fail(place_, "something follows the header's dictionary");
    if (!has[0] || !has[1] || !has[2]) fail(0, "the header is without descr, fortran_order or shape");
    return header;
  }

 private:
  [[noreturn]] void fail(std::size_t at, std::string_view message) const { file_.fail(cat("byte ", start_ + at, ": ", message)); }
  void skip_space() {
    while (place_ < text_.size() && (text_[place_] == ' ' || text_[place_] == '\n')) ++place_;
  }
  bool accept(char c) {
    skip_space();
    if (place_ == text_.size() || text_[place_] != c) return false;
    ++place_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(place_, cat("wanted ", c, " in the header; got ", shown(text_.substr(place_), 16)));
  }
  std::string_view quoted() {
    const bool single = accept('\'');
    if (!single) {
      if (accept('[')) fail(place_ - 1, "an array of records; wanted one of plain numbers");
      expect('"');
    }
    const std::size_t end = text_.find(single ? '\'' : '"', place_);
    if (end == std::string_view::npos) fail(place_, "a string in the header does not end");
    const std::string_view result = text_.substr(place_, end - place_);
    place_ = end + 1;
    return result;
  }
  bool boolean() {
    skip_space();
    for (const std::string_view word : {"True", "False"})
      if (text_.substr(place_).starts_with(word)) {
        place_ += word.size();
        return word == "True";
      }
    fail(place_, "fortran_order is neither True nor False");
  }
  std::vector<std::int64_t> sizes() {
    std::vector<std::int64_t> result;
    expect('(');
    while (!accept(')')) {
      skip_space();
      std::int64_t size = 0;
      const auto [end, error] = std::from_chars(text_.data() + place_, text_.data() + text_.size(), size);
      if (error != std::errc{} || size < 0) fail(place_, "shape has something other than whole numbers from 0");
      if (result.size() == Shape::max_rank) fail(place_, cat("more than ", Shape::max_rank, " axes"));
      result.push_back(size);
      place_ = static_cast<std::size_t>(end - text_.data());
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return result;
  }

  const FileReader& file_;
  std::size_t start_;
  std::string_view text_;
  std::size_t place_ = 0;
};

struct Kind {
  std::string_view name;
  Number number;
};
constexpr std::array<Kind, 12> kinds{{{"b1", Number::boolean},
                                      {"u1", Number::u8},
                                      {"u2", Number::u16},
                                      {"u4", Number::u32},
                                      {"u8", Number::u64},
                                      {"i1", Number::i8},
                                      {"i2", Number::i16},
                                      {"i4", Number::i32},
                                      {"i8", Number::i64},
                                      {"f2", Number::f16},
                                      {"f4", Number::f32},
                                      {"f8", Number::f64}}};

Number number_of(const FileReader& file, std::string_view descr) {
  const bool has_order = !descr.empty() && std::string_view("<>|=").find(descr[0]) != std::string_view::npos;
  const std::string_view name = has_order ? descr.substr(1) : descr;
  for (const Kind& kind : kinds) {
    if (kind.name != name) continue;
    if (descr[0] == '>' && size_of(kind.number) > 1)
      file.fail(cat("descr ", shown(descr), " is big-endian; save it as little-endian: a.astype('<", name, "')"));
    return kind.number;
  }
  file.fail(cat("descr ", shown(descr), " is not among the types read here: f4 f8 f2 u1 u2 u4 u8 i1 i2 i4 i8 b1"));
}

std::string read_header_text(FileReader& file) {
  std::array<std::byte, 8> magic{};
  file.read_exactly(magic, "the magic number");
  constexpr std::string_view wanted = "\x93NUMPY";
  if (std::string_view(reinterpret_cast<const char*>(magic.data()), wanted.size()) != wanted) file.fail("byte 0: not a .npy file");
  const int version = std::to_integer<int>(magic[6]);
  if (version < 1 || version > 3) file.fail(cat("byte 6: version ", version, " of the format; wanted 1, 2 or 3"));
  std::array<std::byte, 4> size{};
  file.read_exactly(std::span(size).first(version == 1 ? 2 : 4), "the header's size");
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < size.size(); ++i) bytes |= std::to_integer<std::size_t>(size[i]) << 8 * i;
  constexpr std::size_t most = 65536;
  if (bytes > most) file.fail(cat("byte 8: a header of ", bytes, " bytes; at most ", most, " are read"));
  std::string text(bytes, '\0');
  file.read_exactly(std::as_writable_bytes(std::span(text)), "the header");
  return text;
}

enum class Role { x, y };

struct NpyFile {
  explicit NpyFile(const std::string& path)
      : file("npy", path),
        text(read_header_text(file)),
        header(HeaderText(file, file.offset() - text.size(), text).parse()),
        number(number_of(file, header.descr)) {
    if (header.fortran_order) file.fail("fortran_order is True; save it in C order: np.ascontiguousarray(a)");
    if (header.sizes.empty()) file.fail("the array has rank 0; wanted a row for every sample");
    check_promise(file, array());
  }
  ArrayInFile array() const { return {.number = number, .order = ByteOrder::little, .sizes = header.sizes, .what = "the array"}; }

  FileReader file;
  std::string text;
  NpyHeader header;
  Number number;
};

Rows read_array(NpyFile& array, Role role) {
  const Number number = array.number;
  DType type = is_whole(number) ? DType::i32 : DType::f32;
  if (role == Role::x && number == Number::u8) type = DType::u8;
  if (role == Role::x && number == Number::boolean) type = DType::f32;  // as u8, true would be 1/255
  return read_rows(array.file, array.array(), type);
}

}  // namespace

Dataset npy(const std::string& x_path, const std::string& y_path) {
  NpyFile x(x_path), y(y_path);
  const std::int64_t count = x.header.sizes[0], targets = y.header.sizes[0];
  if (count != targets)
    throw IoError("npy", cat(x_path, " has ", count, " samples, ", y_path, " has ", targets,
                             "; wanted as many of both: do the files belong together?"));
  Rows rows = read_array(x, Role::x);
  return make_dataset(std::move(rows), read_array(y, Role::y));
}

}  // namespace data
}  // namespace tidepool::inline v0
