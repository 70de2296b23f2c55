// The search over splits: no step is shorter than its bound, and branch and bound finds what simulating every
// candidate finds. On random small networks and clusters, with the models that answer questions.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "models/collectives/cluster.hpp"
#include "models/collectives/comm_model.hpp"
#include "models/frameworks/framework.hpp"
#include "models/gpu/cost.hpp"
#include "models/gpu/rates_of.hpp"
#include "models/memory/memory.hpp"
#include "models/networks/transformer.hpp"
#include "models/split/split_training.hpp"
#include "models/split/step_bound.hpp"
#include "scenarios/splits/split_search.hpp"
#include "scenarios/splits/split_space.hpp"
#include "sim/base/random.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

const Catalog& catalog() {
  static const Catalog instance = Catalog::builtin();
  return instance;
}

template <class T>
T one_of(RandomStream& random, const std::vector<T>& choices) {
  return choices[static_cast<std::size_t>(random.uniform() * static_cast<double>(choices.size()))];
}

TransformerShape some_network(RandomStream& random) {
  TransformerShape s;
  s.layers = one_of<std::int64_t>(random, {2, 3, 4, 6, 8, 12});
  s.heads = one_of<std::int64_t>(random, {4, 8, 12});
  s.hidden = s.heads * one_of<std::int64_t>(random, {64, 128});
  s.kv_heads = one_of<std::int64_t>(random, {0, 2, 4});
  s.ffn = one_of<std::int64_t>(random, {0, 2, 3}) * s.hidden;
  s.gated_mlp = random.uniform() < 0.5;
  s.vocab = one_of<std::int64_t>(random, {1000, 32'000, 50'257});
  s.seq_len = one_of<std::int64_t>(random, {512, 1024, 2048});
  s.tied_output = random.uniform() < 0.5;
  s.post_norm = random.uniform() < 0.2;
  s.sandwich_norm = !s.post_norm && random.uniform() < 0.2;
  s.layer_norm = random.uniform() < 0.5;
  s.dropout = random.uniform() < 0.3;
  s.biases = random.uniform() < 0.5;
  if (random.uniform() < 0.2) {
    s.window = 256;
    s.full_attention_every = one_of<std::int64_t>(random, {0, 2});
  }
  if (random.uniform() < 0.3) {
    s.experts = one_of<std::int64_t>(random, {4, 8});
    s.top_k = 2;
    s.moe_ffn = s.hidden;
    s.dense_layers = one_of<std::int64_t>(random, {0, 1});
  }
  return s;
}

/// A network on a cluster, and what may be searched.
struct Case {
  Cluster cluster;
  FrameworkProfile framework;
  GpuCostModel gpu;
  CommSpec comm;
  SplitSpace space;
  SplitTraining training;
  Workload network;

  explicit Case(RandomStream& random)
      : cluster{some_cluster(random)},
        framework{framework_profile(
            {.name = one_of<std::string>(random, {"megatron-core", "megatron", "deepspeed", "nanotron"}),
             .version = ""})},
        gpu{GpuCostModel::create(gpu_rates(cluster.node.gpu), framework.lowering())} {
    space.shape = some_network(random);
    space.gpus = static_cast<int>(cluster.ranks.size());
    space.gpus_per_node = cluster.local_ranks();
    space.batch = one_of<double>(random, {4, 12, 16, 24, 32});
    const auto fix = [&](SplitKey key, double odds) {
      const bool fixes = random.uniform() < odds;
      if (fixes) space.search.fixed[static_cast<std::size_t>(key)] = Where{};
      return fixes;
    };
    if (fix(SplitKey::schedule, 0.5))
      space.fixed.schedule = pipeline_schedules[static_cast<std::size_t>(random.uniform() * 5)];
    if (fix(SplitKey::micro_batch, 0.3)) space.fixed.micro_batch = one_of<double>(random, {1, 2});
    if (fix(SplitKey::context, 0.6)) space.fixed.context = 1;
    if (random.uniform() < 0.3) space.fixed.overlap_gradients = random.uniform() < 0.5;
    if (random.uniform() < 0.3) space.fixed.sequence_parallel = random.uniform() < 0.5;
    training.precision = one_of<Precision>(random, {Precision::bf16, Precision::mixed, Precision::fp32});
    training.compute_scale = one_of<double>(random, {1, 0.7});
    network = transformer_workload(space.shape);
    network.transformer = std::make_shared<const TransformerShape>(space.shape);
  }

  static Cluster some_cluster(RandomStream& random) {
    const int nodes = one_of<int>(random, {1, 2, 4});
    const char* node = one_of<const char*>(random, {"dgx_h100", "dgx_a100_320gb", "dgx1v_16gb"});
    ClusterShape shape;
    shape.nodes = nodes;
    shape.gpus_per_node = one_of<int>(random, {2, 4, 8});
    return make_cluster(catalog(), node_spec(catalog(), node), shape);
  }

  [[nodiscard]] StepParts step(const Mesh& mesh) const {
    SplitTraining own = training;
    own.mesh = mesh;
    return split_step(cluster, space.shape, gpu, framework, comm, own).parts;
  }

  [[nodiscard]] Bytes memory(const Mesh& mesh) const {
    MemoryOptions options;
    options.precision = training.precision;
    options.optimizer = Optimizer::adam;
    options.mesh = mesh;
    options.trainer = framework.memory;
    return training_memory(network, options).total();
  }
};

std::string text_of(const Case& c, const Mesh& mesh) {
  return fmt::format("{}, {} x {} GPUs, batch {}, {} layers, {}, schedule {}", recipe_text(mesh),
                     c.cluster.used_nodes(), c.cluster.local_ranks(), c.space.batch, c.space.shape.layers,
                     c.framework.title, to_string(mesh.schedule));
}

}  // namespace

TEST_CASE("no step of a split network is shorter than its bound, and most are not much longer") {
  int asked = 0, close = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    RandomStream random{seed, "bounds"};
    const Case c{random};
    const std::vector<Mesh> candidates = split_candidates(c.space);
    if (candidates.empty()) continue;
    StepBound bound{c.cluster, c.space.shape, c.gpu, c.framework, c.comm, c.training};
    for (int i = 0; i < 12; ++i) {
      const Mesh mesh = one_of(random, candidates);
      const Duration least = bound.least(mesh), step = c.step(mesh).total;
      INFO("seed ", seed, ": ", text_of(c, mesh));
      CHECK(least.base() > 0);
      CHECK(least.base() <= step.base());
      ++asked;
      close += least.base() > 0.5 * step.base();
    }
  }
  CHECK(asked > 500);
  MESSAGE(close, " of ", asked, " bounds are above half of the step");
}

TEST_CASE("branch and bound finds the best five that simulating every split finds") {
  std::size_t considered = 0, simulated = 0, cut_off = 0, not_fitting = 0;
  for (std::uint64_t seed = 1; seed <= 25; ++seed) {
    RandomStream random{seed, "search"};
    const Case c{random};
    std::vector<Mesh> candidates = split_candidates(c.space);
    if (candidates.empty() || candidates.size() > 700) continue;
    // A GPU that holds about two thirds of the splits.
    std::vector<double> needs;
    for (const Mesh& mesh : candidates) needs.push_back(c.memory(mesh).base());
    std::ranges::sort(needs);
    const Bytes available{needs[needs.size() * 2 / 3]};

    std::vector<JudgedSplit> all;
    for (const Mesh& mesh : candidates)
      if (c.memory(mesh) <= available) all.push_back({mesh, c.memory(mesh), c.step(mesh)});
    std::ranges::sort(all, [](const JudgedSplit& a, const JudgedSplit& b) {
      return a.step.total != b.step.total ? a.step.total < b.step.total : fewer_cuts(a.mesh, b.mesh);
    });

    StepBound bound{c.cluster, c.space.shape, c.gpu, c.framework, c.comm, c.training};
    const SplitJudge judge{[&](const Mesh& mesh) { return bound.least(mesh); },
                           [&](const Mesh& mesh) { return c.memory(mesh); },
                           [&](const Mesh& mesh) {
                             return c.step(mesh);
                           }};
    const SplitFindings found = search_splits(candidates, available, judge);
    INFO("seed ", seed, ", ", candidates.size(), " candidates");
    REQUIRE(found.best.size() == std::min(best_splits, all.size()));
    for (std::size_t i = 0; i < found.best.size(); ++i) {
      INFO(i, ": ", text_of(c, found.best[i].mesh), " and ", text_of(c, all[i].mesh));
      CHECK(found.best[i].step.total == all[i].step.total);
      CHECK_FALSE(fewer_cuts(found.best[i].mesh, all[i].mesh));
      CHECK_FALSE(fewer_cuts(all[i].mesh, found.best[i].mesh));
    }
    CHECK(found.considered == candidates.size());
    CHECK(found.considered == found.simulated + found.not_fitting + found.cut_off);
    // The order in which candidates are listed is of no meaning.
    std::ranges::reverse(candidates);
    const SplitFindings again = search_splits(candidates, available, judge);
    CHECK(again.best.front().step.total == found.best.front().step.total);
    considered += found.considered;
    simulated += found.simulated;
    cut_off += found.cut_off;
    not_fitting += found.not_fitting;
  }
  CHECK(considered > 1000);
  CHECK(cut_off > considered / 3);
  MESSAGE(considered, " candidates: ", simulated, " simulated, ", cut_off, " cut off, ", not_fitting,
          " do not fit");
}
