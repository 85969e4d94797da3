#include "platform/sha256.h"

#include <bit>
#include <cmath>

namespace tidepool::inline v0 {

namespace {

using Words8 = std::array<std::uint32_t, 8>;

// FIPS 180-4: the first 32 bits of the fractions of the square and cube roots of the first primes.
struct Constants {
  Words8 start{};
  std::array<std::uint32_t, 64> rounds{};
  Constants() {
    std::size_t count = 0;
    for (unsigned n = 2; count < rounds.size(); ++n) {
      bool prime = true;
      for (unsigned d = 2; d * d <= n; ++d) prime = prime && n % d != 0;
      if (!prime) continue;
      const auto fraction = [](long double root) { return static_cast<std::uint32_t>((root - std::floor(root)) * 4294967296.0L); };
      if (count < start.size()) start[count] = fraction(std::sqrt(static_cast<long double>(n)));
      rounds[count++] = fraction(std::cbrt(static_cast<long double>(n)));
    }
  }
};

void mix(Words8& state, const unsigned char* block, const Constants& constants) {
  std::array<std::uint32_t, 64> w{};
  for (std::size_t i = 0; i < 16; ++i)
    for (std::size_t b = 0; b < 4; ++b) w[i] = w[i] << 8 | block[4 * i + b];
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + w[i - 7] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) + (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint32_t t1 =
        h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + ((e & f) ^ (~e & g)) + constants.rounds[i] + w[i];
    const std::uint32_t t2 = (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  const Words8 after{a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) state[i] += after[i];
}

}  // namespace

std::array<std::uint8_t, 32> sha256(std::string_view text) {
  static const Constants constants;
  std::string padded(text);
  padded += '\x80';
  while (padded.size() % 64 != 56) padded += '\0';
  for (int shift = 56; shift >= 0; shift -= 8) padded += static_cast<char>(text.size() * 8 >> shift);
  Words8 state = constants.start;
  for (std::size_t at = 0; at < padded.size(); at += 64) mix(state, reinterpret_cast<const unsigned char*>(padded.data()) + at, constants);
  std::array<std::uint8_t, 32> digest{};
  for (std::size_t i = 0; i < digest.size(); ++i) digest[i] = static_cast<std::uint8_t>(state[i / 4] >> (24 - 8 * (i % 4)));
  return digest;
}

std::string sha256_base64(std::string_view text) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  std::uint32_t bits = 0, held = 0;
  for (const std::uint8_t byte : sha256(text)) {
    bits = bits << 8 | byte;
    for (held += 8; held >= 6; held -= 6) out += letters[bits >> (held - 6) & 63];
  }
  out += letters[bits << (6 - held) & 63];  // 32 bytes leave four bits
  return out + '=';
}

}  // namespace tidepool::inline v0
