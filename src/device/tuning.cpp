#include "device/tuning.h"

#include <tidepool/error.h>

#include "device/tuning_file.h"
#include "platform/cat.h"
#include "platform/environment.h"
#include "platform/log.h"

namespace tidepool::inline v0 {

Tuning usual_tuning(const BackendInfo& info) {
  Tuning tuning;
  const ProductRule rule = has_lanes(info) ? ProductRule{.lanes = true, .enough = 8, .shortest = 512} : ProductRule{};
  for (auto& amounts : tuning.rules) amounts.fill(rule);
  return tuning;
}

namespace {

// What the file changes, for whoever asks why bits differ.
std::string changes(const Tuning& usual, const Tuning& tuned) {
  std::string all;
  for (std::size_t work = 0; work < tuned.rules.size(); ++work)
    for (std::size_t amount = 0; amount < 2; ++amount)
      if (const ProductRule& rule = tuned.rules[work][amount]; rule != usual.rules[work][amount])
        all += cat(all.empty() ? "" : ", ", rule_text(work, amount, rule));
  return all.empty() ? "as usual" : all;
}

}  // namespace

Tuning tuning_for(BackendInfo& info) {
  const Tuning usual = usual_tuning(info);
  const auto path = info.kind != "cpu" && info.kind != "test" ? environment("TIDEPOOL_TUNING") : std::nullopt;
  if (!path) return usual;
  try {
    const Tuning tuned = read_tuning(*path, info);
    info.same_bits += cat(info.same_bits.empty() ? "" : ", ", "tuning file: ", changes(usual, tuned));
    return tuned;
  } catch (const Error& error) {
    warn(cat("TIDEPOOL_TUNING is passed over: ", error.what()));
    return usual;
  }
}

}  // namespace tidepool::inline v0
