#include "platform/cat.h"

#include <sstream>

namespace tidepool::inline v0 {

void Printed::print(std::ostream& out) const {
  if (print_)
    print_(out, value_);
  else
    out << text_;
}

std::string cat_all(std::initializer_list<Printed> parts) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  for (const Printed& part : parts) part.print(out);
  return out.str();
}

}  // namespace tidepool::inline v0
