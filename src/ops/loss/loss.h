// The loss family: means over elements (loss.def), losses and counts of classes.
#pragma once

#include "core/op.h"

namespace tidepool::inline v0 {

struct LossParams {
  Shifts shifts;
  std::uint32_t count;
  float scale;
};
static_assert(Params<LossParams>);

struct ClassParams {
  Shifts shifts;
  std::uint32_t rows, classes;
  std::uint32_t code;    // of complaints
  std::uint32_t with_d;  // whether the gradient is multiplied by d
  float scale;
};
static_assert(Params<ClassParams>);

namespace loss_cpu {
#define LOSS(name, f, dp, dt)                                               \
  void name(const CpuCall& call);          /* p, t, out, with FoldParams */ \
  void name##_grad_p(const CpuCall& call); /* p, t, d [], out */            \
  void name##_grad_t(const CpuCall& call);
#include "ops/loss/loss.def"
void difference(const CpuCall& call);          // p, t, out: scale * (p - t)
void cross_entropy(const CpuCall& call);       // logits, labels, losses [rows], complaints
void cross_entropy_grad(const CpuCall& call);  // logits, labels, d, out, complaints
void hits(const CpuCall& call);                // logits, labels, out [rows], complaints
void confusion(const CpuCall& call);           // predictions, labels, counts, complaints
void more_confusion(const CpuCall& call);      // the same, added
}  // namespace loss_cpu

void register_loss(Operations& all);
void register_classes(Operations& all);

}  // namespace tidepool::inline v0
