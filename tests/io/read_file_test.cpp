// Whole files, plain and packed.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <tidepool/log.h>

#include <cstring>
#include <string>
#include <vector>

#include "io/file.h"
#include "support/child.h"
#include "support/errors.h"
#include "support/files.h"

namespace tidepool::inline v0 {
namespace {

std::string text_of(const std::vector<std::byte>& bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

class ReadFile : public FilesTest {
 protected:
  std::string read(const std::string& name, std::size_t most = most_unpacked) const { return text_of(read_file("load", path(name), most)); }
  std::string problem(const std::string& name, std::size_t most = most_unpacked) const {
    return message_of<IoError>([&] { read(name, most); });
  }
  // Text that does not pack to nothing.
  static std::string words(std::size_t bytes) {
    std::string text;
    for (std::uint32_t seed = 1; text.size() < bytes; seed = seed * 1664525U + 1013904223U) text += std::to_string(seed);
    return text.substr(0, bytes);
  }
};

TEST_F(ReadFile, GivesPlainAndPackedFilesWhateverTheirNameIs) {
  const std::string text = words(300'000);
  write("plain.gz", text);
  write("packed", packed(text));
  write("empty", "");
  write("packed-empty", packed(""));
  write("two-members", packed("one ") + packed("two"));
  EXPECT_EQ(read("plain.gz"), text);
  EXPECT_EQ(read("packed"), text);
  EXPECT_EQ(read("empty"), "");
  EXPECT_EQ(read("packed-empty"), "");
  EXPECT_EQ(read("two-members"), "one two");
}

TEST_F(ReadFile, RefusesMoreThanTheCallerTakes) {
  write("plain", words(1000));
  write("packed", packed(words(1000)));
  for (const char* name : {"plain", "packed"}) {
    EXPECT_EQ(read(name, 1000).size(), 1000U) << name;
    EXPECT_HAS(problem(name, 999), "has more than 999 bytes");
    EXPECT_HAS(problem(name, 0), "has more than 0 bytes");
  }
}

TEST_F(ReadFile, SaysWhatCannotBeRead) {
  EXPECT_EQ(problem("missing"), "load: " + path("missing") + ": cannot be opened: No such file or directory");
  EXPECT_HAS(message_of<IoError>([&] { read_file("load", folder()); }), "is a directory");
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_HAS(problem("pipe"), "is a pipe or a device");
  EXPECT_HAS(message_of<IoError>([&] { read_file("load", path(std::string("a\0b", 3))); }), "zero byte");
  write("secret", "x");
  ASSERT_EQ(chmod(path("secret").c_str(), 0), 0);
  const AsNobody nobody;
  EXPECT_HAS(problem("secret"), "Permission denied");
}

TEST_F(ReadFile, APackedFileThatIsCutOffIsAnErrorAtEveryLength) {
  const std::string good = packed(words(2000));
  for (std::size_t length = 2; length < good.size(); ++length) {
    write("cut", good.substr(0, length));
    EXPECT_EQ(problem("cut"), "load: " + path("cut") + ": packed byte " + std::to_string(length) + ": the packed data is cut off here");
  }
}

TEST_F(ReadFile, ASpoiledPackedFileIsAnErrorOrTheSameText) {
  const std::string text = words(500);
  const int refused = spoil("bad", packed(text), 3000, [&] { read("bad"); });
  EXPECT_GT(refused, 2000);
  std::string wrong = packed(text);
  wrong[wrong.size() - 8] = static_cast<char>(wrong[wrong.size() - 8] ^ 1);
  write("checksum", wrong);
  EXPECT_HAS(problem("checksum"), "the packed data is corrupt: incorrect data check");
  write("garbage", packed(text) + "garbage");
  EXPECT_HAS(problem("garbage"), "corrupt");
}

TEST_F(ReadFile, WithoutZlibAPackedFileSaysWhatToInstall) {
  if (!is_child()) {
    EXPECT_EQ(run_this_test_again("TIDEPOOL_ZLIB=0"), 0);
    return;
  }
  write("packed", packed("text"));
  EXPECT_HAS(problem("packed"), "install zlib1g, or unpack the file");
  write("plain", "text");
  EXPECT_EQ(read("plain"), "text");
}

TEST_F(ReadFile, AValueOfTheSwitchThatCannotBeMeantIsToldAndZlibUsed) {
  if (!is_child()) {
    EXPECT_EQ(run_this_test_again("TIDEPOOL_ZLIB=no"), 0);
    return;
  }
  std::string told;
  set_logger([&](LogLevel, std::string_view message) { told += message; });
  write("packed", packed("text"));
  EXPECT_EQ(read("packed"), "text");
  set_logger({});
  EXPECT_EQ(told, "TIDEPOOL_ZLIB='no' is ignored: wanted 1 or 0");
}

TEST_F(ReadFile, AReaderKnowsHowMuchCanFollow) {
  write("plain", words(1000));
  write("packed", packed(words(1000)));
  FileReader plain("load", path("plain")), gz("load", path("packed"));
  std::array<std::byte, 10> ten{};
  plain.read_exactly(ten, "a start");
  EXPECT_EQ(plain.offset(), 10U);
  EXPECT_EQ(plain.most_left(), 990U);
  EXPECT_GE(gz.most_left(), 1000U);
  EXPECT_LE(gz.most_left(), std::filesystem::file_size(path("packed")) * 1032);
  const auto rest = plain.take(990, "the rest");
  EXPECT_EQ(std::memcmp(rest.get(), words(1000).data() + 10, 990), 0);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(rest.get()) % alignof(std::max_align_t), 0U);
  plain.expect_end();
  EXPECT_HAS(message_of<IoError>([&] { plain.take(1, "more"); }), "byte 1000: wanted 1 bytes of more; the file has 0 more");
  EXPECT_HAS(message_of<IoError>([&] { gz.take(std::size_t{1} << 40, "images"); }), "at most");
  EXPECT_HAS(message_of<IoError>([&] { gz.take(1001, "images"); }), "byte 0: wanted 1001 bytes of images; the file ends after 1000");
}

}  // namespace
}  // namespace tidepool::inline v0
