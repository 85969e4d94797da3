// Pictures in a terminal.
#pragma once

#include <tidepool/tidepool.h>

#include <string>
#include <vector>

namespace tidepool::cli {

// The first few pictures of a dataset, side by side, with what the network says of each.
std::string predicted_pictures(nn::Sequential& net, const data::Dataset& pictures, const std::vector<std::string>& classes);

}  // namespace tidepool::cli
