// The softmax family: along one axis of [outer, middle, inner], one launch forward and one backward.
#pragma once

#include "core/op.h"

namespace tidepool::inline v0 {

namespace softmax_cpu {
void softmax(const CpuCall& call);           // x, y
void log_softmax(const CpuCall& call);       // x, y
void softmax_grad(const CpuCall& call);      // y, dy, dx
void log_softmax_grad(const CpuCall& call);  // y, dy, dx
}  // namespace softmax_cpu

void register_softmax(Operations& all);

}  // namespace tidepool::inline v0
