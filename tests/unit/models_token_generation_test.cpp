// Language models that answer token by token.
#include <doctest/doctest.h>

#include <cmath>

#include "models/cluster.hpp"
#include "models/collectives/comm_model.hpp"
#include "models/framework.hpp"
#include "models/gpu_cost.hpp"
#include "models/gpu_rates_of.hpp"
#include "models/token_generation.hpp"
#include "models/workload.hpp"
#include "scenarios/generation.hpp"
#include "sim/error.hpp"
#include "topologies/catalog.hpp"
#include "topologies/node_spec.hpp"

using namespace rackcast;

namespace {

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
    out.server = server_habits("tensorrt");
    out.memory = Bytes{80e9};
    return out;
  }
  [[nodiscard]] Generation run(const GenerationSpec& spec) const {
    return generate_tokens(cluster, *network.transformer, gpu, framework, {}, spec);
  }
};

}  // namespace

TEST_CASE("memory beside the weights decides how many requests are in flight") {
  const Machine m;
  GenerationSpec spec = m.spec();
  const Generation g = m.run(spec);
  CHECK(g.weights.base() == doctest::Approx(2 * 8030261248.0).epsilon(1e-3));
  // 32 layers, 8 heads of 128, keys and values in 16 bits.
  CHECK(g.kv_per_token == Bytes{2.0 * 2 * 32 * 8 * 128});
  CHECK(g.requests == std::floor(0.9 * (spec.memory - g.weights) / (1500 * g.kv_per_token)));
  spec.server = server_habits("vllm");  // keeps no room for what is not there yet
  CHECK(m.run(spec).requests == 256);
  spec.memory = Bytes{17e9};
  spec.server = server_habits("tensorrt");
  CHECK(m.run(spec).requests >= 1);
  spec.memory = g.weights;
  CHECK_THROWS_AS((void)m.run(spec), Error);
}

TEST_CASE("a pass of one token takes at least the time to read weights, keys and values") {
  const Machine m;
  GenerationSpec spec = m.spec();
  for (const double requests : {1.0, 16.0, 128.0}) {
    spec.requests = requests;
    const Generation g = m.run(spec);
    const Bytes read = g.weights + requests * 1250 * g.kv_per_token;
    const Duration floor = read / m.node.gpu.memory_bandwidth.value;
    CAPTURE(requests);
    CHECK(g.token > floor);
    CHECK(g.token < 2 * floor);
    CHECK(g.tokens_per_s == doctest::Approx(requests * 500 / (requests * g.prompt + 499 * g.token).base()));
  }
}

TEST_CASE("GPUs that split a network leave more room and pay for sums") {
  const Machine m;
  GenerationSpec spec = m.spec();
  const Generation one = m.run(spec);
  spec.tensor = 4;
  const Generation four = m.run(spec);
  CHECK(four.weights.base() == doctest::Approx(one.weights.base() / 4).epsilon(0.01));
  CHECK(four.kv_per_token.base() == doctest::Approx(one.kv_per_token.base() / 4));
  CHECK(four.requests > 4 * one.requests);
  CHECK(four.tokens_per_s < 4.5 * one.tokens_per_s);
  spec.requests = 1;
  GenerationSpec alone = m.spec();
  alone.requests = 1;
  CHECK(m.run(spec).token < m.run(alone).token);
}

TEST_CASE("long prompts cost in proportion where attention is one kernel") {
  const Machine m;
  GenerationSpec spec = m.spec();
  spec.prompt = 2000;
  const Duration once = m.run(spec).prompt;
  spec.prompt = 16000;
  CHECK(m.run(spec).prompt < 11 * once);
}

TEST_CASE("impossible questions are refused") {
  const Machine m;
  const auto asked = [&](auto change) {
    GenerationQuestion q;
    q.model = "llama3-8b";
    q.node = "dgx_a100_640gb";
    q.prompt = q.output = 100;
    change(q);
    return explain_generation(m.catalog, q);
  };
  CHECK(asked([](GenerationQuestion&) {}).find("tokens/s") != std::string::npos);
  CHECK_THROWS_AS(asked([](GenerationQuestion& q) { q.model = "resnet50"; }), Error);
  CHECK_THROWS_AS(asked([](GenerationQuestion& q) { q.model = "bert-large"; }), Error);
  CHECK_THROWS_AS(asked([](GenerationQuestion& q) { q.prompt = 0; }), Error);
  CHECK_THROWS_AS(asked([](GenerationQuestion& q) { q.output = -1; }), Error);
  CHECK_THROWS_AS(asked([](GenerationQuestion& q) { q.output = 1e300; }), Error);
  CHECK_THROWS_AS(asked([](GenerationQuestion& q) { q.tensor = 3; }), Error);
  CHECK_THROWS_AS(asked([](GenerationQuestion& q) { q.tensor = q.pipeline = 2'000'000'000; }), Error);
  CHECK_THROWS_AS(asked([](GenerationQuestion& q) { q.pipeline = 0; }), Error);
  CHECK_THROWS_AS(asked([](GenerationQuestion& q) { q.node = "dgx9"; }), Error);
}
