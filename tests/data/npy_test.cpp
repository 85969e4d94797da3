// Arrays as NumPy saves them.
#include <gtest/gtest.h>
#include <tidepool/tidepool.h>

#include <string>
#include <vector>

#include "data/values.h"
#include "support/errors.h"
#include "support/files.h"

namespace tidepool::inline v0 {
namespace {

using data::Dataset;

class Npy : public FilesTest {
 protected:
  const std::string labels_ = npy_header(npy_dictionary("<i8", "(2,)")) + little(std::int64_t{1}) + little(std::int64_t{0});

  Dataset read(const std::string& x, const std::string& y) const {
    write("x.npy", x);
    write("y.npy", y);
    return data::npy(path("x.npy"), path("y.npy"));
  }
  Dataset read_x(const std::string& descr, const std::string& numbers) const {
    return read(npy_header(npy_dictionary(descr, "(2, 1)")) + numbers, labels_);
  }
  std::string problem(const std::string& x) const {
    return message_of<IoError>([&] { read(x, labels_); });
  }
  std::string problem_of_header(const std::string& dictionary) const { return problem(npy_header(dictionary)); }
};

TEST_F(Npy, EveryVersionOfTheFormatIsRead) {
  for (const int version : {1, 2, 3}) {
    const std::string x =
        npy_header(npy_dictionary("<f4", "(2, 1, 2)"), version) + little(1.0F) + little(2.0F) + little(3.0F) + little(-4.5F);
    for (const bool gz : {false, true}) {
      const Dataset d = read(gz ? packed(x) : x, labels_);
      EXPECT_EQ(d.size(), 2);
      EXPECT_EQ(d.x_shape(), (Shape{1, 2}));
      EXPECT_EQ(x_values<float>(d), (std::vector<float>{1, 2, 3, -4.5}));
      EXPECT_EQ(y_values<std::int32_t>(d), (std::vector<std::int32_t>{1, 0}));
      EXPECT_EQ(d.classes(), 2);
    }
  }
}

TEST_F(Npy, TypesBecomeTheNearestOfOurs) {
  using F = std::vector<float>;
  using I = std::vector<std::int32_t>;
  EXPECT_EQ(x_values<float>(read_x("<f8", little(0.1) + little(-1e-300))), (F{0.1F, -0.0F}));
  EXPECT_EQ(x_values<float>(read_x("<f2", little(std::uint16_t{0x3c00}) + little(std::uint16_t{0xc100}))), (F{1, -2.5}));
  EXPECT_EQ(x_values<float>(read_x("|b1", std::string("\1\0", 2))), (F{1, 0}));
  EXPECT_EQ(x_values<std::uint8_t>(read_x("|u1", "\xff\1")), (std::vector<std::uint8_t>{255, 1}));
  EXPECT_EQ(x_values<std::int32_t>(read_x("|i1", "\xff\1")), (I{-1, 1}));
  EXPECT_EQ(x_values<std::int32_t>(read_x(">i1", "\xff\1")), (I{-1, 1})) << "one byte has no order";
  EXPECT_EQ(x_values<std::int32_t>(read_x("<i2", little(std::int16_t{-300}) + little(std::int16_t{5}))), (I{-300, 5}));
  EXPECT_EQ(x_values<std::int32_t>(read_x("<i4", little(std::int32_t{1 << 30}) + little(std::int32_t{-5}))), (I{1 << 30, -5}));
  EXPECT_EQ(x_values<std::int32_t>(read_x("<i8", little(std::int64_t{INT32_MIN}) + little(std::int64_t{5}))), (I{INT32_MIN, 5}));
  EXPECT_EQ(x_values<std::int32_t>(read_x("<u2", little(std::uint16_t{65535}) + little(std::uint16_t{5}))), (I{65535, 5}));
  EXPECT_EQ(x_values<std::int32_t>(read_x("<u4", little(std::uint32_t{INT32_MAX}) + little(std::uint32_t{5}))), (I{INT32_MAX, 5}));
  EXPECT_EQ(x_values<std::int32_t>(read_x("<u8", little(std::uint64_t{INT32_MAX}) + little(std::uint64_t{5}))), (I{INT32_MAX, 5}));
  const Dataset d =
      read(npy_header(npy_dictionary("|u1", "(2,)")) + "ab", npy_header(npy_dictionary("|b1", "(2,)")) + std::string("\0\1", 2));
  EXPECT_EQ(y_values<std::int32_t>(d), (I{0, 1}));
  EXPECT_EQ(d.x_shape(), Shape{});
}

TEST_F(Npy, HeadersMayBeWrittenInOtherWays) {
  const std::string x = npy_header("{\"shape\":(2,),'fortran_order':False,'descr':\"<f4\"}   \n") + little(1.0F) + little(2.0F);
  EXPECT_EQ(x_values<float>(read(x, labels_)), (std::vector<float>{1, 2}));
}

TEST_F(Npy, WhatIsNotReadSaysWhy) {
  EXPECT_HAS(problem("PK\3\4 a zip file"), "npy: " + path("x.npy") + ": byte 0: not a .npy file");
  EXPECT_HAS(problem(npy_header(npy_dictionary("<f4", "(2,)"), 4)), "byte 6: version 4");
  EXPECT_HAS(problem_of_header(npy_dictionary("<f4", "(2, 2)", "True")), "fortran_order is True; save it in C order");
  EXPECT_HAS(problem_of_header(npy_dictionary(">f4", "(2,)")), "'>f4' is big-endian");
  EXPECT_HAS(problem_of_header(npy_dictionary(">u2", "(2,)")), "'>u2' is big-endian");
  EXPECT_HAS(problem_of_header(npy_dictionary("<c8", "(2,)")), "'<c8' is not among the types");
  EXPECT_HAS(problem_of_header(npy_dictionary("<U7", "(2,)")), "'<U7' is not among the types");
  EXPECT_HAS(problem_of_header(npy_dictionary("", "(2,)")), "'' is not among the types");
  EXPECT_HAS(problem_of_header(npy_dictionary("<f4", "()")), "rank 0");
  EXPECT_HAS(problem_of_header(npy_dictionary("<f4", "(-2,)")), "byte 61: shape has something other than whole numbers");
  EXPECT_HAS(problem_of_header(npy_dictionary("<f4", "(99999999999999999999,)")), "shape has something other than whole numbers");
  EXPECT_HAS(problem_of_header(npy_dictionary("<f4", "(1,1,1,1,1,1,1,1,1)")), "more than 8 axes");
  EXPECT_HAS(problem_of_header(npy_dictionary("<f4", "[2]")), "wanted ( in the header");
  EXPECT_HAS(problem_of_header(npy_dictionary("<f4", "(2,)", "None")), "fortran_order is neither True nor False");
  EXPECT_HAS(problem_of_header("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}"), "an array of records");
  EXPECT_HAS(problem_of_header("{'descr': '<f4', 'shape': (2,)}"), "without descr, fortran_order or shape");
  EXPECT_HAS(problem_of_header("{'descr': '<f4', 'fortran_order': False}"), "without descr, fortran_order or shape");
  EXPECT_HAS(problem_of_header("{'fortran_order': False, 'shape': (2,)}"), "without descr, fortran_order or shape");
  EXPECT_HAS(problem_of_header("{'descr': '<f4', 'descr': '<f4'}"), "the key 'descr' is there twice");
  EXPECT_HAS(problem_of_header("{'x': 1}"), "byte 11: the key 'x' is unknown");
  EXPECT_HAS(problem_of_header("{'descr"), "a string in the header does not end");
  EXPECT_HAS(problem_of_header(npy_dictionary("<f4", "(2,)") + "x"), "something follows");
}

TEST_F(Npy, NumbersOutOfRangeAndCountsThatDifferAreErrors) {
  const auto read_long = [&] { read_x("<i8", little(std::int64_t{1}) + little(std::int64_t{1} << 31)); };
  const std::string message = message_of<IoError>(read_long);
  EXPECT_HAS(message, ": the number does not fit i32");
  const std::size_t header = npy_header(npy_dictionary("<i8", "(2, 1)")).size();
  EXPECT_HAS(message, "byte " + std::to_string(header + 8) + ":");
  EXPECT_HAS(message_of<IoError>([&] { read_x("<u4", little(std::uint32_t{1}) + little(std::uint32_t{1} << 31)); }), "does not fit i32");
  EXPECT_HAS(message_of<IoError>([&] { read_x("<u8", little(std::uint64_t{1}) + little(UINT64_MAX)); }), "does not fit i32");
  EXPECT_HAS(message_of<IoError>([&] { read_x("<f8", little(1.0) + little(1e39)); }), "does not fit f32");
  EXPECT_EQ(problem(npy_header(npy_dictionary("|u1", "(3,)")) + "abc"),
            "npy: " + path("x.npy") + " has 3 samples, " + path("y.npy") + " has 2; wanted as many of both: do the files belong together?");
}

}  // namespace
}  // namespace tidepool::inline v0
