// The format of MNIST, and Fashion-MNIST itself.
#include <gtest/gtest.h>
#include <tidepool/tidepool.h>

#include <array>
#include <string>
#include <vector>

#include "data/fashion_mnist.h"
#include "data/values.h"
#include "support/errors.h"
#include "support/files.h"

namespace tidepool::inline v0 {
namespace {

using data::Dataset;

class Idx : public FilesTest {
 protected:
  const std::string images_ = idx_header(8, {2, 2, 3}) + std::string("\0\1\2\3\4\5\372\373\374\375\376\377", 12);
  const std::string labels_ = idx_header(8, {2}) + "\3\1";

  Dataset read() const { return data::idx(path("images"), path("labels")); }
  Dataset read(const std::string& images, const std::string& labels) const {
    write("images", images);
    write("labels", labels);
    return read();
  }
  std::string problem(const std::string& images, const std::string& labels) const {
    return message_of<IoError>([&] { read(images, labels); });
  }
};

TEST_F(Idx, ImagesGetAChannelAndLabelsAreWhole) {
  for (const bool gz : {false, true}) {
    const Dataset d = read(gz ? packed(images_) : images_, gz ? packed(labels_) : labels_);
    EXPECT_EQ(d.size(), 2);
    EXPECT_EQ(d.x_shape(), (Shape{1, 2, 3}));
    EXPECT_EQ(d.y_shape(), Shape{});
    EXPECT_EQ(d.classes(), 4);
    EXPECT_EQ(x_values<std::uint8_t>(d), (std::vector<std::uint8_t>{0, 1, 2, 3, 4, 5, 250, 251, 252, 253, 254, 255}));
    EXPECT_EQ(y_values<std::int32_t>(d), (std::vector<std::int32_t>{3, 1}));
  }
}

TEST_F(Idx, NumbersOfEveryTypeAreBigEndian) {
  const std::string labels = idx_header(12, {1}) + big(std::int32_t{70000});
  Dataset d = read(idx_header(13, {1, 2}) + big(1.5F) + big(-2.0F), labels);
  EXPECT_EQ(d.x_dtype(), DType::f32);
  EXPECT_EQ(d.x_shape(), Shape{2});
  EXPECT_EQ(x_values<float>(d), (std::vector<float>{1.5, -2}));
  EXPECT_EQ(d.classes(), 70001);
  EXPECT_EQ(x_values<float>(read(idx_header(14, {1, 1}) + big(0.1), labels)), (std::vector<float>{0.1F}));
  EXPECT_EQ(x_values<std::int32_t>(read(idx_header(9, {1, 2}) + "\x80\x7f", labels)), (std::vector<std::int32_t>{-128, 127}));
  EXPECT_EQ(x_values<std::int32_t>(read(idx_header(11, {1, 1}) + big(std::int16_t{-2}), labels)), (std::vector<std::int32_t>{-2}));
  d = read(idx_header(8, {1, 3, 1, 1}) + "abc", idx_header(13, {1, 2}) + big(1.0F) + big(2.0F));
  EXPECT_EQ(d.x_shape(), (Shape{3, 1, 1})) << "has channels already";
  EXPECT_EQ(y_values<float>(d), (std::vector<float>{1, 2}));
  EXPECT_EQ(d.y_shape(), Shape{2});
  EXPECT_EQ(read(idx_header(8, {0, 28, 28}), idx_header(8, {0})).size(), 0);
}

TEST_F(Idx, BadFilesAreNamedWithThePlace) {
  EXPECT_EQ(problem(images_, idx_header(8, {3}) + "\1\2\3"), "idx: " + path("images") + " has 2 samples, " + path("labels") +
                                                                 " has 3; wanted as many of both: do the files belong together?");
  EXPECT_HAS(problem("GIF89a", labels_), "idx: " + path("images") + ": byte 0: not an idx file: it begins with 71 73 70");
  EXPECT_HAS(problem(idx_header(10, {1}) + "a", labels_), "byte 0: not an idx file");
  EXPECT_HAS(problem(idx_header(8, {}), labels_), "byte 3: 0 axes; wanted 1 to 7");
  EXPECT_HAS(problem(idx_header(8, {1, 1, 1, 1, 1, 1, 1, 1}) + "a", labels_), "byte 3: 8 axes");
  EXPECT_HAS(problem(images_ + "x", labels_), "byte 28: the data ends here; the file goes on");
  EXPECT_HAS(problem(images_, labels_ + "x"), path("labels") + ": byte 10: the data ends here");
  EXPECT_HAS(problem(packed(images_ + "x"), labels_), "byte 28: the data ends here");
  EXPECT_HAS(problem(images_, packed(idx_header(12, {2}) + big(std::int32_t{1}))),
             path("labels") + ": byte 8: wanted 8 bytes of labels; the file ends after 4");
  EXPECT_HAS(problem(images_, idx_header(9, {2}) + "\1\xff"), path("labels") + ": byte 9: the label -1 is below 0");
  EXPECT_HAS(problem(idx_header(14, {2, 1}) + big(1e300) + big(1e300), labels_), "byte 12: the number does not fit f32");
  EXPECT_HAS(message_of<IoError>([&] { data::idx(path("none"), path("labels")); }), path("none") + ": cannot be opened: No such file");
  EXPECT_HAS(message_of<IoError>([&] { data::idx(folder(), path("labels")); }), "is a directory");
}

std::uint32_t crc32(std::span<const std::byte> bytes) {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    table[i] = i;
    for (int bit = 0; bit < 8; ++bit) table[i] = table[i] >> 1 ^ (table[i] & 1U ? 0xedb88320U : 0U);
  }
  std::uint32_t crc = ~0U;
  for (const std::byte byte : bytes) crc = table[(crc ^ std::to_integer<std::uint32_t>(byte)) & 255U] ^ crc >> 8;
  return ~crc;
}

void expect_fashion(const Dataset& d, std::int64_t size, std::uint32_t checksum, const std::vector<std::int32_t>& first) {
  EXPECT_EQ(d.size(), size);
  EXPECT_EQ(d.x_shape(), (Shape{1, 28, 28}));
  EXPECT_EQ(d.x_dtype(), DType::u8);
  EXPECT_EQ(d.classes(), 10);
  EXPECT_EQ(crc32(d.x_bytes()), checksum);
  const std::vector<std::int32_t> labels = y_values<std::int32_t>(d);
  EXPECT_EQ(std::vector<std::int32_t>(labels.begin(), labels.begin() + 6), first);
  std::vector<std::int64_t> counts(10);
  for (const std::int32_t label : labels) ++counts.at(static_cast<std::size_t>(label));
  EXPECT_EQ(counts, std::vector<std::int64_t>(10, size / 10));
}

class FashionMnist : public Idx {
 protected:
  static bool there() { return std::filesystem::exists("/usr/share/datasets/fashion-mnist"); }
};

TEST_F(FashionMnist, OfDebianIsWhole) {
  if (!there()) GTEST_SKIP() << "/usr/share/datasets/fashion-mnist is missing: install Debian's dataset-fashion-mnist";
  const Dataset train = data::fashion_mnist_train();
  expect_fashion(train, 60000, 0xae65dccdU, {9, 0, 0, 3, 0, 2});
  expect_fashion(data::fashion_mnist_test(), 10000, 0x12728439U, {9, 2, 1, 1, 6, 1});
  const auto row = train.x_bytes().subspan(14 * 28 + 10, 6);
  EXPECT_EQ(values_in<std::uint8_t>(row), (std::vector<std::uint8_t>{0, 0, 237, 226, 217, 223}));
}

TEST_F(FashionMnist, IsLookedForWhereTheCallerAndTheEnvironmentSay) {
  const std::string image = std::string(784, '\7'), images = idx_header(8, {1, 28, 28}) + image, label = idx_header(8, {1});
  std::filesystem::create_directories(path("mine"));
  std::filesystem::create_directories(path("data/fashion-mnist"));
  write("mine/train-images-idx3-ubyte", images);
  write("mine/train-labels-idx1-ubyte.gz", packed(label + "\4"));
  write("data/fashion-mnist/train-images-idx3-ubyte.gz", packed(images));
  write("data/fashion-mnist/train-labels-idx1-ubyte", label + "\5");
  EXPECT_EQ(data::fashion_mnist_train(path("mine")).classes(), 5);
  EXPECT_EQ(data::fashion_mnist_train(path("data")).classes(), 6);
  setenv("TIDEPOOL_DATA", path("data").c_str(), 1);
  EXPECT_EQ(data::fashion_mnist_train().classes(), 6);
  EXPECT_EQ(data::fashion_mnist_train(path("mine")).classes(), 5) << "only the argument counts";
  unsetenv("TIDEPOOL_DATA");

  write("mine/train-labels-idx1-ubyte", label + "\12");
  EXPECT_HAS(message_of<IoError>([&] { data::fashion_mnist_train(path("mine")); }),
             "train-labels-idx1-ubyte: wanted one label from 0 to 9");
  write("mine/train-images-idx3-ubyte", idx_header(8, {1, 2, 2}) + "abcd");
  EXPECT_HAS(message_of<IoError>([&] { data::fashion_mnist_train(path("mine")); }), "images of u8 [1, 2, 2]; wanted u8 [1, 28, 28]");
}

TEST_F(FashionMnist, IsNotLookedForElsewhereWhenTheCallerNamesAFolder) {
  std::filesystem::create_directories(path("data"));
  for (const char* part : {"train", "t10k"}) {
    write("data/" + std::string(part) + "-images-idx3-ubyte", idx_header(8, {1, 28, 28}) + std::string(784, '\7'));
    write("data/" + std::string(part) + "-labels-idx1-ubyte", idx_header(8, {1}) + "\5");
  }
  setenv("TIDEPOOL_DATA", path("data").c_str(), 1);
  EXPECT_EQ(data::fashion_mnist_train().size(), 1);
  EXPECT_EQ(data::fashion_mnist_test().size(), 1);
  const std::string where =
      " (or .gz) are not in " + path("dta") + ", " + path("dta/fashion-mnist") + ": name the folder that has them, or none for Debian's";
  EXPECT_EQ(message_of<IoError>([&] { data::fashion_mnist_train(path("dta")); }),
            "fashion_mnist_train: train-images-idx3-ubyte and train-labels-idx1-ubyte" + where);
  EXPECT_EQ(message_of<IoError>([&] { data::fashion_mnist_test(path("dta")); }),
            "fashion_mnist_test: t10k-images-idx3-ubyte and t10k-labels-idx1-ubyte" + where);
  unsetenv("TIDEPOOL_DATA");
}

TEST_F(FashionMnist, SaysWhereItLookedAndWhatToInstall) {
  const std::vector<std::filesystem::path> folders{path("one"), path("two")};
  EXPECT_EQ(message_of<IoError>([&] { data::find_fashion_mnist("fashion_mnist_test", folders, "t10k"); }),
            "fashion_mnist_test: t10k-images-idx3-ubyte and t10k-labels-idx1-ubyte (or .gz) are not in " + path("one") + ", " +
                path("two") + ": run `apt install dataset-fashion-mnist`, or set TIDEPOOL_DATA to the folder that has them");
}

}  // namespace
}  // namespace tidepool::inline v0
