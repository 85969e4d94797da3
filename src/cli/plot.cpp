#include "cli/plot.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "platform/cat.h"
#include "platform/replace_file.h"

namespace tidepool::cli {

void plot_function(nn::Sequential& net, const data::Dataset& samples, const std::string& path) {
  const data::Batch batch = *data::Loader(samples, {.batch = samples.size()}).begin();
  const NoGrad guard;
  const auto x = batch.x.to_host<float>(), truth = batch.y.to_host<float>(), said = net(batch.x).to_host<float>();
  const auto [low_x, high_x] = std::ranges::minmax(x);
  float low = *std::ranges::min_element(truth), high = *std::ranges::max_element(truth);
  const float margin = 0.1F * (high - low);
  low -= margin;
  high += margin;
  const auto points = [&](const std::vector<float>& values) {
    std::string line;
    const std::size_t step = std::max<std::size_t>(1, values.size() / 400);
    for (std::size_t i = 0; i < values.size(); i += step) {
      char point[64];
      std::snprintf(point, sizeof point, "%.1f,%.1f ", static_cast<double>(40 + 740 * (x[i] - low_x) / (high_x - low_x)),
                    static_cast<double>(360 - 320 * (values[i] - low) / (high - low)));
      line += point;
    }
    return line;
  };
  double square = 0;
  for (std::size_t i = 0; i < x.size(); ++i) square += std::pow(static_cast<double>(said[i]) - static_cast<double>(truth[i]), 2);
  const std::string svg =
      cat("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 800 400\" font-family=\"sans-serif\" font-size=\"14\">\n"
          "<rect width=\"800\" height=\"400\" fill=\"white\"/>\n"
          "<rect x=\"40\" y=\"40\" width=\"740\" height=\"320\" fill=\"none\" stroke=\"#ccc\"/>\n"
          "<polyline fill=\"none\" stroke=\"#9bb\" stroke-width=\"6\" points=\"",
          points(truth), "\"/>\n<polyline fill=\"none\" stroke=\"#c33\" stroke-width=\"2\" points=\"", points(said),
          "\"/>\n<text x=\"40\" y=\"25\"><tspan fill=\"#799\">truth</tspan>  <tspan fill=\"#c33\">network</tspan>  mean square error ",
          square / static_cast<double>(x.size()), "</text>\n<text x=\"40\" y=\"380\">", low_x,
          "</text>\n<text x=\"780\" y=\"380\" text-anchor=\"end\">", high_x, "</text>\n</svg>\n");
  const std::span<const std::byte> piece = std::as_bytes(std::span(svg));
  replace_file("plot", path, std::span(&piece, 1));
}

}  // namespace tidepool::cli
