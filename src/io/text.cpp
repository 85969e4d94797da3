#include "io/text.h"

#include "platform/cat.h"
#include "platform/one_line.h"

namespace tidepool::inline v0 {

std::string shown(std::string_view text, std::size_t most) { return cat('\'', one_line(text, most), '\''); }

}  // namespace tidepool::inline v0
