#pragma once
/// What the GPUs of a split network exchange for each micro-batch beside the sums of layers (layer_sums.hpp):
/// keys and values around a ring, tokens with experts, activations from stage to stage.
#include "models/collectives/timed_exchange.hpp"
#include "models/gpu/rates.hpp"
#include "models/networks/recomputation.hpp"
#include "models/networks/transformer.hpp"
#include "models/split/expert_parallel.hpp"
#include "models/split/mesh.hpp"
#include "sim/units/quantity.hpp"

namespace rackcast {

struct Cluster;
struct CommSpec;
class CommModel;

/// GPUs of a node that share one of its adapters.
int sharing_an_adapter(const Cluster& cluster);

/// Activations of a micro-batch, as they are summed and sent: in 16 bits or more. `shape` has the tokens of
/// one GPU.
Bytes exchanged_activations(const TransformerShape& shape, double micro_batch, Precision precision);

/// One step of keys and values around the ring of GPUs that share a sequence, for one layer. `part` is what
/// one GPU has of the network.
Duration pass_of_keys(CommModel& around, const Cluster& ring, const TransformerShape& part,
                      double micro_batch);

/// How often attention goes forward for each micro-batch.
inline double attention_runs(Recomputation recompute) {
  return recompute == Recomputation::none ? 1 : 2;
}

/// What the ring takes beyond attention. `round`: keys and values once around, for all layers; `forward` and
/// `backward`: attention, going forward once. Attention that is computed again going back has its keys and
/// values sent round again.
struct ExposedRing {
  Duration forward{0}, backward{0};
};
ExposedRing exposed_ring(Duration round, Duration forward, Duration backward, double runs);

/// One exchange of a layer's tokens with the experts.
ExpertExchange exchange_with_experts(ExpertGroup& group, const TransformerShape& shape, const Mesh& mesh,
                                     Bytes activations);

/// From one stage of the pipeline to the next. The GPUs of a group of `tensor` send a part each; those of a
/// node share its adapters.
TimedExchange message_of_stage(CommModel& among, const Cluster& cluster, int tensor, Bytes activations);

}  // namespace rackcast
