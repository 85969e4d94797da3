#include "cli/pictures.h"

#include <algorithm>
#include <cstdio>

#include "platform/terminal.h"

namespace tidepool::cli {

namespace {

// Two rows of pixels in one of characters: the upper half in the character's colour, the lower in its background's. Where
// there are no colours, characters that are darker or brighter.
std::string pixel_pair(int upper, int lower, bool colour) {
  if (colour) {
    char text[64];
    std::snprintf(text, sizeof text, "\x1b[38;5;%dm\x1b[48;5;%dm▀", 232 + upper * 23 / 255, 232 + lower * 23 / 255);
    return text;
  }
  static constexpr char shades[] = " .:-=+*#%@";
  return std::string(1, shades[(upper + lower) / 2 * 9 / 255]);
}

std::string centred(const std::string& text, std::size_t width) {
  if (text.size() >= width) return text.substr(0, width);
  const std::size_t left = (width - text.size()) / 2;
  return std::string(left, ' ') + text + std::string(width - text.size() - left, ' ');
}

}  // namespace

std::string predicted_pictures(nn::Sequential& net, const data::Dataset& pictures, const std::vector<std::string>& classes) {
  const Shape shape = pictures.x_shape();
  if (shape.rank() != 3 || pictures.x_dtype() != DType::u8) return "";
  const auto height = static_cast<std::size_t>(shape[1]), width = static_cast<std::size_t>(shape[2]);
  const std::size_t columns = static_cast<std::size_t>(terminal_columns());
  const std::int64_t count = std::clamp<std::int64_t>(static_cast<std::int64_t>(columns / (width + 2)), 1, 6);
  const data::Dataset shown = pictures.slice(0, std::min(count, pictures.size()));
  const data::Batch batch = *data::Loader(shown, {.batch = shown.size()}).begin();
  const NoGrad guard;
  const bool training = net.training();
  net.eval();
  const auto said = argmax(net(batch.x), 1).to_host<std::int32_t>(), labels = batch.y.to_host<std::int32_t>();
  net.train(training);
  const bool colour = colour_wanted();
  const auto pixel = [&](std::size_t picture, std::size_t y, std::size_t x) {
    return y < height ? std::to_integer<int>(shown.x_bytes()[(picture * height + y) * width + x]) : 0;
  };
  std::string text;
  for (std::size_t y = 0; y < height; y += 2) {
    for (std::size_t picture = 0; picture < said.size(); ++picture) {
      for (std::size_t x = 0; x < width; ++x) text += pixel_pair(pixel(picture, y, x), pixel(picture, y + 1, x), colour);
      text += colour ? "\x1b[0m  " : "  ";
    }
    text += '\n';
  }
  const auto name = [&](std::int32_t i) {
    return static_cast<std::size_t>(i) < classes.size() ? classes[static_cast<std::size_t>(i)] : std::to_string(i);
  };
  for (std::size_t i = 0; i < said.size(); ++i)
    text += centred(said[i] == labels[i] ? name(said[i]) : name(said[i]) + " (is: " + name(labels[i]) + ")", width) + "  ";
  return text + '\n';
}

}  // namespace tidepool::cli
