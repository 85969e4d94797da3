#include "backend/cpu/team.h"
#include "device/random_state.h"
#include "ops/random/random.h"

#include <array>
#include <bit>

namespace tidepool::inline v0 {

namespace {

using Four = std::array<std::uint32_t, 4>;

// Salmon et al., "Parallel random numbers: as easy as 1, 2, 3".
Four philox(Four x, std::uint32_t key0, std::uint32_t key1) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * x[0], b = std::uint64_t{0xCD9E8D57} * x[2];
    x = {static_cast<std::uint32_t>(b >> 32) ^ x[1] ^ key0, static_cast<std::uint32_t>(b),
         static_cast<std::uint32_t>(a >> 32) ^ x[3] ^ key1, static_cast<std::uint32_t>(a)};
    key0 += 0x9E3779B9;
    key1 += 0xBB67AE85;
  }
  return x;
}

float uniform(std::uint32_t r) { return static_cast<float>(r >> 8) * 0x1p-24F; }

// See device/make_normal_table.py.
float normal(std::uint32_t r, const float* table) {
  const std::uint32_t w = r << 1 | 1U;
  const auto zeros = static_cast<std::uint32_t>(std::countl_zero(w));
  const std::uint32_t bits = w << zeros;
  const float* c = table + ((31 - zeros) * 8 + (bits >> 28 & 7U)) * 4;
  const float t = static_cast<float>((bits & 0x0fffffffU) >> 4) * 0x1p-24F;
  const float z = c[0] + t * (c[1] + t * (c[2] + t * c[3]));
  return r >> 31 ? -z : z;
}

template <class F>
void fill(const CpuCall& call, F&& f) {
  const auto& p = call.params<RandomParams>();
  const auto& state = *call.buffer<const RandomState>(0);
  auto* out = call.buffer<float>(1);
  // Numbers come by four; the first and the last four may reach beyond what is wanted.
  const std::size_t skipped = p.first % 4, count = skipped + p.count, block = p.first / 4;
  const std::uint64_t number = (std::uint64_t{state.call[1]} << 32 | state.call[0]) + p.ahead;
  const auto low = static_cast<std::uint32_t>(number), high = static_cast<std::uint32_t>(number >> 32);
  call.team->run((count + 3) / 4, 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Four numbers = philox({static_cast<std::uint32_t>(block + i), 0, low, high}, state.seed[0], state.seed[1]);
      for (std::size_t j = i == 0 ? skipped : 0; j < 4 && 4 * i + j < count; ++j) out[4 * i + j - skipped] = f(numbers[j]);
    }
  });
}

}  // namespace

namespace random_cpu {

void draw(const CpuCall& call) {
  const auto& p = call.params<RandomParams>();
  if (p.kind == 0)
    fill(call, uniform);
  else if (p.kind == 1)
    fill(call, [table = call.buffer<const RandomState>(0)->normal_table](std::uint32_t r) { return normal(r, table); });
  else
    fill(call, [&p](std::uint32_t r) { return r < p.threshold ? 0.0F : p.scale; });
}

void advance(const CpuCall& call) {
  auto& state = *call.buffer<RandomState>(0);
  const std::uint32_t before = state.call[0];
  state.call[0] += call.params<RandomParams>().ahead;
  if (state.call[0] < before) ++state.call[1];
}

}  // namespace random_cpu

}  // namespace tidepool::inline v0
