#pragma once
/// What the tests of generation ask about: Llama 3 8B on a DGX A100, unless they take another network.
#include <string>

#include "models/collectives/cluster.hpp"
#include "models/collectives/comm_model.hpp"
#include "models/frameworks/framework.hpp"
#include "models/gpu/cost.hpp"
#include "models/gpu/rates_of.hpp"
#include "models/networks/workload.hpp"
#include "models/serving/token_generation.hpp"
#include "topologies/catalog/catalog.hpp"
#include "topologies/hardware/node_spec.hpp"

namespace rackcast {

struct Machine {
  Catalog catalog = Catalog::builtin();
  NodeSpec node = node_spec(catalog, NodeChoice{"dgx_a100_640gb", ""});
  FrameworkProfile framework = framework_profile({.name = "tensorrt", .training = false});
  GpuCostModel gpu = GpuCostModel::create(gpu_rates(node.gpu),
                                          {.library = framework.library, .attention = framework.attention});
  Cluster cluster = make_cluster(catalog, node, {});
  Workload network = load_workload("llama3-8b");

  [[nodiscard]] GenerationSpec spec() const {
    GenerationSpec out;
    out.prompt = 1000;
    out.output = 500;
    out.server = server_habits("tensorrt", "", &node.gpu);
    out.memory = Bytes{80e9};
    return out;
  }
  [[nodiscard]] Generation run(const GenerationSpec& spec) const {
    return generate_tokens(cluster, *network.transformer, gpu, framework, {}, spec);
  }
};

}  // namespace rackcast
