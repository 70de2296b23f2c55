#pragma once
/// The work of each GPU of a split transformer: a shard of the width of the layers, in one stage of the
/// layers.
#include <cstdint>
#include <vector>

#include "models/frameworks/trainer_memory.hpp"
#include "models/networks/low_rank.hpp"
#include "models/networks/operator.hpp"
#include "models/networks/transformer.hpp"
#include "models/split/mesh.hpp"

namespace rackcast {

/// What one GPU of a tensor-parallel group computes. Throws Error where the shape cannot be cut so.
TransformerShape shard_of(TransformerShape shape, int ways);

/// What one GPU has of the network: a shard of its width and a part of its tokens.
struct ShardOfAll {
  TransformerShape shape;  ///< the whole width, a part of the tokens
  TransformerShape part;
  Workload workload;  ///< its operators, with adapters
};
/// Throws Error where the shape cannot be cut so.
ShardOfAll shard_of_all(const TransformerShape& whole, const Mesh& mesh, const LowRankSpec& adapters);

/// Parts that stages take in turn are of equal numbers of layers; others are cut as the framework does.
inline StageCut stage_cut(StageCut usual, int interleave) {
  return interleave > 1 ? StageCut::equal : usual;
}

/// count / ways. Throws Error that names `what` if the division leaves a remainder.
std::int64_t divided(std::int64_t count, std::int64_t ways, const char* what);

struct SplitStage {
  Workload part;
  std::int64_t layers = 0, expert_layers = 0;
  bool first = false, last = false;
};

/// Layers of each of `count` stages. Equal numbers of layers are as equal as whole layers allow. With equal
/// shares of the work a stage ends with the layer that reaches its share; only networks of equal dense layers
/// are cut so, others into equal numbers.
std::vector<std::int64_t> layers_of_stages(const TransformerShape& shape, int count, StageCut cut);

/// The network cut into stages of so many layers. The embedding is in the first stage, the vocabulary product
/// in the last. Throws Error if there are fewer layers than stages.
std::vector<SplitStage> stages_of(const Workload& whole, const TransformerShape& shape,
                                  const std::vector<std::int64_t>& layers);

}  // namespace rackcast
