#include "scenarios/serving/service_measured.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "models/mechanism_spread.hpp"
#include "scenarios/evaluate/ledger.hpp"
#include "scenarios/serving/service_node.hpp"
#include "scenarios/serving/token_server.hpp"
#include "sim/base/error.hpp"

namespace rackcast {

namespace {

/// One row with the node that it was measured on, as modelled.
struct MeasuredNode {
  ServiceNode node;
  double figure = 0;  ///< predicted
  Observation seen;
  double beside_log_sigma = 0;  ///< of what a first token takes beside its passes
};

bool is_latency(MeasuredMetric metric) {
  return metric == MeasuredMetric::time_per_output_token || metric == MeasuredMetric::time_to_first_token;
}

ServiceNode modelled(const Catalog& catalog, const GpuModelLibrary& kernels, const Scenario& scenario,
                     const ClusterSpec& cluster, Precision precision) {
  Ledger nobody;
  return {catalog, kernels, scenario, cluster, precision, nobody};
}

/// The scenario of the row's own node, with nothing measured.
Scenario scenario_of(const Scenario& s, const MeasuredSpec& row) {
  Scenario out = s;
  out.measured.clear();
  ClusterSpec& c = out.cluster;
  c.where = row.where;
  if (!row.node.empty() && row.node != c.node) {
    c.node = row.node;
    c.gpu.clear();
    c.fabric = c.fabric.for_another_node();
  }
  if (!row.gpu.empty()) c.gpu = row.gpu;
  if (row.gpus && out.serving->tokens) out.serving->tokens->tensor = *row.gpus;
  return out;
}

double figure_of_row(const ServiceNode& node, const ServiceSpec& service, const MeasuredSpec& row) {
  if (!node.tokens()) {
    if (row.metric != MeasuredMetric::samples_per_s)
      throw Error{fmt::format("{} does not answer token by token", service.model), row.where,
                  "write \"samples_per_s\", with the batch as \"requests\""};
    const auto gpus = static_cast<double>(row.gpus.value_or(node.node().gpus));
    return gpus *
           node.batch_rate(static_cast<int>(row.requests.value_or(service.max_batch)), row.where).base();
  }
  const TokenServer& server = *node.tokens();
  const bool lone = row.metric == MeasuredMetric::time_to_first_token;
  const double requests = row.requests.value_or(lone ? 1 : server.most_in_flight());
  if (requests > server.most_in_flight())
    throw Error{
        fmt::format("a copy holds {} requests in flight, not {:g}", server.most_in_flight(), requests),
        row.where, "state the \"requests\" in flight on one copy"};
  const GenerationSteady steady = server.steady(requests);
  switch (row.metric) {
    case MeasuredMetric::time_to_first_token:
      return (steady.first + server.beside_queue(steady.token)).base();
    case MeasuredMetric::time_per_output_token:
      return steady.token.base();
    case MeasuredMetric::output_tokens_per_s:
      return steady.rate.base() * service.tokens->output;
    default:
      throw Error{fmt::format("{} answers token by token", service.model), row.where,
                  "write \"output_tokens_per_s\", \"time_per_output_token\" or \"time_to_first_token\""};
  }
}

RunTraits service_traits(const ServiceNode& node, const ServiceSpec& service) {
  RunTraits out;
  out.gpu = node.node().gpu.id;
  out.machine = node.node().id;
  out.network = service.model;
  out.software = service.framework + " " + service.framework_version;
  out.precision = to_string(node.precision());
  // A node is asked about at its full load.
  if (node.tokens())
    out.requests = node.tokens()->most_in_flight();
  else
    out.batch = service.max_batch;
  if (node.tokens()) out.split = fmt::format("{} GPUs", node.tokens()->gpus_per_copy());
  return out;
}

MeasuredNode measured_node(const Catalog& catalog, const GpuModelLibrary& kernels, const Scenario& s,
                           const MeasuredSpec& row) {
  const auto fail = [&row](const std::string& why, std::string hint) {
    throw Error{"the measured run cannot be built: " + why, row.where, std::move(hint)};
  };
  if (row.nodes > 1) fail("a copy of a served network stands in one node", "leave \"nodes\" out");
  const Scenario own = scenario_of(s, row);
  MeasuredNode out{
      modelled(catalog, kernels, own, own.cluster, row.precision.value_or(s.serving->precision)), 0, {}};
  if (!out.node.refused().empty())
    fail(out.node.refused(), "state the node and the precision that were measured");
  if (row.gpus && *row.gpus > out.node.node().gpus)
    fail(fmt::format("{} has {} GPUs, not {}", out.node.title(), out.node.node().gpus, *row.gpus), "");
  out.figure = figure_of_row(out.node, *own.serving, row);
  if (row.metric == MeasuredMetric::time_to_first_token)
    out.beside_log_sigma = mechanism_log_sigma(Mechanism::first_token);
  Observation& seen = out.seen;
  seen.run = service_traits(out.node, *s.serving);
  if (own.serving->tokens)
    seen.run.requests = row.requests.value_or(out.node.tokens()->most_in_flight());
  else
    seen.run.batch = row.requests.value_or(s.serving->max_batch);
  seen.log_sigma[index_of(Factor::kernels)] = out.node.log_sigma();
  seen.sensitivity[index_of(Factor::kernels)] = 1;
  seen.log_ratio = (is_latency(row.metric) ? -1 : 1) * std::log(row.value / out.figure);
  seen.error = std::hypot(row.spread, out.beside_log_sigma);
  return out;
}

Estimate service_estimate(const MeasuredNode& node, const MeasuredSpec& row, const FactorBelief& belief) {
  const double sign = is_latency(row.metric) ? -1 : 1;
  const double value = node.figure * std::exp(sign * belief.mean_of(node.seen.sensitivity));
  const double reach =
      std::exp(half_of_90_percent *
               std::hypot(std::sqrt(belief.variance_of(node.seen.sensitivity)), node.beside_log_sigma));
  return {value, value / reach, value * reach, is_latency(row.metric) ? "s" : "1/s"};
}

}  // namespace

FactorBelief service_belief(const Catalog& catalog, const GpuModelLibrary& kernels, const Scenario& s,
                            const ServiceNode& node) {
  std::vector<Observation> seen;
  for (const MeasuredSpec& row : s.measured) seen.push_back(measured_node(catalog, kernels, s, row).seen);
  FactorVector prior{};
  prior[index_of(Factor::kernels)] = node.log_sigma();
  return Posterior{std::move(seen)}.at(service_traits(node, *s.serving), prior);
}

std::vector<MeasuredComparison> compare_service(const Catalog& catalog, const GpuModelLibrary& kernels,
                                                const Scenario& s, const ClusterSpec& cluster,
                                                const ServiceNode& node) {
  std::vector<MeasuredNode> rows;
  std::vector<Observation> seen;
  for (const MeasuredSpec& row : s.measured) {
    rows.push_back(measured_node(catalog, kernels, s, row));
    seen.push_back(rows.back().seen);
  }
  const Posterior posterior{seen};
  const Frequency with_all = node.gpu_rate();
  std::vector<MeasuredComparison> out;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const MeasuredSpec& row = s.measured[i];
    MeasuredComparison& one = out.emplace_back();
    one.run.row = row;
    one.run.question.workload.model = s.serving->model;
    one.run.question.workload.precision = rows[i].node.precision();
    one.node = rows[i].node.title();
    const TokenServer* tokens = rows[i].node.tokens();
    one.gpus = row.gpus.value_or(tokens ? tokens->gpus_per_copy() : rows[i].node.node().gpus);
    const Observation& o = seen[i];
    const FactorBelief before = prior_belief(o.log_sigma);
    one.before = service_estimate(rows[i], row, before);
    one.after = service_estimate(rows[i], row, posterior.at(o.run, o.log_sigma));
    one.deviation = std::log(row.value / one.before.value) /
                    std::hypot(std::sqrt(before.variance_of(o.sensitivity)), o.error);
    one.contradicts = std::abs(one.deviation) > half_of_99_percent;
    one.conflicts = conflicting_rows(s.measured, i);
    Scenario others = s;
    others.measured.erase(others.measured.begin() + static_cast<std::ptrdiff_t>(i));
    const Frequency without = modelled(catalog, kernels, others, cluster, node.precision()).gpu_rate();
    if (without > Frequency{0}) one.moved = with_all / without - 1;
  }
  return out;
}

}  // namespace rackcast
