#include <tidepool/data.h>
#include <tidepool/error.h>

#include "data/samples.h"
#include "platform/cat.h"

#include <vector>

namespace tidepool::inline v0 {
namespace data {

namespace {

Rows rows_of(const Tensor& tensor, const char* name, bool u8_stays) {
  const Shape& shape = tensor.shape();
  if (shape.rank() == 0) throw ShapeError("from_tensors", cat(name, " has rank 0; wanted a row for every sample"));
  Rows rows{.dtype = tensor.dtype(), .count = shape[0], .shape = Shape(std::span(shape.begin() + 1, shape.end())), .numbers = {}};
  if (rows.dtype == DType::u8 && u8_stays) {
    rows.numbers = keep(tensor.to_host<std::uint8_t>());
  } else if (rows.dtype == DType::u8) {
    const std::vector<std::uint8_t> values = tensor.to_host<std::uint8_t>();
    rows.dtype = DType::i32;
    rows.numbers = keep(std::vector<std::int32_t>(values.begin(), values.end()));
  } else if (rows.dtype == DType::i32) {
    rows.numbers = keep(tensor.to_host<std::int32_t>());
  } else {
    rows.dtype = DType::f32;
    rows.numbers = keep(tensor.to_host<float>());
  }
  return rows;
}

}  // namespace

Dataset from_tensors(const Tensor& x, const Tensor& y) {
  if (x.shape().rank() > 0 && y.shape().rank() > 0 && x.shape()[0] != y.shape()[0])
    throw ShapeError("from_tensors", cat("x has ", x.shape()[0], " rows, y has ", y.shape()[0], ": ", x.shape(), " and ", y.shape()));
  return make_dataset(rows_of(x, "x", true), rows_of(y, "y", false));
}

}  // namespace data
}  // namespace tidepool::inline v0
