#include "calibrate/import/onnx/layer_writer.hpp"

#include <algorithm>

namespace rackcast {
namespace {

using nlohmann::ordered_json;

/// Sides of length one behind a vector change nothing.
bool same(const OnnxDims& flow, const OnnxDims& value) {
  if (flow == value) return true;
  return flow.size() == 2 && value.size() > 2 && std::equal(flow.begin(), flow.end(), value.begin()) &&
         std::all_of(value.begin() + 2, value.end(), [](std::int64_t side) { return side == 1; });
}

/// A vector of all that a map has.
bool is_flat(const OnnxDims& flow, const OnnxDims& value) {
  return flow.size() > 2 && value.size() == 2 && value.front() == 1 &&
         elements_of(flow) == elements_of(value);
}

}  // namespace

OnnxValue LayerWriter::write(ordered_json layer, OnnxDims dims, bool vector) {
  current_ = static_cast<int>(dims_.size());
  dims_.push_back(vector ? OnnxDims{1, dims[1]} : dims);
  written_.push_back({std::move(layer), current_});
  return {.dims = std::move(dims), .flow = current_};
}

bool LayerWriter::go_to(const OnnxValue& value) {
  if (value.flow != current_) {
    named_.insert(value.flow);
    written_.push_back({{{"use", name(value.flow)}}, -1});
    current_ = value.flow;
  }
  const OnnxDims& flow = dims_[index(value.flow)];
  if (same(flow, value.dims)) return true;
  if (is_flat(flow, value.dims)) {
    write("flatten", value.dims, true);
    return true;
  }
  if (flow.size() == 2 && value.dims.size() == 4 && elements_of(flow) == elements_of(value.dims)) {
    write({{"reshape", {value.dims[2], value.dims[3], value.dims[1]}}}, value.dims, false);
    return true;
  }
  return false;
}

bool LayerWriter::branches(const std::vector<const OnnxValue*>& values, ordered_json& lists) {
  lists = ordered_json::array();
  for (const OnnxValue* value : values) {
    const OnnxDims& flow = dims_[index(value->flow)];
    const bool flat = is_flat(flow, value->dims);
    if (!flat && !same(flow, value->dims)) return false;
    ordered_json list = ordered_json::array();
    if (value->flow != current_) {
      named_.insert(value->flow);
      list.push_back({{"use", name(value->flow)}});
    }
    if (flat) list.push_back("flatten");
    lists.push_back(std::move(list));
  }
  return true;
}

ordered_json* LayerWriter::last_layer(const OnnxValue& value) {
  return !written_.empty() && written_.back().flow == value.flow && value.flow == current_
             ? &written_.back().layer
             : nullptr;
}

ordered_json LayerWriter::layers() const {
  ordered_json out = ordered_json::array();
  const auto save = [&](int flow) {
    if (named_.contains(flow)) out.push_back({{"save", name(flow)}});
  };
  save(0);
  for (const Written& one : written_) {
    out.push_back(one.layer);
    if (one.flow >= 0) save(one.flow);
  }
  return out;
}

}  // namespace rackcast
