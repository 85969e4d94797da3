#include "train/progress.h"

#include "platform/bytes.h"
#include "platform/terminal.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tidepool::inline v0 {

namespace {

std::string bar(double share, int cells) {
  static constexpr const char* parts[] = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const int eighths = static_cast<int>(std::clamp(share, 0.0, 1.0) * cells * 8);
  std::string text;
  for (int i = 0; i < eighths / 8; ++i) text += "█";
  if (eighths / 8 < cells) {
    text += parts[eighths % 8];
    text.append(static_cast<std::size_t>(cells - eighths / 8 - 1), ' ');
  }
  return text;
}

std::string clock(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) return "--:--";
  const long whole = std::lround(seconds);
  char text[32];
  if (whole >= 3600)
    std::snprintf(text, sizeof text, "%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60, whole % 60);
  else
    std::snprintf(text, sizeof text, "%ld:%02ld", whole / 60, whole % 60);
  return text;
}

}  // namespace

Progress::Progress(bool wanted) : shown_(wanted && error_is_terminal()) {}

bool Progress::due() {
  if (!shown_) return false;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < std::chrono::milliseconds(100)) return false;
  last_ = now;
  return true;
}

std::string Progress::text(const Figures& f, int columns) {
  constexpr int least_cells = 8, most_cells = 20;
  const double share = static_cast<double>(f.step.batch) / static_cast<double>(std::max<std::int64_t>(f.step.batches, 1));
  const auto print = [](const char* pattern, const auto&... values) {
    char part[64];
    std::snprintf(part, sizeof part, pattern, values...);
    return std::string(part);
  };
  const std::string epoch = print("epoch %lld/%lld", static_cast<long long>(f.step.epoch), static_cast<long long>(f.epochs));
  std::string rest = print(" %3.0f %%", share * 100);
  constexpr int frame = 3;  // a space and the bar's two ends
  const auto room = [&](std::size_t more) { return columns - 1 - static_cast<int>(epoch.size() + rest.size() + more); };
  for (const std::string& part : {print("  loss %.4f", f.loss), f.accuracy > 0 ? print("  accuracy %.3f", f.accuracy) : std::string(),
                                  print("  %s left", clock(f.seconds_left).c_str()), print("  %.0f samples/s", f.samples_per_second),
                                  print("  %s", readable_bytes(f.memory).c_str())}) {
    if (room(part.size()) < frame + least_cells) break;
    rest += part;
  }
  const int cells = std::min(room(0) - frame, most_cells);
  if (cells < least_cells) return (epoch + rest).substr(0, static_cast<std::size_t>(std::max(columns - 1, 0)));
  return epoch + " ▕" + bar(share, cells) + "▏" + rest;
}

void Progress::show(const Figures& f) {
  std::fprintf(stderr, "\r\x1b[2K%s", text(f, error_columns()).c_str());
  std::fflush(stderr);
  drawn_ = true;
}

void Progress::clear() {
  if (!drawn_) return;
  std::fputs("\r\x1b[2K", stderr);
  drawn_ = false;
}

void Progress::line(const std::string& text) {
  if (!shown_) return;
  clear();
  std::fprintf(stderr, "%s\n", text.c_str());
}

std::string epoch_line(const EpochResult& epoch, std::int64_t epochs, bool tested) {
  char text[256];
  int length = std::snprintf(text, sizeof text, "epoch %lld/%lld  loss %.4f", static_cast<long long>(epoch.epoch),
                             static_cast<long long>(epochs), epoch.loss);
  const auto add = [&](const char* pattern, double value) {
    length += std::snprintf(text + length, sizeof text - static_cast<std::size_t>(length), pattern, value);
  };
  if (epoch.accuracy > 0) add("  accuracy %.4f", epoch.accuracy);
  if (tested) add("  test loss %.4f", epoch.test_loss);
  if (epoch.test_accuracy > 0) add("  test accuracy %.4f", epoch.test_accuracy);
  add("  %.1f s", epoch.seconds);
  return text;
}

}  // namespace tidepool::inline v0
