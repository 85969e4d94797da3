// Safetensors files that are broken, or that lie.
#include <gtest/gtest.h>
#include <tidepool/error.h>

#include <cstring>
#include <string>

#include "io/file.h"
#include "io/safetensors.h"
#include "support/allocations.h"
#include "support/errors.h"
#include "support/files.h"

namespace tidepool::inline v0 {
namespace {

class SafetensorsHostile : public FilesTest {
 protected:
  static std::string file_of(const std::string& header, const std::string& data) {
    const std::uint64_t size = header.size();
    std::string bytes(8, '\0');
    std::memcpy(bytes.data(), &size, sizeof size);
    return bytes + header + data;
  }
  static std::string one(const std::string& entry) { return R"({"a":)" + entry + "}"; }

  void load() const { read_safetensors("load", path("m")); }
  std::string problem_of_bytes(const std::string& bytes) const {
    write("m", bytes);
    const std::string message = message_of<IoError>([&] { load(); });
    EXPECT_HAS(message, "load: " + path("m") + ": ");
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return message;
  }
  std::string problem(const std::string& header, std::size_t data_bytes = 4) const {
    return problem_of_bytes(file_of(header, std::string(data_bytes, 'x')));
  }
  static std::string good() { return contents(std::string(TIDEPOOL_SOURCE_DIR) + "/tests/io/golden/numpy.safetensors"); }
  // All that can be asked of a file that has loaded.
  void use() const {
    const SafetensorsFile file = read_safetensors("load", path("m"));
    for (const SafetensorsEntry& entry : file.entries()) {
      EXPECT_EQ(file.find(entry.name), &entry);
      loads([&] { file.floats(entry); });
      loads([&] { file.integers(entry); });
    }
  }
};

TEST_F(SafetensorsHostile, HeadersThatAreNotWhatTheFormatWants) {
  const std::string offsets = R"("data_offsets":[0,4])";
  EXPECT_HAS(problem(R"(["a"])"), "byte 8: the header does not begin with {");
  EXPECT_HAS(problem(""), "byte 8: the header does not begin with {");
  EXPECT_HAS(problem(R"({"a":)"), "the header is not JSON");
  EXPECT_HAS(problem(R"({} {})"), "byte 11: the header is not JSON");
  EXPECT_HAS(problem(one("3")), "key 'a': has a value of the wrong kind");
  EXPECT_HAS(problem(one("[]")), "key 'a': has a list where none belongs");
  EXPECT_HAS(problem(one(R"({"dtype":"F32","shape":[1]})")), "key 'a': is without dtype, shape or data_offsets");
  EXPECT_HAS(problem(one(R"({"dtype":"F31","shape":[1],)" + offsets + "}")), "key 'a': unknown dtype 'F31'");
  EXPECT_HAS(problem(one(R"({"dtype":1,"shape":[1],)" + offsets + "}")), "key 'a': has a value of the wrong kind");
  EXPECT_HAS(problem(one(R"({"dtype":"F32","shape":[-1],)" + offsets + "}")), "key 'a': shape has something other than whole numbers");
  EXPECT_HAS(problem(one(R"({"dtype":"F32","shape":[1.0],)" + offsets + "}")), "key 'a': shape has something other than whole numbers");
  EXPECT_HAS(problem(one(R"({"dtype":"F32","shape":[[1]],)" + offsets + "}")), "key 'a': has a list where none belongs");
  EXPECT_HAS(problem(one(R"({"dtype":"F32","shape":[1,1,1,1,1,1,1,1,1],)" + offsets + "}")), "key 'a': has more than 8 axes");
  EXPECT_HAS(problem(one(R"({"dtype":"F32","dtype":"F32","shape":[1],)" + offsets + "}")), "key 'a': has dtype twice");
  EXPECT_HAS(problem(one(R"({"dtype":"F32","shape":[1],"data_offsets":[0,4,8]})")), "key 'a': has more than two data_offsets");
  EXPECT_HAS(problem(one(R"({"dtype":"F32","shape":[1],"data_offsets":[0]})")), "key 'a': wants two data_offsets");
  EXPECT_HAS(problem(one(R"({"dtype":"F4","shape":[1],"data_offsets":[0,0]})")), "is no whole number of bytes");
  EXPECT_HAS(problem(R"({"__metadata__":{"k":1}})"), "key '__metadata__': the value of 'k' is not a string");
  EXPECT_HAS(problem(R"({"__metadata__":{},"__metadata__":{}})"), "key '__metadata__': is there twice");
  EXPECT_HAS(problem(R"({"__metadata__":{"k":"1","k":"2"}})"), "key '__metadata__': has a key twice");
  EXPECT_HAS(problem("{\"\xff\":1}"), "the header is not JSON");
}

// Each is the value of a field that is passed over, so that only its text matters.
TEST_F(SafetensorsHostile, JsonThatIsWrittenWrongly) {
  const auto value = [&](const std::string& text) { return problem(one(R"({"x":)" + text + "}")); };
  for (const char* number : {"-", "-a", "1.", "1.x", "1e", "1e+", "1E-x"})
    EXPECT_HAS(value(number), ": the header is not JSON: wanted a digit");
  for (const char* word : {"tru", "fals", "nul", "x", ""}) EXPECT_HAS(value(word), ": the header is not JSON: wanted a value");
  for (const char* list : {"[1 2]", "[1}"}) EXPECT_HAS(value(list), ": the header is not JSON: wanted , or ]");
  EXPECT_HAS(value(R"({"a":1 2})"), ": the header is not JSON: wanted , or }");
  EXPECT_HAS(value("{1:2}"), ": the header is not JSON: wanted a key");
  EXPECT_HAS(value(R"({"a" 1})"), ": the header is not JSON: wanted :");
  EXPECT_HAS(value("\"a\nb\""), ": the header is not JSON: a control character in a string");
  EXPECT_HAS(value("\"\xc3("), ": the header is not JSON: a string is no UTF-8");
  for (const char* text : {R"("\x")", R"("\)"}) EXPECT_HAS(value(text), ": the header is not JSON: an unknown escape");
  for (const char* text : {R"("\u12")", R"("\u12G4")", R"("\udc00")"})
    EXPECT_HAS(value(text), ": the header is not JSON: \\u without a character");
  for (const char* text : {R"("\ud800")", R"("\ud800xx")", R"("\ud800\n")", R"("\ud800\u0041")", R"("\ud800\ue000")", R"("\ud800\u")"})
    EXPECT_HAS(value(text), ": the header is not JSON: \\u with half of a character");
}

TEST_F(SafetensorsHostile, JsonThatIsWrittenInOtherWaysIsRead) {
  const std::string header =
      "{\n\t\"\\u0061\\t\\ud83d\\uDE00\\\"\xef\xbf\xbd\" :\r{ \"dtype\": \"F32\", \"shape\": [ 1 ], "
      "\"x\": [0, -0.5e+3, 1E-2, 2e7, true, false, null, [], {\"y\":\"\\u00e9\"}], \"data_offsets\": [0, 4] } }  ";
  write("m", file_of(header, std::string(4, '\0')));
  const SafetensorsFile file = read_safetensors("load", path("m"));
  ASSERT_EQ(file.entries().size(), 1U);
  EXPECT_EQ(file.entries()[0].name, "a\t\xf0\x9f\x98\x80\"\xef\xbf\xbd");
}

TEST_F(SafetensorsHostile, SizesAndOffsetsThatLie) {
  const auto entry = [](const std::string& shape, const std::string& offsets) {
    return R"({"dtype":"F32","shape":[)" + shape + R"(],"data_offsets":[)" + offsets + "]}";
  };
  const auto two = [&](const std::string& a, const std::string& b) { return R"({"a":)" + a + R"(,"b":)" + b + "}"; };
  EXPECT_HAS(problem(one(entry("2", "0,4"))), "key 'a': F32 [2] has 8 bytes; data_offsets give it 4");
  EXPECT_HAS(problem(one(entry("1", "4,0"))), "key 'a': data_offsets [4, 0] leave a hole or overlap: wanted them from 0");
  EXPECT_HAS(problem(one(entry("1", "4,8")), 8), "key 'a': data_offsets [4, 8] leave a hole");
  EXPECT_HAS(problem(two(entry("1", "0,4"), entry("1", "0,4"))),
             "key 'b': data_offsets [0, 4] leave a hole or overlap: wanted them from 4");
  EXPECT_HAS(problem(two(entry("1", "0,4"), entry("1", "8,12")), 12), "key 'b': data_offsets [8, 12] leave a hole");
  EXPECT_HAS(problem(R"({"a":)" + entry("1", "0,4") + R"(,"a":)" + entry("1", "4,8") + "}", 8), "key 'a': is there twice");
  EXPECT_HAS(problem(one(entry("1", "0,4")), 5), "the data ends here; the file goes on");
  EXPECT_HAS(problem(one(entry("1", "0,4")), 3), "wanted 4 bytes of tensors; the file has 3 more");
  EXPECT_HAS(problem(one(entry("4294967296,4294967296", "0,4"))), "key 'a': F32 [4294967296, 4294967296] is no whole number of bytes");
  EXPECT_HAS(problem(one(entry("1", "0,18446744073709551615"))), "key 'a': has the number 18446744073709551615, which is too large");
  EXPECT_HAS(problem(one(entry("1", "0,99999999999999999999"))), "key 'a': data_offsets has something other than whole numbers");
}

TEST_F(SafetensorsHostile, AHeaderLargerThanTheFileOrTheFormatIsNotAllocated) {
  std::string bytes(8, '\xff');
  EXPECT_HAS(problem_of_bytes(bytes + "{}"), "byte 0: a header of 18446744073709551615 bytes");
  const std::uint64_t size = 99'000'000;
  std::memcpy(bytes.data(), &size, sizeof size);
  const Allocations before;
  EXPECT_HAS(problem_of_bytes(bytes + "{}"), "byte 8: wanted 99000000 bytes of the header; the file has 2 more");
  EXPECT_LT(before.most_since(), 100'000U);
}

TEST_F(SafetensorsHostile, DataLargerThanTheFileIsNotAllocated) {
  const Allocations before;
  EXPECT_HAS(problem(R"({"a":{"dtype":"U8","shape":[8000000000],"data_offsets":[0,8000000000]}})"), "wanted 8000000000 bytes of tensors");
  EXPECT_LT(before.most_since(), 200'000U);
}

TEST_F(SafetensorsHostile, APackedBombIsRefusedBeforeItIsUnpacked) {
  write("m", packed(std::string(50'000'000, '\0')));
  const Allocations before;
  EXPECT_FALSE(loads([&] { load(); }));
  EXPECT_FALSE(loads([&] { read_file("load", path("m"), 1'000'000); }));
  EXPECT_LT(before.most_since(), 4'000'000U);
}

TEST_F(SafetensorsHostile, UnknownFieldsArePassedOver) {
  const std::string header =
      one(R"({"x":{"shape":[{"y":[null]}]},"dtype":"F32","z":[1,"a",{}],"shape":[1],"data_offsets":[0,4],"w":-1.5})");
  write("m", file_of(header, std::string(4, '\0')));
  const SafetensorsFile file = read_safetensors("load", path("m"));
  ASSERT_NE(file.find("a"), nullptr);
  EXPECT_EQ(file.floats(*file.find("a")), (std::vector<float>{0}));
}

TEST_F(SafetensorsHostile, DeepNestingAndLongNamesAreHarmless) {
  problem(one(R"({"x":)" + std::string(1'000'000, '[')));
  EXPECT_LT(problem(R"({")" + std::string(1'000'000, 'n') + R"(":1})").size(), 400U);
  EXPECT_LT(problem(R"({")" + std::string(1'000'000, 'n')).size(), 500U);
}

TEST_F(SafetensorsHostile, AFileThatIsCutOffIsAnErrorAtEveryLength) {
  expect_no_beginning_loads("m", good(), [&] { load(); });
}

TEST_F(SafetensorsHostile, SpoiledFilesLoadOrAreErrors) {
  EXPECT_GT(spoil("m", good(), 6000, [&] { use(); }), 3000);
}

TEST_F(SafetensorsHostile, SpoiledHeadersLoadOrAreErrors) {
  const std::string header = R"({"__metadata__":{"k":"v"},"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                             R"("b":{"dtype":"I64","shape":[],"data_offsets":[4,12]}})";
  EXPECT_GT(spoil("m", file_of(header, std::string(12, '\1')), 6000, [&] { use(); }), 4000);
}

}  // namespace
}  // namespace tidepool::inline v0
