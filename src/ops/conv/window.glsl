// A place in an image is that of a window's corner plus the way from there to a tap. Both are rows and columns, in this order.
struct Place { uint a; int y, x, at; };
struct Column { int y, x, at; uint to; };
#define PLACE_TOLD(place, teller, computed) \
  Place(0, subgroupBroadcast(place.y, teller), subgroupBroadcast(place.x, teller), subgroupBroadcast(place.at, teller))

void start(Block block) {}
ivec2 corner_of(uint window) { return ivec2(window / p.ow, window % p.ow) * int(p.stride) - int(p.padding); }
ivec2 way_to(uint tap) { return ivec2(tap / p.kw, tap % p.kw) * int(p.dilation); }
int in_plane(ivec2 place) { return place[0] * int(p.w) + place[1]; }
