#include <tidepool/dtype.h>
#include <tidepool/version.h>

#include <ostream>

namespace tidepool::inline v0 {

std::string_view name_of(DType type) {
  switch (type) {
    case DType::f32:
      return "f32";
    case DType::f16:
      return "f16";
    case DType::i32:
      return "i32";
    case DType::u8:
      return "u8";
  }
  return "?";
}

std::ostream& operator<<(std::ostream& out, DType type) { return out << name_of(type); }

const char* version() { return TIDEPOOL_VERSION; }

}  // namespace tidepool::inline v0
