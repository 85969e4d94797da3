// What all flights of a launch share. Read by C++ and by GLSL: members of four bytes, in the same order in both. Units are those of the SI.
struct FlightParams {
  int first, count;                  // which flights
  int row;                           // how long the rows of the tensors are
  int most_steps;                    // a flight that has not landed by then is given up
  float step;                        // fixed, or the first
  float tolerance;                   // of one adaptive step, relative to 1 and what has been flown
  float gravity;                     // m/s²
  float drag;                        // half of air's density by the ball's area by its mass, by the coefficient of drag: 1/m
  float lift;                        // the same without the coefficient, which depends on the spin:
  float lift_start, lift_slope;      // S / (start + slope S), where S is the surface's speed by the ball's
  float surface_per_spin;            // m/s of the surface for one turn a minute
  float spin_loss;                   // of the spin, each second: 1/s
  float height;                      // of the launch
  float wind_x, wind_y, wind_z;      // where it blows to
};
