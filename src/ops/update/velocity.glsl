// What is left of a velocity. Without momentum that is nothing, also of infinity, or one bad gradient would stay for good.
float kept_of(float velocity, float momentum) { return momentum == 0.0 && !is_finite(velocity) ? 0.0 : momentum * velocity; }
