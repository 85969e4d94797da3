// What watch shows: a record as a screen of text.
#include "cli/watch/view.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "cli/watch/figures.h"
#include "cli/watch/line.h"
#include "monitor/full_record.h"
#include "platform/bytes.h"

namespace tidepool::cli {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string without_colours(const std::string& text) { return std::regex_replace(text, std::regex("\x1b\\[[0-9;]*m"), ""); }

TEST(WatchView, ShowsTheRun) {
  EXPECT_EQ('\n' + draw(monitor::full_record(), {.columns = 80, .rows = 40}), R"(
 tidepool  fashion-mnist on vulkan:0 · A device                  training  0:12
 epoch 3/10  ────────────────────────────────────  0.8 %  step 77  ends in 1:40

 loss              nan  ▄×                                  0.1 to 0.1
 accuracy       93.8 %  ▄▄                                  93.8 % to 93.8 %
 step          12.5 ms  ▄▄                                  12.5 ms to 12.5 ms
 utilisation    75.0 %  ▆
 epoch 2                loss 0.25  6.00 s

 memory         1000 B  of 8 KiB allowed · peak 4.9 KiB · cached 3 KiB
 █████▓▓▒░=-----------------------------·······································
 █ activations 500 B ▓ parameters 200 B ▒ gradients 150 B ░ optimizer 100 B
 ▚ plan 30 B = scratch 20 B - cached

 anomaly          0:12  loss: the loss is not a number
 anomaly          0:11  leak: activations grow by 1 MiB a second
 advice           25 %  --batch 256: the device waits: batches of 256 would fil…
 event            0:12  fallback cpu: vulkan:0 was lost
 event            0:00  selected vulkan:0: the only GPU

 kernel             launches      time      each   share
 matmul_tiles          1,000    750 ms    750 µs  75.0 % ████████████████▌
 relu                  2,000    250 ms    125 µs  25.0 % █████▌)");
}

TEST(WatchView, ASmallTerminalHasWhatMattersMost) {
  EXPECT_EQ('\n' + draw(monitor::full_record(), {.columns = 44, .rows = 12}), R"(
 tidepool  fashion-mnist     training  0:12
 epoch 3/10    0.8 %  step 77  ends in 1:40
 loss              nan  ▄×
 accuracy       93.8 %  ▄▄
 step          12.5 ms  ▄▄
 utilisation    75.0 %  ▆
 memory         1000 B  of 8 KiB allowed · …
 ███▓░----------------·····················
 █ activations 500 B ▓ parameters 200 B
 anomaly  0:12  loss: the loss is not a num…
 kernel                               share
 matmul_tiles                        75.0 %)");
  EXPECT_EQ('\n' + draw(monitor::full_record(), {.columns = 44, .rows = 4}), R"(
 tidepool  fashion-mnist     training  0:12
 loss              nan  ▄×
 memory         1000 B  of 8 KiB allowed · …
 anomaly  0:12  loss: the loss is not a num…)");
}

TEST(WatchView, WithoutTrainingAndWithoutALimit) {
  monitor::RunRecord run;
  run.running = true;
  run.time = 3725;
  run.device.id = run.device.name = "cpu";
  EXPECT_EQ(draw(run, {.columns = 60, .rows = 20}), " tidepool  a run on cpu                   watching  1:02:05");
  run.samples = {monitor::full_sample(1)};
  run.samples[0].limit = 0;
  run.samples[0].loss.reset();
  run.samples[0].accuracy.reset();
  run.samples[0].step_ms = 0;
  run.samples[0].utilisation.reset();
  run.forecast.memory_full = monitor::Expectation{90, 80, 100, ""};
  EXPECT_EQ('\n' + draw(run, {.columns = 74, .rows = 20}), R"(
 tidepool  a run on cpu                                 watching  1:02:05

 system load    87.5 %  ▇

 memory         1000 B  of 4 KiB taken · full in 1:30 · peak 4.9 KiB · ca…
 █████████▓▓▓▒▒▒░░=------------------------------------------------------
 █ activations 500 B ▓ parameters 200 B ▒ gradients 150 B
 ░ optimizer 100 B ▚ plan 30 B = scratch 20 B - cached)");
}

TEST(WatchView, TheNoteStandsInThePlaceOfTheState) {
  const Screen screen{.columns = 80, .rows = 30, .colour = false, .note = "the server is gone"};
  const std::string first = lines_of(draw(monitor::full_record(), screen))[0];
  EXPECT_TRUE(first.ends_with("the server is gone  0:12")) << first;
  EXPECT_EQ(first.find("training"), std::string::npos);
}

TEST(WatchView, AFinishedRunIsAtItsEnd) {
  monitor::RunRecord run = monitor::full_record();
  run.training->finished = true;
  run.training->epoch = 10;
  run.training->step = 9380;
  const std::vector<std::string> lines = lines_of(draw(run, {.columns = 60, .rows = 30}));
  EXPECT_TRUE(lines[0].ends_with("finished  0:12")) << lines[0];
  EXPECT_EQ(lines[1], " epoch 10/10  ━━━━━━━━━━━━━━━━━━━━━━━━━━  100 %  step 9,380");
}

TEST(WatchView, AnInterruptedRunHasEndedThoughItsProgramGoesOn) {
  monitor::RunRecord run = monitor::full_record();
  ASSERT_TRUE(run.running && run.forecast.training_end);
  run.training->ended = true;
  const std::vector<std::string> lines = lines_of(draw(run, {.columns = 80, .rows = 30}));
  EXPECT_TRUE(lines[0].ends_with("ended  0:12")) << lines[0];
  EXPECT_EQ(lines[1].find("ends in"), std::string::npos) << lines[1];
  EXPECT_TRUE(plain_line(run).starts_with("0:12  ended  epoch 3/10")) << plain_line(run);
  run.training->finished = true;
  EXPECT_TRUE(plain_line(run).starts_with("0:12  finished")) << plain_line(run);
}

TEST(WatchView, ColoursChangeNothingElse) {
  const std::string plain = draw(monitor::full_record(), {.columns = 100, .rows = 40});
  const std::string coloured = draw(monitor::full_record(), {.columns = 100, .rows = 40, .colour = true});
  EXPECT_EQ(plain.find('\x1b'), std::string::npos);
  EXPECT_NE(coloured.find("\x1b[31mnan\x1b[0m"), std::string::npos) << "a loss that is none is red";
  EXPECT_NE(coloured.find("\x1b[36m█"), std::string::npos) << "activations";
  const std::vector<std::string> a = lines_of(plain), b = lines_of(without_colours(coloured));
  ASSERT_EQ(a.size(), b.size());
  EXPECT_EQ(a[0], b[0]);
  EXPECT_EQ(a[3], b[3]);
}

TEST(WatchView, FitsEveryTerminalAndNoNameHarmsIt) {
  monitor::RunRecord run = monitor::full_record();
  run.training->task = "\x1b[2J\x1b]0;title\x07 a\nb\r \xe2\x80\xae \xff";
  run.device.name = "名前\xc2\x9b" + std::string(300, 'x');
  run.kernels[0].name = "\x1b[31mred";
  run.kernels[1].device = "cpu\n";
  run.events[0].message = "two\nlines \xf0\x9f\x98\x80";
  run.anomalies[0].message = "\x07\x08";
  run.advice[0].setting = "\t\v";
  run.training->epoch = run.training->epochs = std::numeric_limits<std::int64_t>::max();
  run.samples[0].samples_per_second = 1e300;
  run.advice[0].gain = nan;
  run.samples[1].cached = SIZE_MAX;
  for (const bool colour : {false, true})
    for (std::size_t columns = 1; columns < 140; columns += columns < 20 ? 1 : 7)
      for (std::size_t rows = 1; rows < 45; rows += rows < 12 ? 1 : 5) {
        std::string text = draw(run, {.columns = columns, .rows = rows, .colour = colour});
        if (colour) text = without_colours(text);
        const std::vector<std::string> lines = lines_of(text);
        ASSERT_LE(lines.size(), rows) << columns << " x " << rows;
        for (const std::string& line : lines) {
          ASSERT_LE(columns_of(line), columns) << line;
          for (const char c : line) ASSERT_TRUE(static_cast<unsigned char>(c) >= ' ' && c != 127) << columns << " x " << rows;
          ASSERT_EQ(line.find("\xe2\x80\xae"), std::string::npos) << "turns the line around";
          ASSERT_EQ(line.find("\xc2\x9b"), std::string::npos) << "begins a command";
        }
      }
}

TEST(WatchView, OneLineSaysItAll) {
  EXPECT_EQ(plain_line(monitor::full_record()),
            "0:12  training  epoch 3/10  step 77  loss nan  accuracy 93.8 %  step time 12.5 ms  memory 1000 B of 8 KiB  anomalies 2");
  EXPECT_EQ(plain_line(monitor::RunRecord{}), "0:00  ended");
}

TEST(Sparkline, GoesFromTheLeastToTheMost) {
  EXPECT_EQ(sparkline({0, 1, 2, 3, 4, 5, 6, 7}, 20), "▁▂▃▄▅▆▇█");
  EXPECT_EQ(sparkline({7, 7, 0}, 20), "██▁");
  EXPECT_EQ(sparkline({0, 0, 2, 2, 4, 4, 6, 6}, 4), "▁▃▆█") << "neighbours together";
  EXPECT_EQ(sparkline({5, 5, 5}, 20), "▄▄▄");
  EXPECT_EQ(sparkline({0.5, 2, -1}, 20, std::pair(0.0, 1.0)), "▄█▁");
  EXPECT_EQ(sparkline({0, nan, 1, infinity}, 20), "▁×█×");
  EXPECT_EQ(sparkline({-1e308, 1e308}, 20), "▁█");
  EXPECT_EQ(sparkline({nan}, 20), "×");
  EXPECT_EQ(sparkline({}, 20), "");
  EXPECT_EQ(sparkline({1, 2}, 0), "");
}

TEST(FigureText, IsShort) {
  EXPECT_EQ(share_bar(0.5, 4), "██  ");
  EXPECT_EQ(share_bar(1.0 / 16, 2), "▏ ");
  EXPECT_EQ(share_bar(7, 2), "██");
  EXPECT_EQ(share_bar(nan, 2), "  ");
  EXPECT_EQ(number_text(0.103412), "0.1034");
  EXPECT_EQ(with_commas(1234567), "1,234,567");
  EXPECT_EQ(with_commas(-1234), "-1,234");
  EXPECT_EQ(with_commas(-123), "-123");
  EXPECT_EQ(percent_text(0.9375), "93.8 %");
  EXPECT_EQ(percent_text(0.99999), "100 %");
  EXPECT_EQ(percent_text(0), "0 %");
  EXPECT_EQ(duration_text(99.96), "1:40");
  EXPECT_EQ(duration_text(3.25), "3.25 s");
  EXPECT_EQ(duration_text(0.9996), "1.00 s");
  EXPECT_EQ(duration_text(0.01254), "12.5 ms");
  EXPECT_EQ(duration_text(1.5e-6), "1.50 µs");
  EXPECT_EQ(duration_text(850e-9), "850 ns");
  EXPECT_EQ(clock_text(3723), "1:02:03");
  EXPECT_EQ(clock_text(infinity), "-");
}

TEST(Line, IsCutWithAnEllipsis) {
  Line line;
  line.add("abc").add("def", Colour::red);
  EXPECT_EQ(line.text(6, false), "abcdef");
  EXPECT_EQ(line.text(5, false), "abcd…");
  EXPECT_EQ(line.text(3, false), "ab…");
  EXPECT_EQ(line.text(5, true), "abc\x1b[31md…\x1b[0m");
  EXPECT_EQ(line.text(1, false), "…");
  EXPECT_EQ(line.text(0, false), "");
  Line wide;
  wide.add("名前");
  EXPECT_EQ(wide.width(), 4U);
  EXPECT_EQ(wide.text(3, false), "名…");
  EXPECT_EQ(wide.text(2, false), "…");
}

}  // namespace
}  // namespace tidepool::cli
