#include "calibrate/import/onnx/layer_writer.hpp"

#include <algorithm>

namespace rackcast {
namespace {

using nlohmann::ordered_json;

/// The layer that makes `wanted` of `from`; false where that has too few elements, null where they are the
/// same.
ordered_json step_between(const FlowSides& from, const FlowSides& wanted) {
  if (from == wanted) return nullptr;
  const double before = elements_in(from), behind = elements_in(wanted);
  if (behind > before) return false;
  if (behind < before) {
    if (from.size() == 2 && wanted == FlowSides{from.back()}) return "take_token";
    return {{"part", wanted}};
  }
  if (wanted.size() == 1) return "flatten";
  if (from.size() == 3 && wanted.size() == 2 && from.back() == wanted.back()) return "patches_to_tokens";
  return {{"reshape", wanted}};
}

}  // namespace

double elements_in(const FlowSides& sides) {
  double out = 1;
  for (const std::int64_t side : sides) out *= static_cast<double>(side);
  return out;
}

int LayerWriter::add_input(ordered_json form, FlowSides sides) {
  const int flow = static_cast<int>(sides_.size());
  sides_.push_back(std::move(sides));
  closed_inputs_.resize(sides_.size());
  closed_inputs_.back() = std::move(form);
  return flow;
}

int LayerWriter::write(ordered_json layer, FlowSides sides) {
  current_ = static_cast<int>(sides_.size());
  sides_.push_back(std::move(sides));
  written_.push_back({std::move(layer), current_});
  return current_;
}

void LayerWriter::go_to(int flow) {
  if (index(flow) < closed_inputs_.size() && !closed_inputs_[index(flow)].is_null()) {
    ordered_json form = std::move(closed_inputs_[index(flow)]);
    closed_inputs_[index(flow)] = nullptr;
    current_ = flow;
    if (first_ < 0) {
      first_ = flow;
      first_input_ = std::move(form);
    } else {
      written_.push_back({{{"input", std::move(form)}}, flow});
    }
    return;
  }
  if (flow == current_) return;
  named_.insert(flow);
  written_.push_back({{{"use", name(flow)}}, -1});
  current_ = flow;
}

bool LayerWriter::go_to(int flow, const FlowSides& wanted) {
  ordered_json step = step_between(sides(flow), wanted);
  if (step.is_boolean()) return false;
  go_to(flow);
  if (!step.is_null()) write(std::move(step), wanted);
  return true;
}

std::string LayerWriter::named(int flow, const FlowSides& wanted) {
  if (!go_to(flow, wanted)) return {};
  named_.insert(current_);
  return name(current_);
}

ordered_json LayerWriter::branch(int flow, const FlowSides& wanted) {
  ordered_json step = step_between(sides(flow), wanted);
  if (step.is_boolean()) return nullptr;
  if (index(flow) < closed_inputs_.size() && !closed_inputs_[index(flow)].is_null()) go_to(flow);
  ordered_json list = ordered_json::array();
  if (flow != current_) {
    named_.insert(flow);
    list.push_back({{"use", name(flow)}});
  }
  if (!step.is_null()) list.push_back(std::move(step));
  return list;
}

ordered_json* LayerWriter::layer_of(int flow) {
  const auto at = std::ranges::find(written_, flow, &Written::flow);
  return at == written_.end() || flow < 0 || at->layer.contains("input") ? nullptr : &at->layer;
}

ordered_json LayerWriter::layers() const {
  ordered_json out = ordered_json::array();
  const auto save = [&](int flow) {
    if (named_.contains(flow)) out.push_back({{"save", name(flow)}});
  };
  if (first_ >= 0) save(first_);
  for (const Written& one : written_) {
    out.push_back(one.layer);
    if (one.flow >= 0) save(one.flow);
  }
  return out;
}

}  // namespace rackcast
