// Samples to learn from, read from files or made from tensors. They stay on the host; a Loader brings batches to a device.
//
//     tp::data::Dataset train = tp::data::fashion_mnist_train().normalized(0.286, 0.353);
//     tp::data::Dataset mine = tp::data::csv("measurements.csv", {.target = 0});
//     auto [first, rest] = std::pair(mine.slice(0, 100), mine.slice(100, mine.size()));
//
// What a file says is checked before it is believed: a broken or hostile one is an IoError that names the file and the place.
#pragma once

#include <tidepool/dtype.h>
#include <tidepool/shape.h>
#include <tidepool/tensor.h>
#include <tidepool/version.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace tidepool::inline v0 {
namespace data {

struct Samples;

// Samples on the host: row i of x belongs to row i of y. Cheap to copy; copies share the numbers.
class TIDEPOOL_API Dataset {
 public:
  Dataset() = default;
  explicit Dataset(std::shared_ptr<const Samples> samples);  // for the library itself

  std::int64_t size() const { return end_ - begin_; }
  Shape x_shape() const;         // of one sample: [1, 28, 28]
  Shape y_shape() const;         // of one sample: [] for labels
  DType x_dtype() const;         // u8, f32 or i32
  DType y_dtype() const;         // i32 or f32
  std::int64_t classes() const;  // of i32 labels of rank 0 that are all >= 0: the largest label + 1; otherwise 0

  // x on the device becomes (x - mean) / deviation, where u8 counts as 0..1 (255 is 1). Replaces an earlier normalization.
  Dataset normalized(double mean, double deviation) const;
  double mean() const { return mean_; }
  double deviation() const { return deviation_; }

  Dataset slice(std::int64_t begin, std::int64_t end) const;  // samples [begin, end), sharing the numbers

  // All rows, one after the other, as this machine's numbers of x_dtype() and y_dtype(). They live as long as the dataset or a copy.
  std::span<const std::byte> x_bytes() const;
  std::span<const std::byte> y_bytes() const;

 private:
  std::shared_ptr<const Samples> samples_;
  std::int64_t begin_ = 0, end_ = 0;
  double mean_ = 0, deviation_ = 1;
};

// The format of MNIST, plain or .gz. Images of u8 [n, h, w] are x of u8 [1, h, w]; other ranks stay as they are. Labels become i32.
TIDEPOOL_API Dataset idx(const std::string& images_path, const std::string& labels_path);

// 60,000 and 10,000 images of clothes, u8 [1, 28, 28], in 10 classes. They are looked for in `directory` if one is given, and
// nowhere else; otherwise in TIDEPOOL_DATA and where Debian's package dataset-fashion-mnist puts them.
TIDEPOOL_API Dataset fashion_mnist_train(const std::string& directory = "");
TIDEPOOL_API Dataset fashion_mnist_test(const std::string& directory = "");

struct CsvOptions {
  std::int64_t target = -1;                   // the column of y; negative ones count from the end
  std::optional<bool> header = std::nullopt;  // is the first line one of names? Not set: it is if something in it is not a number
  char separator = 0;                         // 0: the one of , ; and tab that the first line has most of
  std::optional<bool> labels = std::nullopt;  // is y i32 labels? Not set: it is if all are whole numbers >= 0
};
// Lines of numbers, plain or .gz. x is f32 [columns - 1]; y is i32 [] (labels) or f32 [1].
TIDEPOOL_API Dataset csv(const std::string& path, const CsvOptions& options = {});

// Arrays that NumPy saved, one row per sample. Of x, u1 is u8, other whole numbers are i32, bool and real ones f32; of y, whole ones and
// bool are i32.
TIDEPOOL_API Dataset npy(const std::string& x_path, const std::string& y_path);

// Copies to the host. x is u8, f32 or i32 [n, ...] (f16 becomes f32), y likewise (u8 becomes i32).
TIDEPOOL_API Dataset from_tensors(const Tensor& x, const Tensor& y);

}  // namespace data
}  // namespace tidepool::inline v0
