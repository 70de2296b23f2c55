#pragma once
/// The operators of ONNX that have a layer, in one table. Private to the ONNX importer.
#include <string_view>

#include "calibrate/import/onnx/onnx_place.hpp"

namespace rackcast {

/// Writes the layers of an operator and gives its first result. Throws Error where there is no layer for what
/// it asks.
using OnnxMaker = OnnxValue (*)(const OnnxPlace&);

/// nullptr: the operator has no layer.
OnnxMaker onnx_maker(std::string_view kind);

}  // namespace rackcast
