/// What a node draws while it trains (models/site/node_power.hpp), its GPUs' kernels running all the time:
/// cases say nothing of what their steps wait for. Mean and highest reading get the same prediction.
#include <cmath>

#include "models/site/node_power.hpp"
#include "scenarios/validation/cluster_of_case.hpp"
#include "scenarios/validation/predictor.hpp"
#include "topologies/node_spec.hpp"

namespace rackcast {
namespace {

/// The case cut to one of its nodes.
NodeSpec node_of(PredictionContext& context, const ValidationCase& c) {
  ValidationCase one = c;
  if (c.system.gpus_per_node) one.system.gpus = c.system.gpus_per_node;
  one.system.nodes = 1;
  one.system.fabric = Json{};
  return cluster_of_case(context.catalog(), one).node;
}

}  // namespace

PredictedFigure predict_node_power(PredictionContext& context, const ValidationCase& c) {
  const NodeSpec node = node_of(context, c);
  const NodePower power = node_power(context.catalog(), node);
  if (!power.known) throw Unpredictable{"neither rating of the node nor limit of its GPUs known"};
  return figure_of(power.at(1, Power{INFINITY}).wall.base(), power.log_sigma);
}

}  // namespace rackcast
