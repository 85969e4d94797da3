// Makes a failing program short: takes instructions away and makes shapes smaller for as long as something is wrong with it.
#pragma once

#include "stress/program.h"

#include <functional>

namespace tidepool::stress {

// `fails` may throw Invalid, which counts as no.
Program shrunk(Program program, const std::function<bool(const Program&)>& fails);

}  // namespace tidepool::stress
