// A CSV file, as it is and with options that expect something else of it.
#include <tidepool/tidepool.h>

#include "fuzz/datasets.h"
#include "fuzz/target.h"

namespace tidepool::fuzz {
namespace {

void take(std::string_view bytes) {
  const MemoryFile file(bytes);
  taken([&] { use(data::csv(file.path())); });
  taken([&] { use(data::csv(file.path(), {.target = 0, .header = false, .separator = ' ', .labels = false})); });
  taken([&] { use(data::csv(file.path(), {.target = 1, .header = true, .separator = ',', .labels = true})); });
}

const Target target("csv", take);

}  // namespace
}  // namespace tidepool::fuzz
