#include "backend/cpu/team.h"
#include "ops/layout/layout.h"

#include <algorithm>
#include <cstring>

namespace tidepool::inline v0 {

namespace {
constexpr std::size_t grain = 65536;
}  // namespace

void fill_cpu(const CpuCall& call) {
  const auto& p = call.params<FillParams>();
  auto* out = call.buffer<std::uint32_t>(0);
  call.team->run(p.count, grain, [&](std::size_t begin, std::size_t end) { std::fill(out + begin, out + end, p.bits); });
}

void copy_cpu(const CpuCall& call) {
  const auto& p = call.params<FillParams>();
  const auto* in = call.buffer<const std::uint32_t>(0);
  auto* out = call.buffer<std::uint32_t>(1);
  call.team->run(p.count, grain, [&](std::size_t begin, std::size_t end) { std::memmove(out + begin, in + begin, (end - begin) * 4); });
}

void strided_copy_cpu(const CpuCall& call) {
  const auto& p = call.params<GatherParams>();
  const auto* in = call.buffer<const std::uint32_t>(0);
  auto* out = call.buffer<std::uint32_t>(1);
  const std::size_t inner = p.size[p.rank - 1], step = p.stride[p.rank - 1];
  call.team->run(p.count / inner, std::max<std::size_t>(1, grain / inner), [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      std::size_t at = 0, rest = row;
      for (std::size_t axis = p.rank - 1; axis-- > 0;) {
        at += rest % p.size[axis] * p.stride[axis];
        rest /= p.size[axis];
      }
      for (std::size_t i = 0; i < inner; ++i) out[row * inner + i] = in[at + i * step];
    }
  });
}

}  // namespace tidepool::inline v0
