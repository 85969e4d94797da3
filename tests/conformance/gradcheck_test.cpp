#include "support/devices.h"
#include "support/errors.h"

namespace tidepool::conformance {
namespace {

using In = std::vector<Tensor>;

TEST(Gradcheck, AgreesWithWhatIsRight) {
  manual_seed(5);
  const Tensor a = randn({3, 4}), b = randn({4, 2}), c = randn({2});
  EXPECT_TRUE(gradcheck([](const In& in) { return sum(in[0] * in[1]); }, {a, a + 1.0F}));
  EXPECT_TRUE(gradcheck([](const In& in) { return tanh(matmul(in[0], in[1]) + in[2]); }, {a, b, c}));
  EXPECT_TRUE(gradcheck([](const In& in) { return gather(in[0], 1, in[1]); }, {a, zeros({3, 2}, {.dtype = DType::i32})}));
  EXPECT_TRUE(gradcheck([](const In& in) { return in[0] * 2.0F; }, {a, b})) << "an input that is not used has no gradient";
}

TEST(Gradcheck, NamesTheWorstElementOfAWrongGradient) {
  // The gradient stops at detach, so that half of it is missing.
  const auto wrong = [](const In& in) { return sum(in[0] * in[0].detach()); };
  const std::string message = message_of<Error>([&] { gradcheck(wrong, {tensor({0.1F, 0.2F, 3.0F, 0.4F}, {2, 2})}); });
  EXPECT_NE(message.find("gradcheck: element 2 of input 0 [2, 2]: the gradient is "), std::string::npos) << message;
}

TEST(Gradcheck, RefusesWhatItCannotCheck) {
  EXPECT_THROW(gradcheck({}, {ones({2})}), ArgumentError);
  EXPECT_THROW(gradcheck([](const In& in) { return in[0]; }, {Tensor()}), ReleasedError);
  EXPECT_THROW(gradcheck([](const In& in) { return in[0]; }, {ones({2})}, {.step = 0}), ArgumentError);
}

}  // namespace
}  // namespace tidepool::conformance
