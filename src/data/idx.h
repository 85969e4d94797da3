// The two files of an idx dataset, for the readers that know more about them.
#pragma once

#include <tidepool/data.h>

#include <string>

namespace tidepool::inline v0 {
namespace data {

Dataset read_idx(const char* operation, const std::string& images_path, const std::string& labels_path);

}  // namespace data
}  // namespace tidepool::inline v0
