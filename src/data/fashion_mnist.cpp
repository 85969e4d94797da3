#include "data/fashion_mnist.h"

#include <tidepool/error.h>

#include "data/idx.h"
#include "platform/cat.h"
#include "platform/environment.h"

#include <vector>

namespace tidepool::inline v0 {
namespace data {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view debian = "/usr/share/datasets/fashion-mnist";

std::vector<fs::path> places_in(const std::string& folder) { return {folder, fs::path(folder) / "fashion-mnist"}; }

// A folder that the caller names is the only one: a mistake in its name must not end with other files.
Dataset find(const char* operation, const std::string& directory, std::string_view part) {
  if (!directory.empty())
    return find_fashion_mnist(operation, places_in(directory), part, "name the folder that has them, or none for Debian's");
  std::vector<fs::path> places;
  if (const auto folder = environment("TIDEPOOL_DATA")) places = places_in(*folder);
  places.emplace_back(debian);
  return find_fashion_mnist(operation, places, part);
}

// The file of this name, plain or packed; empty when it is not there.
std::string file_in(const fs::path& folder, std::string_view name) {
  std::error_code ignored;
  for (const std::string_view ending : {"", ".gz"})
    if (const fs::path path = folder / cat(name, ending); fs::exists(path, ignored)) return path.string();
  return "";
}

}  // namespace

Dataset find_fashion_mnist(const char* operation, std::span<const fs::path> folders, std::string_view part, std::string_view advice) {
  std::string looked;
  for (const fs::path& folder : folders) {
    const std::string images = file_in(folder, cat(part, "-images-idx3-ubyte")), labels = file_in(folder, cat(part, "-labels-idx1-ubyte"));
    if (images.empty() || labels.empty()) {
      looked += (looked.empty() ? "" : ", ") + folder.string();
      continue;
    }
    Dataset dataset = read_idx(operation, images, labels);
    if (dataset.x_dtype() != DType::u8 || dataset.x_shape() != Shape{1, 28, 28})
      throw IoError(operation, cat(images, ": images of ", dataset.x_dtype(), ' ', dataset.x_shape(), "; wanted u8 [1, 28, 28]"));
    if (dataset.y_dtype() != DType::i32 || dataset.y_shape() != Shape{} || dataset.classes() > 10)
      throw IoError(operation, cat(labels, ": wanted one label from 0 to 9 for every image; the largest is ", dataset.classes() - 1));
    return dataset;
  }
  throw IoError(operation, cat(part, "-images-idx3-ubyte and ", part, "-labels-idx1-ubyte (or .gz) are not in ", looked, ": ", advice));
}

Dataset fashion_mnist_train(const std::string& directory) { return find("fashion_mnist_train", directory, "train"); }
Dataset fashion_mnist_test(const std::string& directory) { return find("fashion_mnist_test", directory, "t10k"); }

}  // namespace data
}  // namespace tidepool::inline v0
