#include "calibrate/import/launch/scenario_draft.hpp"

#include <fmt/format.h>

#include "models/networks/workload.hpp"

namespace rackcast {
namespace {

/// Numbers that mean the same are written alike, and what differs between runs of one network is left out.
TransformerShape comparable(TransformerShape shape, bool any_vocabulary) {
  if (shape.kv_heads == 0) shape.kv_heads = shape.heads;
  if (shape.head_dim == 0 && shape.heads > 0) shape.head_dim = shape.hidden / shape.heads;
  if (shape.kv_lora_rank > 0) shape.kv_heads = shape.head_dim = 0;
  if (shape.ffn == 0) shape.ffn = 4 * shape.hidden;
  if (shape.moe_ffn == 0) shape.moe_ffn = shape.ffn;
  if (shape.shared_ffn == 0) shape.shared_ffn = shape.shared_experts * shape.moe_ffn;
  shape.shared_experts = 0;
  if (shape.experts == 0) shape.moe_ffn = shape.top_k = 0;
  if (shape.expert_every == 1) shape.expert_every = 0;
  if (shape.experts > 0 && shape.dense_layers == 0 && shape.expert_every == 0) shape.ffn = 0;
  if (any_vocabulary) shape.vocab = 0;
  shape.seq_len = shape.longest_context = 0;
  return shape;
}

struct ZooShape {
  std::string name;
  TransformerShape shape;
};

/// The transformers of the zoo, built once.
const std::vector<ZooShape>& zoo_shapes() {
  static const std::vector<ZooShape> all = [] {
    std::vector<ZooShape> out;
    for (const WorkloadSummary& one : workload_list())
      if (const Workload known = load_workload(one.name); known.transformer)
        out.push_back({one.name, *known.transformer});
    return out;
  }();
  return all;
}

}  // namespace

std::optional<std::string> network_like(const TransformerShape& shape, bool any_vocabulary) {
  const TransformerShape wanted = comparable(shape, any_vocabulary);
  std::optional<std::string> found;
  for (const ZooShape& known : zoo_shapes()) {
    if (comparable(known.shape, any_vocabulary) != wanted) continue;
    if (known.shape.longest_context == shape.longest_context) return known.name;
    if (!found) found = known.name;
  }
  return found;
}

std::int64_t vocabulary_of(const std::string& network) {
  return load_workload(network).transformer->vocab;
}

void finish_draft(nlohmann::ordered_json scenario, ImportOutput& out) {
  const nlohmann::ordered_json& workload = scenario["workloads"][0];
  if (!workload.contains("model"))
    out.warnings.emplace_back(
        "the file does not determine the network: add --set workloads.0.model=NAME "
        "(`rackcast catalog list networks`, or a file of `rackcast import hf-config`)");
  if (!scenario.contains("data"))
    out.warnings.emplace_back(
        "the file does not say how many samples are trained on: add --set data.samples=N");
  out.warnings.emplace_back(
      "the file does not name the machine: add --set cluster.node=NAME (`rackcast catalog list nodes`)" +
      std::string{scenario["cluster"].contains("nodes") ? "" : ", and --set cluster.nodes=N"});
  out.body["scenario"] = std::move(scenario);
}

}  // namespace rackcast
