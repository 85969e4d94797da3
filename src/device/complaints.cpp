#include "device/complaints.h"

#include <tidepool/error.h>

#include "platform/cat.h"

#include <cassert>
#include <iterator>

namespace tidepool::inline v0 {

namespace {

struct Complainer {
  const char* operation;
  const char* what;  // is wrong
};
constexpr Complainer complainers[] = {
    {"gather", "index"},           {"one_hot", "label"},  {"embedding", "index"},     {"cross_entropy", "label"},
    {"confusion_matrix", "class"}, {"accuracy", "label"}, {"maxpool2d_bwd", "index"},
};

}  // namespace

std::uint32_t complaint_code(std::string_view operation) {
  for (std::uint32_t i = 0; i < std::size(complainers); ++i)
    if (complainers[i].operation == operation) return i + 1;
  assert(false && "an operation that complains stands in the list above");
  return 0;
}

void throw_complaint(const Complaint& complaint) {
  const Complainer& who = complainers[(complaint.code - 1) % std::size(complainers)];
  throw ArgumentError(who.operation, cat("got the ", who.what, ' ', complaint.value, "; wanted 0 or more and less than ", complaint.limit));
}

}  // namespace tidepool::inline v0
