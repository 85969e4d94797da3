#version 450
#extension GL_GOOGLE_include_directive : require
#include "ops/common.glsl"

#define Real float
#define Truth bool
#define FUNCTION
#define APART
#define number(x) float(x)
bool some(bool truth) { return truth; }

#include "cli/trajectories/params.glsl"
#include "cli/trajectories/flight.glsl"

layout(push_constant) uniform P { FlightParams flights; } p;
layout(binding = 0) readonly buffer Launches { float launches[]; };
layout(binding = 1) writeonly buffer Outcomes { float outcomes[]; };

void main() {
  const int row = p.flights.row;
  if (int(item()) >= p.flights.count) return;
  const int i = p.flights.first + int(item());
  const Launch launch = Launch(launches[i], launches[row + i], launches[2 * row + i], launches[3 * row + i], launches[4 * row + i]);
  const Outcome outcome = fly(p.flights, launch, ADAPTIVE != 0);
  outcomes[i] = outcome.x;
  outcomes[row + i] = outcome.y;
  outcomes[2 * row + i] = outcome.time;
  outcomes[3 * row + i] = outcome.apex;
  outcomes[4 * row + i] = outcome.speed;
  outcomes[5 * row + i] = outcome.steps;
}
