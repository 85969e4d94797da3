// An idx file, plain or packed, as images and as labels.
#include <tidepool/tidepool.h>

#include "fuzz/datasets.h"
#include "fuzz/target.h"

namespace tidepool::fuzz {
namespace {

void take(std::string_view bytes) {
  using namespace std::string_view_literals;
  static const MemoryFile good("\0\0\x08\1\0\0\0\2\1\2"sv);
  const MemoryFile file(bytes), file_packed(packed(bytes));
  taken([&] { use(data::idx(file.path(), good.path())); });
  taken([&] { use(data::idx(good.path(), file.path())); });
  taken([&] { use(data::idx(file_packed.path(), file.path())); });
}

const Target target("idx", take);

}  // namespace
}  // namespace tidepool::fuzz
