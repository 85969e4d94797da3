// Errors of the operations that move, choose and convert elements.
#include "conformance/errors.h"

#include <cmath>

namespace tidepool::conformance {
namespace {

class LayoutErrors : public ErrorTest {};

TEST_P(LayoutErrors, AxesAreCheckedAndNamed) {
  const Tensor a = ones({2, 3}), number = ones({});
  expect_error<ShapeError>([&] { permute(a, {0}); }, {"permute:", "1 axes", "[2, 3]"});
  expect_error<ShapeError>([&] { permute(a, {0, 2}); }, {"permute:", "axis 2"});
  expect_error<ShapeError>([&] { permute(a, {1, -1}); }, {"permute:", "twice"});
  expect_error<ShapeError>([&] { nchw_to_nhwc(a); }, {"nchw_to_nhwc:", "[2, 3]"});
  expect_error<ShapeError>([&] { concat({a, a}, 2); }, {"concat:", "axis 2"});
  expect_error<ShapeError>([&] { concat({number, number}, 0); }, {"concat:", "stack"});
  expect_error<ShapeError>([&] { concat({a, ones({2, 4})}, 0); }, {"concat:", "[2, 3]", "[2, 4]"});
  expect_error<DTypeError>([&] { concat({a, integers({2, 3})}, 0); }, {"concat:", "f32", "i32"});
  expect_error<ArgumentError>([&] { concat({}, 0); }, {"concat:", "no tensors"});
  expect_error<ShapeError>([&] { stack({a, ones({3, 2})}, 0); }, {"stack:", "[2, 3]", "[3, 2]"});
  expect_error<ShapeError>([&] { stack({a, a}, 3); }, {"stack:", "axis 3"});
  const Tensor eight = integers({1, 1, 1, 1, 1, 1, 1, 1});
  expect_error<ShapeError>([&] { stack({eight, eight}, 0); }, {"stack:", "the result would have 9 axes; a tensor has at most 8"});
  expect_error<ShapeError>([&] { one_hot(eight, 3); }, {"one_hot:", "the result would have 9 axes; a tensor has at most 8"});
  expect_error<ArgumentError>([&] { split(a, 0, 0); }, {"split:", "0 parts"});
  expect_error<ShapeError>([&] { split(number, 2, 0); }, {"split:", "rank 0"});
}

TEST_P(LayoutErrors, TypesThatDoNotFitAreNamed) {
  const Tensor a = ones({2, 3}), whole = integers({2, 3});
  expect_error<DTypeError>([&] { eq(a, whole); }, {"eq:", "f32", "i32"});
  expect_error<ShapeError>([&] { lt(a, ones({2})); }, {"lt:", "[2, 3]", "[2]"});
  expect_error<DTypeError>([&] { where(a, a, a); }, {"where:", "f32", "u8"});
  expect_error<DTypeError>([&] { gather(a, 0, a); }, {"gather:", "f32", "i32"});
  expect_error<ShapeError>([&] { gather(a, 0, integers({2})); }, {"gather:", "[2]", "[2, 3]"});
  expect_error<ShapeError>([&] { gather(a, 0, integers({2, 4})); }, {"gather:", "[2, 4]", "[2, 3]", "axis 1"});
  expect_error<ShapeError>([&] { gather(a, 2, whole); }, {"gather:", "axis 2"});
  expect_error<DTypeError>([&] { embedding(a, a); }, {"embedding:", "i32"});
  expect_error<ShapeError>([&] { embedding(ones({3}), whole); }, {"embedding:", "[3]"});
  expect_error<DTypeError>([&] { one_hot(a, 3); }, {"one_hot:", "i32"});
  expect_error<ArgumentError>([&] { one_hot(whole, 0); }, {"one_hot:", "0 classes"});
  expect_error<DTypeError>([&] { whole + 0.5F; }, {"add:", "i32", "0.5"});
  expect_error<ArgumentError>([] { full({2}, 300, {.dtype = DType::u8}); }, {"full: value is 300; wanted 0 to 255, which u8 holds"});
  expect_error<ArgumentError>([] { full({2}, -1, {.dtype = DType::u8}); }, {"full: value is -1;"});
  expect_error<ArgumentError>([] { full({2}, 3e9F, {.dtype = DType::i32}); },
                              {"full: value is 3e+09; wanted -2147483648 to 2147483647, which i32 holds"});
  expect_error<ArgumentError>([&] { fill_(whole, std::nanf("")); }, {"fill_: value is nan;", "i32"});
  expect_error<ArgumentError>([&] { dropout(a, 1.5); }, {"dropout:", "1.5"});
  expect_error<DTypeError>([&] { dropout(whole, 0.5); }, {"dropout:", "i32"});
  expect_error<DTypeError>([&] { rand({2}, {.dtype = DType::i32}); }, {"rand:", "i32"});
}

// The values are on the device: whoever asks for a result next is told.
TEST_P(LayoutErrors, IndicesOutOfRangeAreToldWithTheNextResult) {
  const Tensor table = ones({4, 2}), bad = from_host(std::vector<std::int32_t>{0, 4, 1}, {3});
  for (const auto& [name, call] :
       std::vector<std::pair<std::string, std::function<Tensor()>>>{{"embedding", [&] { return embedding(table, bad); }},
                                                                    {"one_hot", [&] { return one_hot(bad, 4); }},
                                                                    {"gather", [&] { return gather(ones({4}), 0, bad); }}}) {
    const Tensor result = call();
    EXPECT_NE(message_of<ArgumentError>([&] { result.to_host<float>(); }).find(name + ": got the "), std::string::npos);
    EXPECT_EQ(result.numel(), result.to_host<float>().size()) << "told once";
    call();
    EXPECT_NE(message_of<ArgumentError>([] { sync(); }).find("4; wanted 0 or more and less than 4"), std::string::npos);
    call();
    EXPECT_THROW(sum(table).item(), ArgumentError);
  }
}

INSTANTIATE_TEST_SUITE_P(, LayoutErrors, devices_that_compute(), device_name);

}  // namespace
}  // namespace tidepool::conformance
