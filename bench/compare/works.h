// The works that Tidepool and others are compared by, written as a user would write them: from public headers, steps run from plans.
//
//     Run run = prepare("mlp");   // compiled, run once, result read
//     run(100);                   // a hundred times; then the last result is read
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace compare {

using Run = std::function<void(long repetitions)>;

// "xor", "sine", "mlp", "cnn", "chain", "means", "inference", "matmul"; or, for scaling, "dense <inputs> <width> <depth> <batch>"
// and "cnn <batch>". Throws std::invalid_argument for another.
Run prepare(const std::string& work);

struct Epoch {
  double accuracy = 0;  // on the test set
};
Epoch fashion_epoch();  // loads the pictures, trains on each once, evaluates

}  // namespace compare
