// One matrix product on the CPU, whatever its size: small ones directly, large ones by oneDNN, or in blocks by our own kernel
// where that is missing. Which way is taken, and in which order terms are added, follows from the sizes and the number of
// threads alone.
//
//     multiply(call, {.gemm = {.a = x, .b = w, .c = y, .m = n, .n = out, .k = in, .transposed_b = true}, .bias = b});
#pragma once

#include <tidepool/ops.h>

#include "backend/cpu/onednn.h"
#include "backend/launch.h"

#include <cstddef>

namespace tidepool::inline v0 {

struct Product {
  Gemm gemm;
  const float* bias = nullptr;  // [n], added to every row
  Activation activation = Activation::none;

  bool unfinished() const { return bias || activation != Activation::none; }  // after the product itself
};

void multiply(const CpuCall& call, const Product& product);
void multiply_alone(const CpuCall& call, const Product& product);  // in this thread only: one of many that run side by side

// What follows is for multiply and its kernels in product_cpu.cpp.
struct ProductCall {
  const Product& product;
  CpuTeam* team;  // null: this thread alone
  int instructions;
  bool packed;  // operands are copied first, into the order in which they are read
};
void own_product(const ProductCall& call);
void finish_product(const ProductCall& call);  // the bias and the activation
// This thread's, for packed operands; kept for the next product.
float* packing_buffer(std::size_t floats);

}  // namespace tidepool::inline v0
