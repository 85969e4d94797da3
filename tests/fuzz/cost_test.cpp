// What a hostile file costs whoever reads it: no more than twice its size in memory, and no more than a tenth of a second, until it is
// refused.
#include <gtest/gtest.h>
#include <tidepool/tidepool.h>

#include <algorithm>
#include <cstring>
#include <ctime>

#include "support/allocations.h"
#include "support/files.h"
#include "support/sanitizers.h"
#include "train/checkpoint.h"

namespace tidepool::inline v0 {
namespace {

#if defined(TIDEPOOL_COUNTED)
constexpr bool timed = false;
#else
constexpr bool timed = !address_sanitizer && !thread_sanitizer;
#endif
constexpr double most_seconds = 0.1;
constexpr std::size_t megabytes = 4'000'000;
constexpr std::size_t buffers = 300'000;  // bytes that reading takes, whatever the file's size is

double seconds_of_this_thread() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

class HostileFile : public FilesTest {
 protected:
  void expect_cheap(const std::string& what, const std::string& bytes, const std::function<void()>& load) const {
    SCOPED_TRACE(what);
    write("x", bytes);
    const Allocations before;
    double seconds = seconds_to_refuse(load);
    EXPECT_LE(before.most_since(), 2 * bytes.size() + buffers);
    for (int again = 0; timed && again < 3 && seconds > most_seconds; ++again) seconds = std::min(seconds, seconds_to_refuse(load));
    if (timed) {
      EXPECT_LE(seconds, most_seconds);
    }
    RecordProperty(what, std::to_string(static_cast<double>(before.most_since()) / static_cast<double>(bytes.size())) + " x, " +
                             std::to_string(1e3 * seconds) + " ms");
  }
  double seconds_to_refuse(const std::function<void()>& load) const {
    const double start = seconds_of_this_thread();
    EXPECT_FALSE(loads(load));
    return seconds_of_this_thread() - start;
  }
  // The last of them is spoiled.
  static std::string many(const std::string& begin, const std::function<std::string(std::size_t)>& part, const std::string& end) {
    std::string text = begin;
    text.reserve(megabytes + 1000);
    for (std::size_t i = 0; text.size() < megabytes; ++i) text += part(i);
    return text + end;
  }
  static std::string safetensors(const std::string& header, const std::string& data = "") {
    const std::uint64_t size = header.size();
    std::string bytes(8, '\0');
    std::memcpy(bytes.data(), &size, sizeof size);
    return bytes + header + data;
  }
  static std::string big_endian(std::initializer_list<std::uint32_t> numbers) {
    std::string bytes;
    for (const std::uint32_t number : numbers)
      for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift & 0xff);
    return bytes;
  }
};

std::vector<std::pair<std::string, std::string>> hostile_headers(
    const std::function<std::string(const std::string&, const std::function<std::string(std::size_t)>&, const std::string&)>& many) {
  const auto tensor = [](std::size_t i) {
    return "\"" + std::to_string(i) + "\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]},";
  };
  const auto pair = [](std::size_t i) { return "\"" + std::to_string(i) + "\":\"\","; };
  const std::string hole = R"("z":{"dtype":"U8","shape":[0],"data_offsets":[9,9]}})", nothing = R"("z":0})";
  return {{"many tensors and a hole", many("{", tensor, hole)},
          {"many tensors and nonsense", many("{", tensor, nothing)},
          {"many tensors and one twice", many("{", tensor, R"("0":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})")},
          {"much metadata", many("{\"__metadata__\":{", pair, "\"0\":\"\"}}")},
          {"a long value", "{\"__metadata__\":{\"a\":\"" + std::string(megabytes, 'x') + "\",\"b\":0}}"},
          {"a long name", "{\"" + std::string(megabytes, 'x') + "\":0}"},
          {"a long name of escapes", many(
                                         "{\"", [](std::size_t) { return "\\u00e9"; }, "\":0}")},
          {"a long type", R"({"a":{"dtype":")" + std::string(megabytes, 'x') + R"(","shape":[0],"data_offsets":[0,0]}})"},
          {"a long number", R"({"a":{"dtype":"U8","shape":[)" + std::string(megabytes, '1') + R"(],"data_offsets":[0,0]}})"},
          {"deep lists", R"({"a":{"x":)" + std::string(megabytes, '[')},
          {"deep objects", many(R"({"a":{"x":)", [](std::size_t) { return "{\"\":"; }, "")},
          {"nothing but blanks", "{" + std::string(megabytes, ' ')}};
}

TEST_F(HostileFile, SafetensorsCostLittleToRefuse) {
  nn::Sequential net{nn::Linear(2, 2)};
  const auto read = [&] { load(net, path("x")); };
  for (const auto& [what, header] : hostile_headers(many)) expect_cheap(what, safetensors(header), read);
  expect_cheap("data that is not there", safetensors(R"({"a":{"dtype":"U8","shape":[8000000000],"data_offsets":[0,8000000000]}})"), read);
  expect_cheap("data that nobody names", safetensors("{}", std::string(megabytes, 'x')), read);
  expect_cheap("other tensors",
               safetensors(R"({"a":{"dtype":"U8","shape":[4000000],"data_offsets":[0,4000000]}})", std::string(megabytes, 'x')), read);
  expect_cheap("packed", packed(safetensors("{" + std::string(20 * megabytes, ' '))), read);
}

TEST_F(HostileFile, CheckpointsCostLittleToRefuse) {
  nn::Sequential net{nn::Linear(2, 2)};
  optim::SGD opt(net.parameters());
  Trainer trainer(net, opt, mse_loss);
  const auto read = [&] { trainer.resume(path("x")); };
  for (const auto& [what, header] : hostile_headers(many)) expect_cheap(what, safetensors(header), read);
  Snapshot snapshot;
  snapshot.epochs.assign(1, {});
  snapshot.tensors.push_back({"a", DType::f32, {1'000'000}, std::vector<std::byte>(megabytes)});
  write_checkpoint(path("good"), snapshot, {.optimizer = "SGD", .conditions = "", .batch = 1, .micro_batch = 1, .seed = 0, .samples = 1});
  std::string good = contents(path("good")), spoiled = good;
  spoiled.back() = 'x';
  expect_cheap("a wrong checksum", spoiled, read);
  // Epochs without end, of which the last is cut off; the checksum is right.
  std::string epochs;
  while (epochs.size() < megabytes) epochs += "1 1 1 1 1 1 1\\n";
  const std::string key = "\"epochs\":\"";
  spoiled = R"({"__metadata__":{"checksum":"0","tidepool.checkpoint":"1",)" + key + epochs + "1\"}}";
  expect_cheap("many epochs", safetensors(spoiled), read);
}

TEST_F(HostileFile, IdxCostsLittleToRefuse) {
  const auto images = [&] { data::idx(path("x"), path("y")); };
  const auto labels = [&] { data::idx(path("y"), path("x")); };
  const std::string two(2, '\1');
  write("y", big_endian({0x0801, 2}) + two);
  expect_cheap("images that are not there", big_endian({0x0803, 2, 60000, 60000}) + std::string(megabytes, 'x'), images);
  expect_cheap("images beyond those named", big_endian({0x0803, 2, 1, 1}) + std::string(megabytes, 'x'), images);
  expect_cheap("more images than labels", big_endian({0x0801, megabytes}) + std::string(megabytes, '\1'), images);
  expect_cheap("more labels than images", big_endian({0x0801, megabytes}) + std::string(megabytes, '\1'), labels);
  write("y", big_endian({0x0802, megabytes, 0}));
  expect_cheap("a label below 0", big_endian({0x0901, megabytes}) + std::string(megabytes - 1, '\1') + '\xff', labels);
  write("y", big_endian({0x0801, 2}) + two);
  // A million bytes of nothing pack to a thousand.
  const std::string nothing(30 * megabytes / 4, '\0');
  expect_cheap("packed images that are not there", packed(big_endian({0x0803, 2, 4000, 4000}) + nothing), images);
  expect_cheap("packed images beyond those named", packed(big_endian({0x0803, 2, 1000, 1000}) + nothing), images);
  expect_cheap("packed images, far too many", packed(big_endian({0x0803, 2, 20000, 20000}) + nothing), images);
}

TEST_F(HostileFile, NpyCostsLittleToRefuse) {
  const auto npy = [](const std::string& type, const std::string& shape, const std::string& data) {
    std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + "}";
    header.resize(117, ' ');
    header += '\n';
    return std::string("\x93NUMPY\1\0", 8) + static_cast<char>(header.size()) + '\0' + header + data;
  };
  const auto as_x = [&] { data::npy(path("x"), path("y")); };
  const auto as_y = [&] { data::npy(path("y"), path("x")); };
  write("y", npy("|u1", "(2,)", "ab"));
  const std::string data(megabytes, '\1');
  expect_cheap("an array that is not there", npy("|u1", "(2, 4000000000)", data), as_x);
  expect_cheap("an array that goes on", npy("|b1", "(2, 1999990)", data), as_x);
  expect_cheap("more rows than the other has", npy("|u1", "(4000000,)", data), as_y);
  expect_cheap("a long header", std::string("\x93NUMPY\2\0\xff\xff\xff\0", 12) + std::string(megabytes, ' '), as_x);
  const std::string large = std::string(7, '\xff') + '\x7e';
  expect_cheap("a number that is too large", npy("<f8", "(2, 250000)", data.substr(8) + large), as_x);
  expect_cheap("a packed array that is not there", packed(npy("|u1", "(2, 10000000)", data + data)), as_x);
}

TEST_F(HostileFile, CsvCostsLittleToRefuse) {
  const auto read = [&] { data::csv(path("x")); };
  const auto row = [](std::size_t) { return "1,2,3,4,5,6,7,8,9,0\n"; };
  expect_cheap("a bad last line", many("", row, "1,2\n"), read);
  expect_cheap("a bad number in the last line", many("", row, "1,2,3,4,5,6,7,8,9,x\n"), read);
  expect_cheap("one long line of fields",
               many(
                   "", [](std::size_t) { return "1,"; }, "x\n1,2\n"),
               read);
  expect_cheap("two long lines",
               many(
                   "", [](std::size_t i) { return i == megabytes / 4 ? "1\n" : "1,"; }, "1\n"),
               read);
  expect_cheap("one long field", std::string(megabytes, '1') + "\n", read);
  expect_cheap("a long number", "1,2\n3," + std::string(megabytes, '1') + "\n", read);
  expect_cheap("one long string", "\"" + std::string(megabytes, '1'), read);
  expect_cheap("a string of quotes", "1,2\n\"" + std::string(megabytes, '"') + "\",2\n", read);
  expect_cheap("a long header and nothing like it",
               many(
                   "", [](std::size_t) { return ","; }, "a\n1,2\n"),
               read);
  expect_cheap("no lines but ends of them", std::string(megabytes, '\n'), read);
  expect_cheap("bytes that mean nothing", std::string(megabytes, '\0'), read);
  expect_cheap("packed lines, the last of them bad", packed(many("", row, "1,2\n")), read);
  expect_cheap("a long line in a small file", packed(std::string(10 * megabytes, '1')), read);
  std::string rows;
  while (rows.size() < 10 * megabytes) rows += "1,2\n";
  expect_cheap("far too many lines in a small file", packed(rows), read);
  expect_cheap("many lines in a small file, the last of them bad", packed(rows.substr(0, megabytes) + "3\n"), read);
}

}  // namespace
}  // namespace tidepool::inline v0
