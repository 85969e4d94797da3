// Items for batch compute, and what should come of them.
#pragma once

#include <tidepool/tidepool.h>

#include <cstddef>
#include <vector>

#include "support/devices.h"

namespace tidepool::inline v0 {

class ComputeTest : public OnEveryDevice {
 protected:
  using Values = std::vector<std::vector<float>>;
  // Item i is i, i + 1, …: 1 to 7 of them.
  static Values items(std::size_t count) {
    Values all(count);
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t k = 0; k < 1 + i % 7; ++k) all[i].push_back(static_cast<float>(i % 50 + k));
    return all;
  }
  static Values alike(std::size_t count, std::size_t size) {
    Values all(count);
    for (std::size_t i = 0; i < count; ++i) all[i].assign(size, static_cast<float>(i % 100));
    return all;
  }
  static Tensor doubled(const Tensor& t) { return t * 2.0F + 1.0F; }
  static Values doubled(Values all) {
    for (auto& item : all)
      for (float& v : item) v = v * 2.0F + 1.0F;
    return all;
  }
  // On the null device only sizes are known.
  void expect_results(const Values& got, const Values& expected, const std::string& why = "") {
    ASSERT_EQ(got.size(), expected.size()) << why;
    for (std::size_t i = 0; i < got.size(); ++i) {
      if (computes())
        ASSERT_EQ(got[i], expected[i]) << "item " << i << ' ' << why;
      else
        ASSERT_EQ(got[i].size(), expected[i].size()) << "item " << i << ' ' << why;
    }
  }
};

}  // namespace tidepool::inline v0
