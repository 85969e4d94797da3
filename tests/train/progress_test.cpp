// The bar, as wide as the terminal lets it be.
#include "train/progress.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace tidepool::inline v0 {
namespace {

const Progress::Figures halfway{.step = {.step = 50, .epoch = 2, .batch = 50, .batches = 100},
                                .epochs = 10,
                                .loss = 0.5,
                                .accuracy = 0.875,
                                .samples_per_second = 1234,
                                .seconds_left = 83,
                                .memory = std::size_t{12} << 20};

std::ptrdiff_t width(const std::string& text) {
  return std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; });  // bytes that begin a character
}

TEST(ProgressBar, ShrinksAndLeavesOutWhatDoesNotFit) {
  EXPECT_EQ(Progress::text(halfway, 200),
            "epoch 2/10 ▕██████████          ▏  50 %  loss 0.5000  accuracy 0.875  1:23 left  1234 samples/s  12 MiB");
  EXPECT_EQ(Progress::text(halfway, 87), "epoch 2/10 ▕█████▌     ▏  50 %  loss 0.5000  accuracy 0.875  1:23 left  1234 samples/s");
  EXPECT_EQ(Progress::text(halfway, 50), "epoch 2/10 ▕████████▌        ▏  50 %  loss 0.5000");
  EXPECT_EQ(Progress::text(halfway, 20), "epoch 2/10  50 %");
  EXPECT_EQ(Progress::text(halfway, 8), "epoch 2");
}

TEST(ProgressBar, IsNeverAsWideAsTheTerminal) {
  Progress::Figures odd = halfway;
  odd.loss = 1e30;
  odd.samples_per_second = odd.seconds_left = std::numeric_limits<double>::infinity();
  for (const Progress::Figures& figures : {halfway, odd, Progress::Figures{}})
    for (int columns = 1; columns < 200; ++columns) EXPECT_LT(width(Progress::text(figures, columns)), columns);
}

}  // namespace
}  // namespace tidepool::inline v0
