#pragma once
/// Experts split over GPUs (expert parallelism: D. Lepikhin et al., "GShard", arXiv:2006.16668, section 3).
///
/// Each GPU of a group of `expert` holds its part of the experts of every layer and has tokens of its own. A
/// layer sends each token to the GPUs of its experts and receives their results. The backward pass does the
/// same with gradients: four all-to-all exchanges per layer and micro-batch, in 16 bits. Tokens are balanced
/// over the experts, as benchmarks force them to be.
///
/// As Megatron-Core folds it ("parallel folding": experts of `tensor` GPUs are whole, each of these GPUs
/// sends a part of the tokens), the group is of neighbours across tensor and data parallelism, inside a stage
/// of the pipeline. With `expert` 1 every expert's columns are cut over the tensor-parallel GPUs instead.
#include <memory>

#include "models/networks/transformer.hpp"
#include "sim/units/quantity.hpp"

namespace rackcast {

struct Cluster;
struct CommSpec;
struct Operator;
struct Workload;

/// The shape with the part of the experts that one GPU holds. `shape` is what shard_of() returns for `tensor`
/// GPUs. Throws Error if the experts do not divide evenly.
TransformerShape with_local_experts(TransformerShape shape, int tensor, int expert);

/// Expected number of the `holders` equal parts of the experts to which a token goes, its own part among
/// them. Experts are drawn without repetition: holders * (1 - C(experts - experts/holders, top_k) /
/// C(experts, top_k)).
double holders_of_a_token(const TransformerShape& shape, int holders);

/// Share of a token's features that is sent to the experts.
double width_to_experts(const TransformerShape& shape);

struct ExpertExchange {
  Duration time{0};
  double log_sigma = 0;
};

/// One all-to-all exchange among the first `expert` GPUs, each with `tokens` bytes of tokens before they are
/// copied. A GPU receives a token once, however many of the token's experts it holds. So does a node, which
/// passes the token on inside: as DeepEP (github.com/deepseek-ai/DeepEP, "normal kernels") and HybridEP send
/// them. The exchanges between nodes and inside them run at the same time.
class ExpertGroup {
 public:
  ExpertGroup(const Cluster& cluster, const CommSpec& comm, int expert);
  ~ExpertGroup();
  ExpertGroup(ExpertGroup&&) noexcept;

  ExpertExchange exchange(const TransformerShape& shape, Bytes tokens);

 private:
  struct Models;
  std::unique_ptr<Models> models_;
};

/// One exchange of a group that is asked once.
ExpertExchange expert_exchange(const Cluster& cluster, const CommSpec& comm, const TransformerShape& shape,
                               int expert, Bytes tokens);

/// Trained parameters of the workload's experts: their gradients are summed over fewer GPUs than the others'.
double expert_parameters(const Workload& part);

}  // namespace rackcast
