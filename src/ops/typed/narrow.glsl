// Elements of one or two bytes share words of four, and words are what shaders read and write. ELEMENT reads one;
// write_word() makes a word of the output and leaves alone what is not the output's: a view may begin or end inside a word.
//
// The file that includes this says which binding is the output, OUT, and what element(i) of it is.
#define ELEMENT(words, bytes, at) bitfieldExtract(words[(at) / (4 / (bytes))], int((at) * (bytes) % 4 * 8), int(bytes) * 8)

layout(binding = OUT) buffer Out { uint out_words[]; };

uint element(uint i);  // in the lowest bits

// The n-th of the words that `count` elements from place `begin` on lie in. Their number is per_word's in narrow.h.
void write_word(uint bytes, uint begin, uint count, uint n) {
  const uint in_word = 4 / bytes, word = begin / in_word + n, ones = 0xffffffffu >> (32 - bytes * 8);
  uint bits = 0, mask = 0;
  for (uint k = 0; k < in_word; ++k) {
    const uint i = word * in_word + k - begin;  // before the first it wraps around
    if (i >= count) continue;
    bits |= element(i) << (k * bytes * 8);
    mask |= ones << (k * bytes * 8);
  }
  if (mask == 0xffffffffu) {
    out_words[word] = bits;
  } else if (mask != 0) {
    atomicAnd(out_words[word], bits | ~mask);
    atomicOr(out_words[word], bits);
  }
}
