// The list of families. A new one is added here and nowhere else.
#include "ops/families.h"

#include "ops/conv/conv.h"
#include "ops/elementwise/elementwise.h"
#include "ops/index/index.h"
#include "ops/layout/layout.h"
#include "ops/linear/linear.h"
#include "ops/loss/loss.h"
#include "ops/matmul/matmul.h"
#include "ops/norm/norm.h"
#include "ops/pool/pool.h"
#include "ops/reduce/reduce.h"
#include "ops/softmax/softmax.h"
#include "ops/typed/typed.h"

namespace tidepool::inline v0 {

const Operations& all_operations() {
  static const Operations& all = *new Operations([] {
    Operations list;
    register_conv(list);
    register_elementwise(list);
    register_layout(list);
    register_strided(list);
    register_typed(list);
    register_index(list);
    register_linear(list);
    register_matmul(list);
    register_pool(list);
    register_reduce(list);
    register_softmax(list);
    register_norm(list);
    register_loss(list);
    return list;
  }());
  return all;
}

const OpDef* find_operation(std::string_view name) {
  for (const OpDef* op : all_operations())
    if (op->name == name) return op;
  return nullptr;
}

}  // namespace tidepool::inline v0
