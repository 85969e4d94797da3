// The list of families. A new one is added here and nowhere else.
#include "conformance/cases.h"

namespace tidepool::conformance {

const std::vector<OpCases>& all_cases() {
  static const std::vector<OpCases> all = [] {
    std::vector<OpCases> list;
    conv_cases(list);
    elementwise_cases(list);
    typed_cases(list);
    layout_cases(list);
    index_cases(list);
    linear_cases(list);
    matmul_cases(list);
    pool_cases(list);
    reduce_cases(list);
    statistics_cases(list);
    softmax_cases(list);
    norm_cases(list);
    loss_cases(list);
    return list;
  }();
  return all;
}

const OpCases* find_cases(const std::string& op) {
  for (const OpCases& cases : all_cases())
    if (cases.op == op) return &cases;
  return nullptr;
}

std::string name_of(const OpCases& cases) { return cases.form.empty() ? cases.op : cases.op + '_' + cases.form; }

std::vector<Case> plain_shapes() {
  std::vector<Case> cases{{.shape = {}},
                          {.shape = {0}},
                          {.shape = {3, 0, 2}},
                          {.shape = {2, 3}},
                          {.shape = {5, 6, 7}},
                          {.shape = {2, 1, 3, 4}},
                          {.shape = {2, 3, 1, 2, 2}},
                          {.shape = {1, 2, 2, 2, 2, 2}},
                          {.shape = {2, 1, 2, 1, 2, 1, 2}},
                          {.shape = {2, 1, 2, 3, 1, 2, 1, 2}},
                          {.shape = {}, .view = true},
                          {.shape = {9}, .view = true},
                          {.shape = {33, 5}, .view = true},
                          {.shape = {70000}, .view = true}};
  for (const std::int64_t size : {1, 7, 8, 9, 63, 64, 65, 127, 1000, 70000}) cases.push_back({.shape = {size}});
  return cases;
}

std::vector<Case> with(std::vector<Case> cases, std::vector<Case> more) {
  cases.insert(cases.end(), more.begin(), more.end());
  return cases;
}

}  // namespace tidepool::conformance
