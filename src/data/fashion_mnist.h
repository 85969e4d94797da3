// Where Fashion-MNIST is looked for.
#pragma once

#include <tidepool/data.h>

#include <filesystem>
#include <span>
#include <string_view>

namespace tidepool::inline v0 {
namespace data {

// The first of the folders that has images and labels of this part, "train" or "t10k". None: an IoError that lists them.
Dataset find_fashion_mnist(const char* operation, std::span<const std::filesystem::path> folders, std::string_view part);

}  // namespace data
}  // namespace tidepool::inline v0
