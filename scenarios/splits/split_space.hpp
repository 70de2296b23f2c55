#pragma once
/// The meshes among which a search over splits chooses (models/split/mesh.hpp).
///
/// A mesh is a candidate where everything divides: GPUs, heads and the width of the MLP, tokens, experts, and
/// the global batch over replicas and micro-batches. Tensor parallelism stays inside a node unless the
/// scenario states its width; contexts are powers of two. Parts of a stage are interleaved under 1F1B where
/// they have equally many layers and the micro-batches are a multiple of the stages, as Megatron-LM demands.
/// Gradients and weights are sharded without a pipeline, unless the scenario states the stage: DeepSpeed
/// refuses it, and Megatron-LM's distributed optimizer shards optimizer states alone. Other schedules, groups
/// of shards, and what else a mesh has are as stated: no framework of the catalogue says that it runs them.
#include <functional>
#include <vector>

#include "models/networks/transformer.hpp"
#include "models/split/mesh.hpp"
#include "scenarios/format/parallelism.hpp"

namespace rackcast {

struct SplitSpace {
  TransformerShape shape;
  Mesh fixed;        ///< the values of keys that are not searched
  AutoSplit search;  ///< which these are
  int gpus = 1, gpus_per_node = 1;
  double batch = 1;       ///< sequences of a step, on all GPUs
  bool adapters = false;  ///< which take no sharded gradients
};

/// All of them, with replicas and micro-batches, in a fixed order in which the ZeRO stage changes fastest.
std::vector<Mesh> split_candidates(const SplitSpace& space);
/// Whether there is one.
bool has_split_candidate(const SplitSpace& space);

/// A strict order: fewer GPUs to a copy, then fewer to a layer, then fewer stages, and so on. It decides
/// between meshes that take equally long.
bool fewer_cuts(const Mesh& a, const Mesh& b);

/// Throws Error at a key whose value divides nothing of this network, whatever the number of GPUs.
void check_fixed_keys(const SplitSpace& space);

}  // namespace rackcast
