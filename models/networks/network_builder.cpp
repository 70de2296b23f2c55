#include "models/networks/network_builder.hpp"

#include <algorithm>

#include "sim/base/error.hpp"

namespace rackcast {
namespace {

/// Also where they are counted elsewhere (shared, tied).
bool has_weights(const Operator& op) {
  switch (op.family) {
    case OperatorFamily::gemm:
    case OperatorFamily::conv:
    case OperatorFamily::depthwise:
    case OperatorFamily::rnn:
    case OperatorFamily::embedding:
      return true;
    default:
      return op.parameters > 0;
  }
}

}  // namespace

Flow NetworkBuilder::add(Operator op, std::span<const Flow> inputs, const TensorShape& output, Kept kept) {
  if (operators_.size() >= max_operators) {
    throw Error{"the network has more than " + std::to_string(max_operators) + " operators"};
  }
  op.shape.elements_out = output.elements();
  op.shape.elements_in = 0;
  op.first_layer = true;
  op.frozen = mode_.frozen;
  for (const Flow& in : inputs) {
    op.shape.elements_in += in.shape.elements();
    const bool trains = in.producer >= 0 && needs_gradient_[static_cast<std::size_t>(in.producer)];
    op.first_layer = op.first_layer && !trains;
  }
  const bool needs_gradient = !op.first_layer || (has_weights(op) && !op.frozen);
  if (!needs_gradient) kept = {};
  // The gradient of a product's input takes its weights; its input is read for the weights' gradient alone.
  if (op.frozen && has_weights(op)) kept.input = false;
  for (const Flow& in : inputs)
    if (kept.input) keep(in.producer);
  // Negated so that a product that became infinite or not-a-number is refused, too.
  if (!(op.shape.elements_out <= max_elements) || !(op.parameters <= max_elements * 1e3)) {
    throw Error{op.name + " is too large: output " + output.text()};
  }
  op.name = prefix_ + op.name;
  op.output = output.text();
  op.place = place_;
  op.auxiliary = mode_.auxiliary;
  if (mode_.shared) op.parameters = 0;
  op.activation_elements = kept.extra;
  op.score_elements = kept.scores;
  operators_.push_back(std::move(op));
  kept_.push_back(false);
  needs_gradient_.push_back(needs_gradient);
  const int self = static_cast<int>(operators_.size()) - 1;
  if (kept.output) keep(self);
  return {output, self};
}

void NetworkBuilder::keep(int producer) {
  if (producer < 0) return;
  const auto i = static_cast<std::size_t>(producer);
  if (kept_[i]) return;
  kept_[i] = true;
  operators_[i].activation_elements += operators_[i].shape.elements_out;
}

void NetworkBuilder::set_role(const Flow& flow, LayerRole role) {
  operators_.at(static_cast<std::size_t>(flow.producer)).place.role = role;
}

NetworkBuilder::Place::Place(NetworkBuilder& network, std::int64_t layer)
    : network_(network), before_(network.place_) {
  network.place_ = {.layer = layer};
}

NetworkBuilder::Place::Place(NetworkBuilder& network, LayerBlock block)
    : network_(network), before_(network.place_) {
  network.place_.block = block;
}

std::string NetworkBuilder::numbered(std::string_view stem) {
  const int number = ++numbers_[prefix_ + std::string(stem)];
  return std::string(stem) + std::to_string(number);
}

std::string NetworkBuilder::unique(std::string_view name) {
  const int number = ++numbers_[prefix_ + std::string(name)];
  return std::string(name) + (number > 1 ? std::to_string(number) : "");
}

NetworkBuilder::Prefix::Prefix(NetworkBuilder& network, std::string_view part)
    : network_(network), length_(network.prefix_.size()) {
  network_.prefix_ += part;
  network_.prefix_ += '.';
}

NetworkBuilder::Mode::Mode(NetworkBuilder& network, ModeFlags flags)
    : network_(network), before_(network.mode_) {
  network_.mode_ = {before_.shared || flags.shared, before_.auxiliary || flags.auxiliary,
                    before_.frozen || flags.frozen};
}

NetworkBuilder::Mode::~Mode() {
  network_.mode_ = before_;
}

}  // namespace rackcast
