// Pictures in a terminal and plots in files.
#pragma once

#include <tidepool/tidepool.h>

#include <string>
#include <vector>

namespace tidepool::cli {

// The first few pictures of a dataset, side by side, with what the network says of each.
std::string predicted_pictures(nn::Sequential& net, const data::Dataset& pictures, const std::vector<std::string>& classes);

// A function of one number and the network's idea of it, as SVG.
void plot_function(nn::Sequential& net, const data::Dataset& samples, const std::string& path);

}  // namespace tidepool::cli
