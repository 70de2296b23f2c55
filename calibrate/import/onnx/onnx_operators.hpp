#pragma once
/// The operators of ONNX that have a layer, in one table. Private to the importers of graphs.
#include <string_view>

#include "calibrate/import/onnx/onnx_place.hpp"

namespace rackcast {

/// Writes the layers of an operator and gives its first result. Throws Error where there is no layer for what
/// it asks.
using OnnxMaker = OnnxValue (*)(const OnnxPlace&);

/// nullptr: the operator has no layer.
OnnxMaker onnx_maker(std::string_view kind);

namespace onnx_layers {

// onnx_products.cpp
/// A dense layer of rows as long as `inputs`, behind input `i`; the weights are input `from`.
OnnxValue dense(const OnnxPlace& at, std::size_t i, std::size_t from, std::int64_t outputs, bool bias,
                OnnxDims dims);
OnnxValue gemm(const OnnxPlace&);
OnnxValue matmul(const OnnxPlace&);

// onnx_joins.cpp
OnnxValue join(const OnnxPlace&);
OnnxValue where(const OnnxPlace&);
OnnxValue concat(const OnnxPlace&);

// onnx_sequences.cpp
OnnxValue gather(const OnnxPlace&);
OnnxValue layer_norm(const OnnxPlace&);
OnnxValue instance_norm(const OnnxPlace&);
OnnxValue dot_attention(const OnnxPlace&);
/// Of ONNX Runtime: with the projection of queries, keys and values, or behind them.
OnnxValue fused_attention(const OnnxPlace&);
OnnxValue multi_head_attention(const OnnxPlace&);
OnnxValue skip_norm(const OnnxPlace&);

}  // namespace onnx_layers
}  // namespace rackcast
