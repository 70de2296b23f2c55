#include "models/split/expert_parallel.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/collectives/cluster.hpp"
#include "models/collectives/comm_model.hpp"
#include "models/networks/operator.hpp"
#include "sim/base/error.hpp"

namespace rackcast {

TransformerShape with_local_experts(TransformerShape shape, int tensor, int expert) {
  if (expert <= 1) return shape;
  if (shape.experts == 0) throw Error{"a network without experts cannot be split by them"};
  if (shape.experts % expert != 0)
    throw Error{fmt::format("{} experts cannot be cut over {} GPUs", shape.experts, expert)};
  shape.local_experts = shape.experts / expert;
  shape.moe_ffn *= tensor;  // shard_of() has cut the columns
  shape.token_parts = tensor;
  return shape;
}

double holders_of_a_token(const TransformerShape& shape, int holders) {
  const double held = static_cast<double>(shape.experts) / holders;
  double missed = 1;  // the probability that a given holder has none of the token's experts
  for (std::int64_t i = 0; i < shape.top_k; ++i) {
    const double left = static_cast<double>(shape.experts - i);
    missed *= std::max(0.0, (left - held) / left);
  }
  return holders * (1 - missed);
}

double width_to_experts(const TransformerShape& shape) {
  if (shape.moe_latent == 0) return 1;
  return static_cast<double>(shape.moe_latent) / static_cast<double>(shape.hidden);
}

struct ExpertGroup::Models {
  int expert;
  Cluster group, node;
  CommModel among, inside;

  Models(const Cluster& cluster, const CommSpec& comm, int ways)
      : expert{ways},
        group{first_ranks(cluster, ways)},
        node{first_ranks(cluster, group.local_ranks())},
        among{group, comm},
        inside{node, comm} {}
};

ExpertGroup::ExpertGroup(const Cluster& cluster, const CommSpec& comm, int expert)
    : models_{std::make_unique<Models>(cluster, comm, expert)} {}
ExpertGroup::~ExpertGroup() = default;
ExpertGroup::ExpertGroup(ExpertGroup&&) noexcept = default;

ExpertExchange ExpertGroup::exchange(const TransformerShape& shape, Bytes tokens) {
  Models& m = *models_;
  const int nodes = m.group.used_nodes();
  const double copies = holders_of_a_token(shape, nodes > 1 ? nodes : m.expert);
  ExpertExchange out{m.among.time(Collective::all_to_all, copies * tokens), m.among.log_sigma()};
  if (nodes == 1) return out;
  out.time =
      std::max(out.time, m.inside.time(Collective::all_to_all, holders_of_a_token(shape, m.expert) * tokens));
  return out;
}

ExpertExchange expert_exchange(const Cluster& cluster, const CommSpec& comm, const TransformerShape& shape,
                               int expert, Bytes tokens) {
  return ExpertGroup{cluster, comm, expert}.exchange(shape, tokens);
}

double expert_parameters(const Workload& part) {
  double sum = 0;
  for (const Operator& op : part.operators)
    if (op.place.block == LayerBlock::experts) sum += op.trained_parameters();
  return sum;
}

}  // namespace rackcast
