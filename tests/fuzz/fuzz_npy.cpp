// A NumPy array, as the samples of a dataset and as their targets.
#include <tidepool/tidepool.h>

#include "fuzz/datasets.h"
#include "fuzz/target.h"

namespace tidepool::fuzz {
namespace {

std::string good_npy() {
  std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }";
  header.resize(117, ' ');
  header += '\n';
  return std::string("\x93NUMPY\1\0", 8) + static_cast<char>(header.size()) + '\0' + header + "\1\2";
}

void take(std::string_view bytes) {
  static const MemoryFile good(good_npy());
  const MemoryFile file(bytes), file_packed(packed(bytes));
  taken([&] { use(data::npy(file.path(), good.path())); });
  taken([&] { use(data::npy(good.path(), file.path())); });
  taken([&] { use(data::npy(file_packed.path(), file.path())); });
}

const Target target("npy", take);

}  // namespace
}  // namespace tidepool::fuzz
