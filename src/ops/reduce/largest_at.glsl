// Where the largest of x stands, of those from `begin` on: the first of several; NaN is the largest. TYPE is x's.
#include "ops/together.glsl"
shared TYPE lane_best[gl_WorkGroupSize.x];
shared uint lane_place[gl_WorkGroupSize.x];

bool is_better(TYPE value, uint place, TYPE best, uint best_place) {
  if (value == best || (value != value && best != best)) return place < best_place;
  return value != value || (best == best && value > best);
}

uint largest_at(uint begin, uint count, uint between) {
  uint place = min(my_first(), count - 1);
  TYPE best = x[begin + place * between];
  for (uint m = place + my_step(); m < count; m += my_step()) {
    const TYPE value = x[begin + m * between];
    if (is_better(value, m, best, place)) {
      best = value;
      place = m;
    }
  }
  if (!together) return place;
  lane_best[LANE] = best;
  lane_place[LANE] = place;
  barrier();
  for (uint half_way = lane_count / 2; half_way > 0; half_way /= 2) {
    if (LANE < half_way && is_better(lane_best[LANE + half_way], lane_place[LANE + half_way], lane_best[LANE], lane_place[LANE])) {
      lane_best[LANE] = lane_best[LANE + half_way];
      lane_place[LANE] = lane_place[LANE + half_way];
    }
    barrier();
  }
  return lane_place[0];
}
