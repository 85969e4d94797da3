// A network's tensors in a file.
#include <tidepool/error.h>
#include <tidepool/grad.h>
#include <tidepool/train.h>

#include "core/half.h"
#include "core/transfer.h"
#include "io/safetensors.h"
#include "platform/cat.h"
#include "platform/one_line.h"
#include "platform/replace_file.h"
#include "train/snapshot.h"

#include <algorithm>
#include <cmath>
#include <variant>

namespace tidepool::inline v0 {

namespace {

using Values = std::variant<std::vector<float>, std::vector<std::uint16_t>, std::vector<std::int32_t>, std::vector<std::uint8_t>>;

// The numbers of a file as a tensor of this type has them.
Values values_for(const SafetensorsFile& file, const SafetensorsEntry& entry, DType type) {
  const auto require = [&](bool fits, auto value) {
    if (!fits)
      throw IoError("load", cat(file.path(), ": ", shown(entry.name), " has ", value, ", which does not fit into the network's ", type));
  };
  if (type == DType::f32) return file.floats(entry);
  if (type == DType::i32) return file.integers(entry);
  if (type == DType::u8) {
    std::vector<std::uint8_t> bytes;
    for (const std::int32_t value : file.integers(entry)) {
      require(value >= 0 && value <= 255, value);
      bytes.push_back(static_cast<std::uint8_t>(value));
    }
    return bytes;
  }
  std::vector<std::uint16_t> halves;
  for (const float value : file.floats(entry)) {
    halves.push_back(float_to_half(value));
    require(!std::isfinite(value) || std::isfinite(half_to_float(halves.back())), value);
  }
  return halves;
}

}  // namespace

void save(const nn::Module& net, const std::string& path) {
  std::vector<SavedTensor> saved;
  download_all(tensors_of(net), saved);
  std::vector<SafetensorsTensor> tensors;
  for (const SavedTensor& one : saved) tensors.push_back({one.name, one.dtype, one.shape, one.bytes});
  remove_abandoned(path);
  write_safetensors("save", path, {{"format", "pt"}}, tensors);
}

// All is read and checked before anything is written.
void load(nn::Module& net, const std::string& path) {
  const SafetensorsFile file = read_safetensors("load", path);
  const NamedTensors wanted = tensors_of(net);
  for (const SafetensorsEntry& entry : file.entries()) {
    if (entry.name.ends_with("num_batches_tracked")) continue;  // PyTorch's count, which nothing here needs
    if (std::ranges::none_of(wanted, [&](const auto& named) { return named.first == entry.name; }))
      throw IoError("load", cat(path, ": has ", shown(entry.name), ' ', entry.shape, ", which the network has not"));
  }
  std::vector<Values> values;
  for (const auto& [name, tensor] : wanted) {
    const SafetensorsEntry* entry = file.find(name);
    if (!entry) throw IoError("load", cat(path, ": has no '", name, "', which the network wants as ", tensor.shape()));
    if (!(entry->shape == tensor.shape()))
      throw IoError("load", cat(path, ": '", name, "' is ", entry->shape, "; the network wants ", tensor.shape()));
    values.push_back(values_for(file, *entry, tensor.dtype()));
  }
  for (std::size_t i = 0; i < wanted.size(); ++i)
    std::visit([&](const auto& numbers) { upload_bytes("load", wanted[i].second, std::as_bytes(std::span(numbers))); }, values[i]);
}

}  // namespace tidepool::inline v0
