// A model's file: read by itself, and into a network.
#include <tidepool/tidepool.h>

#include "fuzz/target.h"
#include "io/safetensors.h"

namespace tidepool::fuzz {
namespace {

void take(std::string_view bytes) {
  const MemoryFile file(bytes);
  taken([&] {
    const SafetensorsFile read = read_safetensors("load", file.path());
    for (const SafetensorsEntry& entry : read.entries()) {
      require(read.find(entry.name) == &entry, "a tensor is not found by its name");
      taken([&] { require(read.floats(entry).size() == static_cast<std::size_t>(entry.shape.numel()), "floats of another shape"); });
      taken([&] { require(read.integers(entry).size() == static_cast<std::size_t>(entry.shape.numel()), "integers of another shape"); });
    }
  });
  static nn::Sequential net{nn::Linear(2, 2)};
  taken([&] { load(net, file.path()); });
}

const Target target("safetensors", take);

}  // namespace
}  // namespace tidepool::fuzz
