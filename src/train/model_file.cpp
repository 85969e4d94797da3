// A network's tensors in a file.
#include <tidepool/error.h>
#include <tidepool/grad.h>
#include <tidepool/train.h>

#include "core/transfer.h"
#include "io/safetensors.h"
#include "io/text.h"
#include "platform/cat.h"
#include "platform/replace_file.h"
#include "train/snapshot.h"

#include <algorithm>

namespace tidepool::inline v0 {

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
  std::vector<std::vector<float>> values;
  for (const auto& [name, tensor] : wanted) {
    const SafetensorsEntry* entry = file.find(name);
    if (!entry) throw IoError("load", cat(path, ": has no '", name, "', which the network wants as ", tensor.shape()));
    if (!(entry->shape == tensor.shape()))
      throw IoError("load", cat(path, ": '", name, "' is ", entry->shape, "; the network wants ", tensor.shape()));
    values.push_back(file.floats(*entry));
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) upload_bytes("load", wanted[i].second, std::as_bytes(std::span(values[i])));
}

}  // namespace tidepool::inline v0
