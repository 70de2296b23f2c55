#pragma once
/// Finds layers that exporters write as several operators. Private to the importers of graphs.
#include "calibrate/import/onnx/onnx_graph.hpp"

namespace rackcast {

/// Replaces groups of operators by one each:
///   - softmax(QK^T + masks) V by rackcast.DotAttention of Q, K^T, V and what is added to the scores;
///   - (x - mean) / sqrt(variance + c) by rackcast.LayerNorm, and x / sqrt(mean of x^2 + c) by
///   rackcast.RMSNorm;
///   - x (1 + erf(x / sqrt 2)) / 2, and its approximation by tanh, by rackcast.Gelu;
///   - x sigmoid(c x) by rackcast.Swish.
/// Scales and offsets behind a norm stay as they are. Operators that others still read stay, too.
void find_onnx_patterns(OnnxGraph& graph);

}  // namespace rackcast
