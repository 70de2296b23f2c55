#include "scenarios/listings/generation.hpp"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "models/collectives/cluster.hpp"
#include "models/collectives/comm_model.hpp"
#include "models/frameworks/framework.hpp"
#include "models/gpu/cost.hpp"
#include "models/gpu/precision_support.hpp"
#include "models/gpu/rates_of.hpp"
#include "models/mechanism_spread.hpp"
#include "models/networks/workload.hpp"
#include "models/serving/token_generation.hpp"
#include "scenarios/names/count_text.hpp"
#include "sim/base/error.hpp"
#include "sim/base/normal.hpp"
#include "sim/json/table_document.hpp"
#include "sim/units/quantity_text.hpp"
#include "topologies/catalog/catalog.hpp"
#include "topologies/hardware/node_spec.hpp"

namespace rackcast {
namespace {

class Node {
 public:
  Node(const Catalog& catalog, const GenerationQuestion& q)
      : spec_(node_spec(catalog, NodeChoice{q.node, ""})),
        workload_(load_workload(q.model)),
        framework_(framework_profile({.name = q.framework, .version = q.version, .training = false})),
        gpu_(GpuCostModel::create(gpu_rates(spec_.gpu), framework_.lowering())),
        cluster_(make_cluster(catalog, spec_, {})) {
    if (!workload_.transformer || !workload_.transformer->causal)
      throw Error{workload_.title + " does not generate tokens one after the other",
                  {},
                  "language models with causal attention do: gpt2-xl, llama3-8b, mixtral-8x7b"};
    if (!supports(gpu_.gpu(), q.precision, PrecisionUse::generation)) {
      const auto why = precision_refusal(gpu_.gpu(), spec_.gpu.name, q.precision, PrecisionUse::generation);
      throw Error{why.message, {}, why.hint};
    }
    asked_.prompt = q.prompt;
    asked_.output = q.output;
    asked_.precision = q.precision;
    asked_.pipeline = q.pipeline;
    asked_.speculation = speculation_of(q.drafts, q.acceptance);
    asked_.server = server_habits(q.framework, q.version, &spec_.gpu);
    asked_.memory = spec_.gpu.available_memory();
  }

  [[nodiscard]] GenerationPasses passes(int tensor) const {
    GenerationSpec spec = asked_;
    spec.tensor = tensor;
    return generation_passes(cluster_, *workload_.transformer, gpu_, framework_, {}, spec);
  }

  [[nodiscard]] const NodeSpec& spec() const { return spec_; }
  [[nodiscard]] const ServerHabits& server() const { return asked_.server; }
  [[nodiscard]] const Workload& workload() const { return workload_; }
  [[nodiscard]] const FrameworkProfile& framework() const { return framework_; }

 private:
  NodeSpec spec_;
  Workload workload_;
  FrameworkProfile framework_;
  GpuCostModel gpu_;
  Cluster cluster_;
  GenerationSpec asked_;
};

std::string with_interval(double value, const Generation& g) {
  const double factor = std::exp(half_of_90_percent * std::hypot(g.compute_log_sigma, g.network_log_sigma));
  return fmt::format("{} ({} to {})", grouped(std::round(value)), grouped(std::round(value / factor)),
                     grouped(std::round(value * factor)));
}

/// From sending a request that finds a place: what it waits for beside its passes is uncertain by itself.
std::string first_token_text(const Generation& g, const ServerHabits& server) {
  const Duration first = g.first + server.arriving + server.passes_waited * g.token;
  const double factor =
      std::exp(half_of_90_percent * std::hypot(g.compute_log_sigma, g.network_log_sigma,
                                               mechanism_log_sigma(Mechanism::first_token)));
  return fmt::format("{} ({} to {})", to_text(first), to_text(first / factor), to_text(first * factor));
}

/// What a request keeps in memory: some layers have a state, whatever its length.
std::string kept_text(const Generation& g) {
  const std::string tokens = to_text(g.kv_per_token);
  return g.state_per_request > Bytes{0} ? tokens + ", and " + to_text(g.state_per_request) + " a request"
                                        : tokens;
}

std::vector<std::string> row_of(std::string first, const Generation& g, int gpus,
                                const ServerHabits& server) {
  return {std::move(first),
          grouped(g.requests),
          with_interval(g.tokens_per_s, g),
          grouped(std::round(g.tokens_per_s / gpus)),
          to_text(g.token),
          first_token_text(g, server),
          to_text(g.weights),
          kept_text(g)};
}

std::vector<TableColumn> columns(std::string first) {
  return {{std::move(first), true},           {"requests in flight", true},
          {"tokens/s (90 % interval)", true}, {"tokens/s per GPU", true},
          {"per output token", true},         {"to the first token (90 % interval)", true},
          {"weights per GPU", true},          {"keys and values per token", true}};
}

struct Split {
  int tensor = 0;
  GenerationPasses passes;

  [[nodiscard]] const Generation& full() const { return passes.full; }
};

/// Every split that was asked for; the best by tokens/s and GPU.
Split by_split(const Node& node, const GenerationQuestion& q, TableDocument::Table& out) {
  Split best;
  Error last{"no split of the network over the GPUs of the node was asked for"};
  for (int tensor = q.tensor > 0 ? q.tensor : 1; tensor * q.pipeline <= node.spec().gpus; tensor *= 2) {
    const int gpus = tensor * q.pipeline;
    try {
      Split split{tensor, node.passes(tensor)};
      const Generation& g = split.full();
      out.rows.push_back(row_of(std::to_string(gpus), g, gpus, node.server()));
      if (best.tensor == 0 || g.tokens_per_s / gpus > best.full().tokens_per_s / (best.tensor * q.pipeline))
        best = std::move(split);
    } catch (const Error& e) {
      last = e;
      out.rows.push_back({std::to_string(gpus), "-", e.message(), "-", "-", "-", "-", "-"});
    }
    if (q.tensor > 0) break;
  }
  if (best.tensor == 0) throw Error{last};
  return best;
}

TableDocument::Table by_requests(const Node& node, const GenerationQuestion& q, const Split& split) {
  const int gpus = split.tensor * q.pipeline;
  TableDocument::Table out{fmt::format("{} GPUs for a copy, by load", gpus), columns("load"), {}};
  const auto add = [&](double requests) {
    out.rows.push_back(row_of(fmt::format("{:.0f} %", 100 * requests / split.full().requests),
                              split.passes.with(requests), gpus, node.server()));
  };
  double requests = 1;
  for (; requests < split.full().requests; requests *= 4) add(requests);
  add(split.full().requests);
  return out;
}

/// The most requests whose tokens come in time; 0 if not even one alone does.
double most_within(const Split& split, Duration limit) {
  double low = 0, high = split.full().requests;
  if (split.full().token <= limit) return high;
  while (high - low > 1) {
    const double middle = std::floor((low + high) / 2);
    (split.passes.with(middle).token <= limit ? low : high) = middle;
  }
  return low;
}

TableDocument::Table within_latency(const Node& node, const GenerationQuestion& q, const Split& split) {
  const int gpus = split.tensor * q.pipeline;
  TableDocument::Table out{
      fmt::format("{} GPUs for a copy, at most {} per output token", gpus, to_text(*q.token_latency)),
      columns("load"),
      {}};
  const double most = most_within(split, *q.token_latency);
  if (most < 1) {
    out.rows.push_back({"-", "0", "a single request takes longer", "-", "-", "-", "-", "-"});
  } else {
    out.rows.push_back(row_of(fmt::format("{:.0f} %", 100 * most / split.full().requests),
                              split.passes.with(most), gpus, node.server()));
  }
  return out;
}

}  // namespace

std::string explain_generation(const Catalog& catalog, const GenerationQuestion& q) {
  if (q.drafts < 0 || q.drafts > 16) throw Error{"from 0 to 16 tokens are guessed before a pass"};
  if (q.acceptance && (q.drafts == 0 || !(*q.acceptance >= 0 && *q.acceptance <= 1)))
    throw Error{"an acceptance is a chance from 0 to 1 of guessed tokens"};
  if (q.tensor < 0 || q.pipeline < 1) throw Error{"a network is split over one GPU or more"};
  const Node node{catalog, q};
  const double asked = std::max(1.0, static_cast<double>(q.tensor)) * q.pipeline;
  if (asked > node.spec().gpus)
    throw Error{fmt::format("{} has {} GPUs, and the split asks for {:.0f}", node.spec().name,
                            node.spec().gpus, asked)};
  TableDocument document;
  document.title =
      fmt::format("{} in {} on {}", node.workload().title, to_string(q.precision), node.spec().name);
  if (q.drafts > 0)
    document.title += fmt::format(", {} guessed, {:.2f} tokens a pass", count_of(q.drafts, "token"),
                                  speculation_of(q.drafts, q.acceptance).tokens_per_pass());
  document.subtitle = fmt::format("{}; prompts of {} and answers of {} tokens", node.framework().title,
                                  grouped(q.prompt), grouped(q.output));
  TableDocument::Table splits{"As many requests as memory holds, by GPUs for a copy", columns("GPUs"), {}};
  const Split best = by_split(node, q, splits);
  document.tables.push_back(std::move(splits));
  document.tables.push_back(by_requests(node, q, best));
  if (q.token_latency) document.tables.push_back(within_latency(node, q, best));
  return document.json();
}

}  // namespace rackcast
