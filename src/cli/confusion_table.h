// Which classes are taken for which, as a table of text.
#pragma once

#include <tidepool/train.h>

#include <string>
#include <vector>

namespace tidepool::cli {

// Rows are what the pictures show, columns what was said; and how many of each row are right.
std::string confusion_table(const EvalResult& evaluated, const std::vector<std::string>& classes);

}  // namespace tidepool::cli
