// Tensors of one value, of every type.
#include "conformance/backends.h"

namespace tidepool::conformance {
namespace {

class Fill : public BackendTest {
 protected:
  static std::vector<float> values(const Tensor& tensor) { return tensor.to(device("cpu")).to(DType::f32).to_host<float>(); }
};

TEST_P(Fill, GivesTheValueInEveryType) {
  const Using use(*GetParam());
  for (const DType type : {DType::f32, DType::i32, DType::f16, DType::u8}) {
    const TensorOptions there{.dtype = type, .device = use.device()};
    SCOPED_TRACE(testing::Message() << name_of(type));
    for (const std::int64_t count : {1, 3, 70001}) {
      const auto n = static_cast<std::size_t>(count);
      EXPECT_EQ(values(zeros({count}, there)), std::vector<float>(n, 0));
      EXPECT_EQ(values(ones({count}, there)), std::vector<float>(n, 1));
      EXPECT_EQ(values(full({count}, 7, there)), std::vector<float>(n, 7));
      const Tensor whole = zeros({count + 2}, there);
      fill_(whole.slice(1, count + 1), 3);
      std::vector<float> wanted(n + 2, 3);
      wanted.front() = wanted.back() = 0;
      EXPECT_EQ(values(whole), wanted) << "a view's neighbours stay as they were";
    }
  }
}

TEST_P(Fill, TakesTheOutermostWholeNumbersAndCutsOthers) {
  const Using use(*GetParam());
  const auto filled = [&](DType type, float value) { return values(full({1}, value, {.dtype = type, .device = use.device()}))[0]; };
  EXPECT_EQ(filled(DType::u8, 255.9F), 255.0F);
  EXPECT_EQ(filled(DType::u8, -0.9F), 0.0F);
  EXPECT_EQ(filled(DType::i32, -2147483648.0F), -2147483648.0F);
  EXPECT_EQ(filled(DType::i32, 2147483520.0F), 2147483520.0F);
  EXPECT_EQ(filled(DType::i32, -2.7F), -2.0F);
}

INSTANTIATE_TEST_SUITE_P(, Fill, testing::ValuesIn(backend_pointers()), [](const auto& info) { return info.param->name; });

}  // namespace
}  // namespace tidepool::conformance
