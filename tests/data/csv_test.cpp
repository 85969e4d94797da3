// Lines of numbers.
#include <gtest/gtest.h>
#include <tidepool/tidepool.h>

#include <clocale>
#include <cmath>
#include <string>
#include <vector>

#include "data/values.h"
#include "support/errors.h"
#include "support/files.h"

namespace tidepool::inline v0 {
namespace {

using data::CsvOptions;
using data::Dataset;
using F = std::vector<float>;
using I = std::vector<std::int32_t>;

class Csv : public FilesTest {
 protected:
  Dataset read(const std::string& text, const CsvOptions& options = {}) const {
    write("t.csv", text);
    return data::csv(path("t.csv"), options);
  }
  std::string problem(const std::string& text, const CsvOptions& options = {}) const {
    return message_of<IoError>([&] { read(text, options); });
  }
};

TEST_F(Csv, TheLastColumnIsTheTarget) {
  const std::string text = "1,2.5,0\n-3,4e2,2\n";
  for (const bool gz : {false, true}) {
    const Dataset d = read(gz ? packed(text) : text);
    EXPECT_EQ(d.size(), 2);
    EXPECT_EQ(d.x_shape(), Shape{2});
    EXPECT_EQ(d.y_shape(), Shape{});
    EXPECT_EQ(d.classes(), 3);
    EXPECT_EQ(x_values<float>(d), (F{1, 2.5, -3, 400}));
    EXPECT_EQ(y_values<std::int32_t>(d), (I{0, 2}));
  }
}

TEST_F(Csv, TargetsThatAreNotLabelsAreReal) {
  for (const char* text : {"1,0.5\n2,1\n", "1,-1\n2,1\n", "1,3e9\n2,1\n", "1,nan\n2,1\n"}) {
    const Dataset d = read(text);
    EXPECT_EQ(d.y_dtype(), DType::f32) << text;
    EXPECT_EQ(d.y_shape(), Shape{1}) << text;
    EXPECT_EQ(d.classes(), 0) << text;
    EXPECT_EQ(y_values<float>(d)[1], 1) << text;
  }
  EXPECT_EQ(y_values<float>(read("1,2\n", {.labels = false})), (F{2}));
  EXPECT_HAS(problem("1,2\n1,2.5\n", {.labels = true}), "line 2: column 2 is '2.5'; a label is a whole number");
}

TEST_F(Csv, ALineMayBeAsLongAsItsFileIsPacked) {
  std::string text;
  std::uint32_t seed = 1;
  for (int row = 0; row < 3; ++row) {
    for (int i = 0; i < 20'000; ++i) {  // digits that do not pack well
      seed = seed * 1664525U + 1013904223U;
      text += std::to_string(seed >> 8) + ',';
    }
    text += "1\n";
  }
  for (const bool gz : {false, true}) {
    const Dataset d = read(gz ? packed(text) : text);
    EXPECT_EQ(d.x_shape(), Shape{20'000}) << gz;
  }
  std::string line(200'000, '1');
  line += ",1\n";  // gcc 12 sees ghosts in a sum of the two
  EXPECT_HAS(problem(packed(line)), "line 1: longer than 65536 bytes in a packed file; if that is meant, unpack it with gunzip first");
}

TEST_F(Csv, AnyColumnMayBeTheTarget) {
  EXPECT_EQ(x_values<float>(read("7,1,2\n", {.target = 0})), (F{1, 2}));
  EXPECT_EQ(y_values<std::int32_t>(read("7,1,2\n", {.target = 1})), (I{1}));
  EXPECT_EQ(x_values<float>(read("7,1,2\n", {.target = -2})), (F{7, 2}));
  EXPECT_HAS(message_of<ArgumentError>([&] { read("7,1,2\n", {.target = 3}); }),
             "csv: " + path("t.csv") + ": .target is 3; the file has 3 columns");
  message_of<ArgumentError>([&] { read("7,1,2\n", {.target = -4}); });
}

TEST_F(Csv, AHeaderIsFoundOut) {
  EXPECT_EQ(read("width,height,kind\n1,2,0\n").size(), 1);
  EXPECT_EQ(read("0,1,kind\n1,2,0\n").size(), 1) << "columns that are named by numbers";
  EXPECT_EQ(read("\"a, b\",c\n1,2\n").size(), 1);
  EXPECT_EQ(read("1,2\n1,2\n", {.header = true}).size(), 1);
  EXPECT_EQ(read("a,b\n").size(), 0);
  EXPECT_HAS(problem("a,b\n1,2\n", {.header = false}), "line 1: column 1 is 'a', which is no number");
  EXPECT_HAS(problem("1,,3\n1,2,3\n"), "line 1: column 2 is empty");
}

TEST_F(Csv, SeparatorsAreFoundOut) {
  EXPECT_EQ(x_values<float>(read("1;2;0\n")), (F{1, 2}));
  EXPECT_EQ(x_values<float>(read("1\t2\t0\n")), (F{1, 2}));
  EXPECT_EQ(x_values<float>(read("a, the first;b;c\n1;2;0\n")), (F{1, 2})) << "the one that the line has most of";
  EXPECT_EQ(x_values<float>(read("1|2|0\n", {.separator = '|'})), (F{1, 2}));
  EXPECT_EQ(x_values<float>(read("1 2 0\n", {.separator = ' '})), (F{1, 2}));
}

TEST_F(Csv, TheWaysPeopleWriteFiles) {
  const F wanted{1, 2};
  for (const char* text : {"1,2,0", "1,2,0\r\n",
                           "\xef\xbb\xbf"
                           "1,2,0\n",
                           " 1 ,\t2 , 0 \n", "\n\n1,2,0\n\n  \n", "\"1\",\"2\",\"0\"\n", "+1,\"2\" ,0\r\n", "1.,2.000,0"})
    EXPECT_EQ(x_values<float>(read(text)), wanted) << text;
  const F tiny = x_values<float>(read("1e-400,0." + std::string(400, '0') + "1,1e-50,inf,0\n"));
  EXPECT_EQ(tiny, (F{0, 0, 0, HUGE_VALF}));
}

TEST_F(Csv, NumbersDoNotDependOnTheLocale) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  for (const char* name : {"de_DE.UTF-8", "C.UTF-8"}) std::setlocale(LC_ALL, name);
  EXPECT_EQ(x_values<float>(read("1.5,0\n")), (F{1.5}));
  std::setlocale(LC_ALL, before.c_str());
}

TEST_F(Csv, BadLinesAreNamed) {
  EXPECT_EQ(problem(""), "csv: " + path("t.csv") + ": is empty; wanted one sample a line");
  EXPECT_HAS(problem("\n \n"), "is empty; wanted one sample a line");
  EXPECT_HAS(problem("1\n2\n"), "line 1: one column");
  EXPECT_HAS(problem("1,2\n\n3\n"), "line 3: 1 fields; the first line has 2");
  EXPECT_HAS(problem("1,2\n3,4,5\n"), "line 2: 3 fields; the first line has 2");
  EXPECT_HAS(problem("1,2\n3,\n"), "line 2: column 2 is empty");
  EXPECT_HAS(problem("1,2\n3x,4\n"), "line 2: column 1 is '3x', which is no number");
  EXPECT_HAS(problem("1,2\n0x10,4\n"), "column 1 is '0x10'");
  EXPECT_HAS(problem("1,2\n+-1,4\n"), "column 1 is '+-1'");
  EXPECT_HAS(problem("1,2\n1e39,4\n"), "line 2: column 1 is '1e39', which is too large for f32");
  EXPECT_HAS(problem("1,2\n-1e999,4\n"), "too large for f32");
  EXPECT_HAS(problem("1,2\n\"3,4\n"), "line 2: a quote is not closed");
  EXPECT_HAS(problem("1,2\n\"3\"x,4\n"), "line 2: something follows a closing quote");
  EXPECT_HAS(problem(std::string("1,2\n\0\n,4\n", 10)), "line 2");
  EXPECT_HAS(message_of<IoError>([&] { data::csv(path("none.csv")); }), "none.csv: cannot be opened");
  EXPECT_LT(problem("1,2\n" + std::string(100'000, 'x') + ",4\n").size(), 300U);
}

}  // namespace
}  // namespace tidepool::inline v0
