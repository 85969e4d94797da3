// Gradients of what an index chose: elements of one stretch of the index that name the same are a chain, in their order,
// and the work item of the first adds them all up. Thus nothing is written by two at once, and the order is always the same.
//
// The index is seen as [outer, middle, inner]; a chain runs along a stretch [begin, end) of the middle. ChainParams in index.h.
const uint first_of_chain = 0x80000000u, end_of_chain = 0x7fffffffu;

struct Place {
  uint outer, at, inner;  // `at` counts from the begin of the stretch
};
Place place_in_stretch(uint i) {
  const uint length = p.end - p.begin;
  return Place(i / p.inner / length, i / p.inner % length, i % p.inner);
}
bool has_place(uint i) { return i < p.outer * (p.end - p.begin) * p.inner; }
uint in_stretch(Place place) { return (place.outer * (p.end - p.begin) + place.at) * p.inner + place.inner; }
uint in_index(Place place) { return (place.outer * p.middle + p.begin + place.at) * p.inner + place.inner; }
