// Safetensors files: those that Python's package made, and our own.
#include <gtest/gtest.h>
#include <tidepool/error.h>

#include <cstring>
#include <string>
#include <vector>

#include "io/safetensors.h"
#include "support/errors.h"
#include "support/files.h"

namespace tidepool::inline v0 {
namespace {

const std::string golden = std::string(TIDEPOOL_SOURCE_DIR) + "/tests/io/golden/";

const SafetensorsEntry& entry(const SafetensorsFile& file, const char* name) {
  const SafetensorsEntry* found = file.find(name);
  if (!found) throw std::runtime_error(std::string("no entry ") + name);
  return *found;
}

TEST(SafetensorsGolden, NumbersOfEveryKindAreWhatPythonWrote) {
  const SafetensorsFile file = read_safetensors("load", golden + "numpy.safetensors");
  EXPECT_EQ(file.metadata(), (SafetensorsMetadata{{"format", "np"}, {"note", "Zeilen\numbruch"}}));
  EXPECT_EQ(file.entries().size(), 13U);
  const auto floats = [&](const char* name) { return file.floats(entry(file, name)); };
  const auto integers = [&](const char* name) { return file.integers(entry(file, name)); };
  using F = std::vector<float>;
  using I = std::vector<std::int32_t>;
  EXPECT_EQ(floats("weight"), (F{0, 0.25, 0.5, 0.75, 1, 1.25}));
  EXPECT_EQ(entry(file, "weight").shape, (Shape{2, 3}));
  EXPECT_EQ(entry(file, "weight").dtype, "F32");
  EXPECT_EQ(floats("half"), (F{1, -2.5, 65504, 0x1p-24F}));
  EXPECT_EQ(floats("double"), (F{0.1F, -1e30F}));
  EXPECT_EQ(floats("scalar"), (F{3.5}));
  EXPECT_EQ(entry(file, "scalar").shape, Shape{});
  EXPECT_EQ(floats("empty"), F{});
  EXPECT_EQ(entry(file, "empty").shape, Shape{0});
  EXPECT_EQ(integers("long"), (I{INT32_MIN, INT32_MAX, 7}));
  EXPECT_EQ(integers("int"), (I{-1, 2}));
  EXPECT_EQ(integers("short"), (I{-300, 300}));
  EXPECT_EQ(integers("byte"), (I{-128, 127}));
  EXPECT_EQ(integers("image"), (I{0, 128, 255}));
  EXPECT_EQ(integers("mask"), (I{1, 0, 1}));
  EXPECT_EQ(integers("naïve \"name\"\n"), (I{9}));
  EXPECT_EQ(file.find("weigh"), nullptr);
  EXPECT_EQ(file.find("__metadata__"), nullptr);
}

TEST(SafetensorsGolden, BrainFloatsAreRead) {
  const SafetensorsFile file = read_safetensors("load", golden + "brain.safetensors");
  EXPECT_EQ(file.floats(entry(file, "brain")), (std::vector<float>{1, -2, 3.140625F}));
  EXPECT_TRUE(file.metadata().empty());
}

TEST(SafetensorsGolden, NumbersThatDoNotFitAreErrors) {
  const SafetensorsFile file = read_safetensors("load", golden + "numpy.safetensors");
  const std::string range = message_of<IoError>([&] { file.integers(entry(file, "too long")); });
  EXPECT_HAS(range, "numpy.safetensors: key 'too long': byte ");
  EXPECT_HAS(range, "out of range for i32");
  EXPECT_HAS(message_of<IoError>([&] { file.integers(entry(file, "weight")); }), "key 'weight': is F32; wanted I32");
  EXPECT_HAS(message_of<IoError>([&] { file.floats(entry(file, "int")); }), "key 'int': is I32; wanted F32");
  EXPECT_HAS(message_of<IoError>([&] { file.floats(entry(file, "naïve \"name\"\n")); }), "key 'naïve \"name\"\\x0a': is U8");
}

class SafetensorsWriting : public FilesTest {
 protected:
  const std::vector<float> weight_{1, -2, 3.5, 0, 1e-20F, 7};
  const std::vector<std::int32_t> steps_{-5, 1 << 30};
  const std::vector<std::uint8_t> image_{0, 127, 255};
  const std::vector<std::uint16_t> half_{0x3c00};
  std::vector<SafetensorsTensor> tensors_{
      {.name = "image", .dtype = DType::u8, .shape = {3}, .bytes = std::as_bytes(std::span(image_))},
      {.name = "half", .dtype = DType::f16, .shape = {}, .bytes = std::as_bytes(std::span(half_))},
      {.name = "weight", .dtype = DType::f32, .shape = {2, 3}, .bytes = std::as_bytes(std::span(weight_))},
      {.name = "a \"b\"\n", .dtype = DType::i32, .shape = {2, 1}, .bytes = std::as_bytes(std::span(steps_))},
      {.name = "none", .dtype = DType::f32, .shape = {0, 4}, .bytes = {}},
  };
  std::string problem() const {
    return message_of<ArgumentError>([&] { write_safetensors("save", path("m"), {}, tensors_); });
  }
};

TEST_F(SafetensorsWriting, WhatIsWrittenIsReadAgain) {
  const SafetensorsMetadata metadata{{"step", "12"}, {"äöü", "\"quoted\"\n"}};
  write_safetensors("save", path("m"), metadata, tensors_);
  const SafetensorsFile file = read_safetensors("load", path("m"));
  EXPECT_EQ(file.metadata(), metadata);
  EXPECT_EQ(file.entries().size(), 5U);
  EXPECT_EQ(file.floats(entry(file, "weight")), weight_);
  EXPECT_EQ(file.integers(entry(file, "a \"b\"\n")), steps_);
  EXPECT_EQ(file.integers(entry(file, "image")), (std::vector<std::int32_t>{0, 127, 255}));
  EXPECT_EQ(file.floats(entry(file, "half")), (std::vector<float>{1}));
  EXPECT_EQ(entry(file, "none").shape, (Shape{0, 4}));
  EXPECT_EQ(file.bytes(entry(file, "image")).size(), 3U);
}

TEST_F(SafetensorsWriting, EveryTensorIsAligned) {
  write_safetensors("save", path("m"), {{"k", "v"}}, tensors_);
  const std::string bytes = contents(path("m"));
  std::uint64_t header = 0;
  std::memcpy(&header, bytes.data(), sizeof header);
  EXPECT_EQ(header % 8, 0U);
  const SafetensorsFile file = read_safetensors("load", path("m"));
  for (const char* name : {"weight", "a \"b\"\n", "none"}) EXPECT_EQ(entry(file, name).begin % 4, 0U) << name;
  EXPECT_EQ(entry(file, "half").begin % 2, 0U);
}

TEST_F(SafetensorsWriting, AFileWithoutTensorsIsOne) {
  write_safetensors("save", path("m"), {}, {});
  EXPECT_TRUE(read_safetensors("load", path("m")).entries().empty());
}

TEST_F(SafetensorsWriting, KeepsThePreviousFile) {
  write_safetensors("save", path("m"), {{"step", "1"}}, tensors_, true);
  write_safetensors("save", path("m"), {{"step", "2"}}, tensors_, true);
  EXPECT_EQ(read_safetensors("load", path("m")).metadata().at("step"), "2");
  EXPECT_EQ(read_safetensors("load", path("m.previous")).metadata().at("step"), "1");
}

TEST_F(SafetensorsWriting, WhatCouldNotBeReadAgainIsNotWritten) {
  tensors_[0].bytes = tensors_[0].bytes.first(2);
  EXPECT_HAS(problem(), "key 'image': has 2 bytes; [3] wants 3");
  tensors_.erase(tensors_.begin());
  tensors_[0].name = "weight";
  EXPECT_HAS(problem(), "key 'weight': is there twice");
  tensors_[0].name = "__metadata__";
  EXPECT_HAS(problem(), "key '__metadata__'");
  tensors_[0].name = "\xff";
  EXPECT_HAS(problem(), "not UTF-8");
  EXPECT_TRUE(names().empty());
}

}  // namespace
}  // namespace tidepool::inline v0
