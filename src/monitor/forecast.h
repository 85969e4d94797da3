// What is to come: when live memory reaches its limit, and when training ends. Each says from when to when, which holds in about nine
// of ten cases if the run goes on as it did.
//
//     const Forecast forecast = forecast_of(run);
//     if (forecast.training_end) std::puts(forecast.training_end->message.c_str());
#pragma once

#include "monitor/record.h"

namespace tidepool::inline v0::monitor {

Forecast forecast_of(const RunRecord& run);

}  // namespace tidepool::inline v0::monitor
