#include "scenarios/validation/evidence_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "models/collectives/cluster.hpp"
#include "models/networks/operator.hpp"
#include "scenarios/evidence/evidence.hpp"
#include "scenarios/validation/predict/predictor.hpp"
#include "sim/base/error.hpp"

namespace rackcast {
namespace {

using EvidenceRow = nlohmann::ordered_json;

bool tells_speed(const CaseResult& r) {
  constexpr std::array<std::string_view, 6> rates{"images_per_s",  "sequences_per_s", "tokens_per_s",
                                                  "samples_per_s", "steps_per_s",     "tokens_per_s_per_gpu"};
  const bool is_rate = std::ranges::find(rates, r.metric) != rates.end();
  return r.task == "training" && r.predicted && r.gpus >= 1 && (is_time(r.metric) || is_rate);
}

bool may_be_shown(CaseSet set) {
  return set == CaseSet::judged || set == CaseSet::derived || set == CaseSet::approximate ||
         set == CaseSet::assumed;
}

bool within(const PredictedFigure& p, double measured) {
  return p.low <= measured && measured <= p.high;
}

/// Four digits: more would change with every compiler, and a reader sees three.
double rounded(double value) {
  return std::stod(fmt::format("{:.4g}", value));
}

/// The machine as it was predicted; nothing beyond what the case states where it has no graph.
void set_machine(PredictionContext& context, const ValidationCase& c, TrainingTraits& out) {
  out.gpu = c.system.gpu.value_or("");
  out.gpus = static_cast<int>(c.system.gpus.value_or(0));
  out.nodes = std::max(1, static_cast<int>(c.system.nodes.value_or(1)));
  if (out.gpus < 2) return;
  try {
    const Cluster& cluster = context.cluster(c);
    out.nodes = cluster.used_nodes();
    if (out.nodes > 1 && cluster.node.nic_link)
      out.node_gbit = rounded(cluster.node.nics * cluster.node.nic_link->raw.value.base() * 8e-9);
  } catch (const Unpredictable&) {  // a split over GPUs is predicted without the graph of the whole
  } catch (const Error&) {
  }
}

ValidatedRun validated_run(PredictionContext& context, const ValidationCase& c, const CaseResult& r) {
  ValidatedRun run;
  run.id = r.id;
  set_machine(context, c, run.traits);
  const Workload& workload = context.workload(c);
  run.traits.model = r.model;
  run.traits.kind = network_kind(workload);
  run.traits.flop_per_parameter = rounded(workload.forward_flop().base() / workload.parameters());
  run.traits.precision = c.workload.precision.value_or("");
  run.traits.framework = r.framework;
  run.framework_version = c.workload.framework_version;
  run.data = c.workload.data;
  run.batch_per_gpu = c.workload.batch_per_gpu.value_or(0);
  run.metric = r.metric;
  run.unit = r.unit;
  run.source = c.citation;
  run.measured = *r.measured;
  run.predicted = {rounded(r.predicted->value), rounded(r.predicted->low), rounded(r.predicted->high)};
  run.assumed = r.set == CaseSet::assumed;
  run.covered = within(*r.predicted, run.measured) ? 1 : 0;
  return run;
}

/// Equal for near repeats.
std::string repeat_key(const ValidatedRun& run, const CaseResult& r) {
  const TrainingTraits& t = run.traits;
  return fmt::format("{}|{}|{}|{}|{}|{}|{}|{}|{}", r.source, t.gpu, t.gpus, t.nodes, t.node_gbit, t.model,
                     t.precision, t.framework, run.metric);
}

/// The run with the median ratio stands for all.
ValidatedRun representative(std::vector<ValidatedRun> runs) {
  std::ranges::stable_sort(runs, {}, [](const ValidatedRun& run) { return run.speed_ratio().value; });
  ValidatedRun out = runs[(runs.size() - 1) / 2];
  out.like = static_cast<int>(runs.size());
  out.covered = static_cast<int>(std::ranges::count(runs, 1, &ValidatedRun::covered));
  return out;
}

EvidenceRow row_of(const ValidatedRun& run, std::size_t source) {
  const TrainingTraits& t = run.traits;
  return {{"id", run.id},
          {"gpu", t.gpu},
          {"gpus", t.gpus},
          {"nodes", t.nodes},
          {"node_gbit", t.node_gbit},
          {"model", t.model},
          {"kind", t.kind},
          {"flop_per_parameter", t.flop_per_parameter},
          {"batch", run.batch_per_gpu},
          {"precision", t.precision},
          {"framework", t.framework},
          {"version", run.framework_version},
          {"data", run.data},
          {"metric", run.metric},
          {"unit", run.unit},
          {"measured", run.measured},
          {"predicted", run.predicted.value},
          {"low", run.predicted.low},
          {"high", run.predicted.high},
          {"assumed", run.assumed},
          {"like", run.like},
          {"covered", run.covered},
          {"source", source}};
}

}  // namespace

std::string evidence_text(const Catalog& catalog, std::span<const ValidationCase> cases,
                          const ValidationReport& report) {
  PredictionContext context{catalog};
  std::vector<std::string> order;  // of the first of its kind
  std::map<std::string, std::vector<ValidatedRun>> repeats;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const CaseResult& r = report.cases.at(i);
    if (!tells_speed(r) || !may_be_shown(r.set)) continue;
    ValidatedRun run = validated_run(context, cases[i], r);
    const std::string key = repeat_key(run, r);
    if (!repeats.contains(key)) order.push_back(key);
    repeats[key].push_back(std::move(run));
  }
  std::vector<std::string> sources;
  std::string rows;
  for (const std::string& key : order) {
    const ValidatedRun run = representative(std::move(repeats[key]));
    auto source = std::ranges::find(sources, run.source);
    if (source == sources.end()) source = sources.insert(source, run.source);
    rows += rows.empty() ? "" : ",\n";
    rows += "  " + row_of(run, static_cast<std::size_t>(source - sources.begin())).dump();
  }
  return fmt::format(
      "{{\n \"format\": \"rackcast-evidence\",\n \"version\": 1,\n \"sources\": {},\n \"runs\": [\n{}\n "
      "]\n}}\n",
      EvidenceRow(sources).dump(), rows);
}

}  // namespace rackcast
