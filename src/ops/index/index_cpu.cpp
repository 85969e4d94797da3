#include "backend/cpu/team.h"
#include "device/complaints.h"
#include "ops/index/index.h"

#include <algorithm>
#include <cstring>

namespace tidepool::inline v0 {

namespace {

constexpr std::size_t grain = 32768;

// Where the element of x stands that the index's element i names, without the number itself.
std::size_t place(const GatherParams& p, std::size_t i) {
  std::size_t at = 0;
  for (std::size_t axis = p.rank; axis-- > 0;) {
    at += i % p.size[axis] * p.stride[axis];
    i /= p.size[axis];
  }
  return at;
}

bool in_range(std::int32_t number, std::uint32_t limit) { return static_cast<std::uint32_t>(number) < limit; }

template <class P>
void complain_about(const CpuCall& call, std::size_t binding, const P& p, std::int32_t number) {
  complain(call.buffer<Complaint>(binding), p.code, number, static_cast<std::int32_t>(p.limit));
}

}  // namespace

namespace index_cpu {

void gather(const CpuCall& call) {
  const auto& p = call.params<GatherParams>();
  const auto* x = call.buffer<const std::uint32_t>(0);
  const auto* index = call.buffer<const std::int32_t>(1);
  auto* out = call.buffer<std::uint32_t>(2);
  call.team->run(p.count, grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      out[i] = 0;
      if (in_range(index[i], p.limit))
        out[i] = x[place(p, i) + static_cast<std::size_t>(index[i]) * p.step];
      else
        complain_about(call, 3, p, index[i]);
    }
  });
}

// What adds one after the other needs no chains.
void chains(const CpuCall&) {}

// One element may be named many times, so there is one order of additions: that of the index.
void scatter(const CpuCall& call) {
  const auto& p = call.params<GatherParams>();
  const auto* d = call.buffer<const float>(0);
  const auto* index = call.buffer<const std::int32_t>(1);
  auto* out = call.buffer<float>(3);
  for (std::size_t outer = 0; outer < p.outer; ++outer)
    for (std::size_t i = (outer * p.middle + p.begin) * p.inner; i < (outer * p.middle + p.end) * p.inner; ++i)
      if (in_range(index[i], p.limit)) out[place(p, i) + static_cast<std::size_t>(index[i]) * p.step] += d[i];
}

void rows(const CpuCall& call) {
  const auto& p = call.params<RowsParams>();
  const auto* table = call.buffer<const std::uint32_t>(0);
  const auto* index = call.buffer<const std::int32_t>(1);
  auto* out = call.buffer<std::uint32_t>(2);
  const std::size_t width = p.width;
  call.team->run(p.count, std::max<std::size_t>(1, grain / width), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (in_range(index[i], p.limit)) {
        std::memcpy(out + i * width, table + static_cast<std::size_t>(index[i]) * width, width * 4);
      } else {
        std::memset(out + i * width, 0, width * 4);
        complain_about(call, 3, p, index[i]);
      }
    }
  });
}

// Threads share the columns: each row's sum is added in the order of the index.
void rows_scatter(const CpuCall& call) {
  const auto& p = call.params<RowsParams>();
  const auto* d = call.buffer<const float>(0);
  const auto* index = call.buffer<const std::int32_t>(1);
  auto* out = call.buffer<float>(3);
  const std::size_t width = p.width;
  call.team->run(width, std::max<std::size_t>(16, grain / (p.end - p.begin)), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = p.begin; i < p.end; ++i) {
      if (!in_range(index[i], p.limit)) continue;
      float* row = out + static_cast<std::size_t>(index[i]) * width;
      for (std::size_t j = begin; j < end; ++j) row[j] += d[i * width + j];
    }
  });
}

void one_hot(const CpuCall& call) {
  const auto& p = call.params<RowsParams>();
  const auto* index = call.buffer<const std::int32_t>(0);
  auto* out = call.buffer<float>(1);
  const std::size_t width = p.width;
  call.team->run(p.count, std::max<std::size_t>(1, grain / width), [&](std::size_t begin, std::size_t end) {
    std::fill(out + begin * width, out + end * width, 0.0F);
    for (std::size_t i = begin; i < end; ++i)
      if (in_range(index[i], p.limit))
        out[i * width + static_cast<std::size_t>(index[i])] = 1.0F;
      else
        complain_about(call, 2, p, index[i]);
  });
}

}  // namespace index_cpu

}  // namespace tidepool::inline v0
