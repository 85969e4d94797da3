// Plots in files.
#pragma once

#include <tidepool/tidepool.h>

#include <string>

namespace tidepool::cli {

// A function of one number and the network's idea of it, as SVG.
void plot_function(nn::Sequential& net, const data::Dataset& samples, const std::string& path);

}  // namespace tidepool::cli
