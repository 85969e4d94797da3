#include "device/tuning_file.h"

#include <tidepool/error.h>

#include "platform/cat.h"
#include "platform/one_line.h"
#include "platform/replace_file.h"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace tidepool::inline v0 {

namespace {

constexpr const char* first_line = "tidepool tuning 1";
constexpr std::uint32_t most = 1 << 20;  // of both numbers: whatever a file says, sizes stay far from overflow

class Lines {
 public:
  explicit Lines(const std::string& path) : path_(path), file_(path) {
    if (!file_) throw IoError("tuning", cat("cannot read ", one_line(path, 400), "; write it with: tidepool bench --tune F"));
  }
  bool next(std::string& line) {
    do {
      ++number_;
      if (!std::getline(file_, line)) return false;
    } while (line.empty() || line.starts_with('#'));
    return true;
  }
  std::string wanted(const std::string& key) {
    std::string line;
    if (!next(line) || !line.starts_with(key)) wrong(line, cat(key, "…"));
    return line.substr(key.size());
  }
  [[noreturn]] void wrong(const std::string& line, const std::string& wanted) const {
    throw IoError("tuning", cat(path_, ", line ", number_, ": got \"", one_line(line), "\", wanted \"", wanted,
                                "\"; write the file anew with: tidepool bench --tune ", path_));
  }

 private:
  std::string path_;
  std::ifstream file_;
  int number_ = 0;
};

template <class Names>
std::size_t find(const Names& names, const std::string& name) {
  return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
}

void read_rule(const Lines& lines, const std::string& line, const BackendInfo& info, Tuning& tuning) {
  std::istringstream words(line);
  std::string work_name, amount_name, shader, rest;
  std::int64_t enough = 0, shortest = 0;
  words >> work_name >> amount_name >> shader >> enough >> shortest;
  const std::size_t work = find(gpu_work_names, work_name), amount = find(Tuning::amount_names, amount_name);
  const bool numbers = words && !(words >> rest) && enough >= 1 && enough <= most && shortest >= 1 && shortest <= most;
  if (!numbers || work == gpu_work_names.size() || amount == Tuning::amount_names.size() || (shader != "tiles" && shader != "lanes"))
    lines.wrong(line, cat("product|conv|conv_input|conv_weights few|many tiles|lanes 1…", most, " 1…", most));
  if (shader == "lanes" && !has_lanes(info)) lines.wrong(line, "tiles: this device has no subgroups of eight");
  tuning.rules[work][amount] = {
      .lanes = shader == "lanes", .enough = static_cast<std::uint32_t>(enough), .shortest = static_cast<std::uint32_t>(shortest)};
}

}  // namespace

std::string rule_text(std::size_t work, std::size_t amount, const ProductRule& rule) {
  return cat(gpu_work_names[work], ' ', Tuning::amount_names[amount], rule.lanes ? " lanes " : " tiles ", rule.enough, ' ', rule.shortest);
}

Tuning read_tuning(const std::string& path, const BackendInfo& info) {
  Lines lines(path);
  std::string line;
  if (!lines.next(line) || line != first_line) lines.wrong(line, first_line);
  const std::string device = lines.wanted("device "), driver = lines.wanted("driver ");
  if (device != info.name || driver != info.driver)
    throw DeviceError("tuning", cat(path, " was measured on ", one_line(device), " with ", one_line(driver), "; this is ", info.name,
                                    " with ", info.driver, "; write one for it with: tidepool bench --tune F"));
  Tuning tuning = usual_tuning(info);
  while (lines.next(line)) read_rule(lines, line, info, tuning);
  return tuning;
}

void write_tuning(const std::string& path, const BackendInfo& info, const Tuning& tuning) {
  std::string text = cat(first_line, "\ndevice ", info.name, "\ndriver ", info.driver, "\n# work, results (few: below ", Tuning::many,
                         "), shader, workgroups that are enough, the shortest part\n");
  for (std::size_t work = 0; work < tuning.rules.size(); ++work)
    for (std::size_t amount = 0; amount < tuning.rules[work].size(); ++amount)
      text += rule_text(work, amount, tuning.rules[work][amount]) + '\n';
  const std::array<std::span<const std::byte>, 1> pieces{std::as_bytes(std::span(text))};
  replace_file("tuning", path, pieces);
}

}  // namespace tidepool::inline v0
