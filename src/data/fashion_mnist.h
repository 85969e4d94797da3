// Where Fashion-MNIST is looked for.
#pragma once

#include <tidepool/data.h>

#include <filesystem>
#include <span>
#include <string_view>

namespace tidepool::inline v0 {
namespace data {

// The first of the folders that has images and labels of this part, "train" or "t10k". None: an IoError that lists them, and says what
// to do.
Dataset find_fashion_mnist(
    const char* operation, std::span<const std::filesystem::path> folders, std::string_view part,
    std::string_view advice = "run `apt install dataset-fashion-mnist`, or set TIDEPOOL_DATA to the folder that has them");

}  // namespace data
}  // namespace tidepool::inline v0
