// Files that are broken, or that lie about their size.
#include <gtest/gtest.h>
#include <tidepool/tidepool.h>

#include <string>

#include "data/values.h"
#include "support/allocations.h"
#include "support/errors.h"
#include "support/files.h"

namespace tidepool::inline v0 {
namespace {

class Hostile : public FilesTest {
 protected:
  void read_idx() const { data::idx(path("x"), path("y")); }
  void read_npy() const { data::npy(path("x"), path("y")); }
  void read_csv() const { data::csv(path("x")); }

  const std::string idx_x_ = idx_header(8, {4, 3, 3}) + std::string(36, '\5'), idx_y_ = idx_header(8, {4}) + "\1\2\3\1";
  const std::string npy_x_ = npy_header(npy_dictionary("<f8", "(3, 2)")) + std::string(48, '\1'),
                    npy_y_ = npy_header(npy_dictionary("<i4", "(3,)")) + std::string(12, '\1');
  const std::string csv_ = "a,b,\"c\"\n1,2.5,0\n-3e1,\"4\",1\n5,6,2\n";
};

TEST_F(Hostile, FilesThatAreCutOffAreErrorsAtEveryLength) {
  write("y", idx_y_);
  expect_no_beginning_loads("x", idx_x_, [&] { read_idx(); });
  expect_no_beginning_loads("x", packed(idx_x_), [&] { read_idx(); });
  expect_no_beginning_loads("y", idx_y_, [&] { read_idx(); });
  write("y", npy_y_);
  expect_no_beginning_loads("x", npy_x_, [&] { read_npy(); });
  expect_no_beginning_loads("x", packed(npy_x_), [&] { read_npy(); });
  expect_no_beginning_loads("y", npy_y_, [&] { read_npy(); });
  for (std::size_t length = 0; length < csv_.size(); ++length) {  // what is cut at the end of a line is whole
    write("x", csv_.substr(0, length));
    loads([&] { read_csv(); });
  }
  expect_no_beginning_loads("x", packed(csv_), [&] { read_csv(); });
}

TEST_F(Hostile, SpoiledFilesLoadOrAreErrors) {
  write("y", idx_y_);
  EXPECT_GT(spoil("x", idx_x_, 4000, [&] { read_idx(); }), 1000);
  EXPECT_GT(spoil("x", packed(idx_x_), 4000, [&] { read_idx(); }), 3000);
  write("x", idx_x_);
  EXPECT_GT(spoil("y", idx_y_, 4000, [&] { read_idx(); }), 2000);
  write("y", npy_y_);
  EXPECT_GT(spoil("x", npy_x_, 6000, [&] { read_npy(); }), 2000);
  write("x", npy_x_);
  EXPECT_GT(spoil("y", npy_y_, 4000, [&] { read_npy(); }), 2000);
  EXPECT_GT(spoil("x", csv_, 6000, [&] { read_csv(); }), 2000);
}

TEST_F(Hostile, SizesThatTheFileCannotHoldAreNotAllocated) {
  constexpr std::uint32_t huge = 0xffffffffU;
  write("y", idx_y_);
  const Allocations before;
  for (const std::string& header :
       {idx_header(8, {huge}), idx_header(8, {huge, huge}), idx_header(8, {huge, huge, huge}), idx_header(14, {huge, huge, 2}),
        idx_header(8, {0, huge, huge}), idx_header(14, {65536, 65536, 65536, 16384}), idx_header(12, {1 << 30})}) {
    write("x", header + "abc");
    EXPECT_FALSE(loads([&] { read_idx(); }));
    write("x", packed(header + "abc"));
    EXPECT_FALSE(loads([&] { read_idx(); }));
  }
  write("y", npy_y_);
  for (const char* shape : {"(9223372036854775807,)", "(4294967296, 4294967296)", "(0, 4294967296, 4294967296)", "(3, 1000000000)",
                            "(9223372036854775807, 9223372036854775807)"})
    for (const char* descr : {"<f8", "|u1", "<i8"}) {
      write("x", npy_header(npy_dictionary(descr, shape)) + "abc");
      EXPECT_FALSE(loads([&] { read_npy(); })) << shape;
    }
  write("x", std::string("\x93NUMPY\2\0\xff\xff\xff\xff", 12) + "{}");
  EXPECT_FALSE(loads([&] { read_npy(); }));
  EXPECT_LT(before.most_since(), 1'000'000U);
}

TEST_F(Hostile, MessagesNameTheBytesThatAHeaderAsksFor) {
  write("y", idx_y_);
  write("x", idx_header(8, {60000, 28, 28}) + "abc");
  EXPECT_EQ(message_of<IoError>([&] { read_idx(); }),
            "idx: " + path("x") + ": byte 16: wanted 47040000 bytes of images; the file has 3 more");
  write("x", packed(idx_header(12, {60000, 28, 28}) + "abc"));
  EXPECT_HAS(message_of<IoError>([&] { read_idx(); }), "byte 16: wanted 188160000 bytes of images; the file has at most ");
  write("x", idx_header(8, {0xffffffffU, 0xffffffffU}) + "abc");
  EXPECT_HAS(message_of<IoError>([&] { read_idx(); }), "byte 12: the header before it gives images more bytes than 64 bits can count");
}

TEST_F(Hostile, ReadingTakesLittleMoreThanTheNumbers) {
  constexpr std::size_t count = 4'000'000;
  write("x", idx_header(8, {1, count}) + std::string(count, 'a'));
  write("y", idx_header(8, {1}) + "\1");
  {
    const Allocations before;
    read_idx();
    EXPECT_LT(before.most_since(), count + 200'000);
  }
  write("y", npy_header(npy_dictionary("|u1", "(1,)")) + "a");
  write("x", npy_header(npy_dictionary("<f8", "(1, 500000)")) + std::string(count, '\1'));
  {
    const Allocations before;
    read_npy();
    EXPECT_LT(before.most_since(), count);
  }
  std::string text;
  while (text.size() < count) text += "1,2,3,4,5,6,7,8,9,0\n";
  write("x", text);
  {
    const Allocations before;
    read_csv();
    EXPECT_LT(before.most_since(), 2 * count + 200'000) << "four bytes for every two of the text";
  }
  write("x", "1,2\n" + std::string(count, '\n'));
  {
    const Allocations before;
    read_csv();
    EXPECT_LT(before.most_since(), 2 * count + 200'000);
  }
}

}  // namespace
}  // namespace tidepool::inline v0
