// What is done with a dataset whose file was taken.
#pragma once

#include <tidepool/data.h>

#include <string>
#include <string_view>

namespace tidepool::fuzz {

void use(const data::Dataset& dataset);

// The bytes as a .gz that has them unchanged inside, so that what a fuzzer changes is read, rather than refused for its checksum.
std::string packed(std::string_view bytes);

}  // namespace tidepool::fuzz
