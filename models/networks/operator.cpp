#include "models/networks/operator.hpp"

#include <array>
#include <numeric>

#include "sim/base/error.hpp"

namespace rackcast {
namespace {

struct PrecisionRow {
  std::string_view name;
  double activation_bytes;  ///< per element
  double gradient_bytes;    ///< per parameter on the wire
};

// In the order of the enum. 8-bit training keeps gradients (and most activations' gradients) in 16 bits:
// Micikevicius et al., "FP8 Formats for Deep Learning", arXiv 2209.05433; so does training in 4 bits, which
// narrows the operands of products alone: "Pretraining Large Language Models with NVFP4", arXiv 2509.25149.
constexpr std::array<PrecisionRow, 8> precision_rows{{{"fp32", 4, 4},
                                                      {"tf32", 4, 4},
                                                      {"fp16", 2, 2},
                                                      {"mixed", 2, 2},
                                                      {"bf16", 2, 2},
                                                      {"fp8", 1, 2},
                                                      {"int8", 1, 1},
                                                      {"fp4", 2, 2}}};

constexpr std::array<std::string_view, 11> family_names{"gemm",      "conv",        "depthwise", "rnn",
                                                        "attention", "elementwise", "norm",      "softmax",
                                                        "pool",      "embedding",   "optimizer"};

const PrecisionRow& row(Precision p) {
  return precision_rows.at(static_cast<std::size_t>(p));
}

}  // namespace

std::string_view to_string(Precision p) {
  return row(p).name;
}
Bytes activation_bytes(Precision p) {
  return Bytes{row(p).activation_bytes};
}
Bytes gradient_bytes(Precision p) {
  return Bytes{row(p).gradient_bytes};
}

Precision parse_precision(std::string_view name) {
  std::string known;
  for (std::size_t i = 0; i < precision_rows.size(); ++i) {
    if (precision_rows.at(i).name == name) return static_cast<Precision>(i);
    known += (i ? ", " : "") + std::string(precision_rows.at(i).name);
  }
  throw Error{"unknown precision \"" + std::string(name) + "\"", {}, "known precisions: " + known};
}

std::string_view to_string(OperatorFamily family) {
  return family_names.at(static_cast<std::size_t>(family));
}

std::string_view to_string(Pass pass) {
  constexpr std::array<std::string_view, 3> names{"forward", "data gradient", "weight gradient"};
  return names.at(static_cast<std::size_t>(pass));
}

double Workload::parameters() const {
  return std::accumulate(operators.begin(), operators.end(), 0.0,
                         [](double sum, const Operator& op) { return sum + op.parameters; });
}

double Workload::trained_parameters() const {
  return std::accumulate(operators.begin(), operators.end(), 0.0,
                         [](double sum, const Operator& op) { return sum + op.trained_parameters(); });
}

Flop Workload::forward_flop() const {
  return std::accumulate(operators.begin(), operators.end(), Flop{0},
                         [](Flop sum, const Operator& op) { return sum + op.forward_flop; });
}

double Workload::activation_elements() const {
  return std::accumulate(operators.begin(), operators.end(), 0.0,
                         [](double sum, const Operator& op) { return sum + op.activation_elements; });
}

}  // namespace rackcast
