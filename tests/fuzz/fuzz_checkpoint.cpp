// A checkpoint: training goes on from it. Its checksum is put right first, or else hardly anything that a fuzzer changes would be read.
#include <tidepool/tidepool.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>

#include "fuzz/target.h"
#include "io/safetensors.h"
#include "train/checkpoint.h"

namespace tidepool::fuzz {
namespace {

constexpr std::size_t prefix = sizeof(std::uint64_t);  // the size of the header

std::optional<std::string> right_checksum(std::string_view bytes) {
  const MemoryFile file(bytes);
  try {
    const SafetensorsFile read = read_safetensors("resume", file.path());
    std::vector<SafetensorsTensor> tensors;
    for (const SafetensorsEntry& entry : read.entries()) tensors.push_back({entry.name, DType::f32, entry.shape, read.bytes(entry)});
    return checkpoint_checksum(read.metadata(), std::move(tensors));
  } catch (const IoError&) {
    return std::nullopt;
  }
}

std::string with_right_checksum(std::string_view bytes) {
  std::string text(bytes);
  const std::string_view key = "\"checksum\":\"";
  const std::size_t found = text.find(key), value = found + key.size();
  const std::size_t end = found == text.npos ? text.npos : text.find('"', value);
  const auto checksum = right_checksum(bytes);
  if (end == text.npos || !checksum) return text;
  std::uint64_t header = 0;
  std::memcpy(&header, text.data(), prefix);
  header += checksum->size() - (end - value);
  text.replace(value, end - value, *checksum);
  std::memcpy(text.data(), &header, prefix);
  return text;
}

struct Run {
  nn::Sequential net{nn::Linear(2, 1)};
  optim::SGD opt{net.parameters(), {.lr = 0.1, .momentum = 0.9}};
  Trainer trainer{net, opt, mse_loss, {.epochs = 2, .batch = 3, .patience = 2, .keep_best = true}};
};

void take(std::string_view bytes) {
  static const data::Dataset samples = data::from_tensors(tensor({0, 0, 0, 1, 1, 0, 1, 1}, {4, 2}), tensor({0, 1, 1, 2}, {4, 1}));
  for (const std::string& text : {std::string(bytes), with_right_checksum(bytes)}) {
    const MemoryFile file(text);
    Run run;
    if (!taken([&] { run.trainer.resume(file.path()); })) continue;
    taken([&] { run.trainer.fit(samples, samples); });
  }
}

const Target target("checkpoint", take, 500);

}  // namespace
}  // namespace tidepool::fuzz
