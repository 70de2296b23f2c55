/// Writes and reads scenarios/evidence/data/training.json.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "models/collectives/cluster.hpp"
#include "scenarios/evidence/evidence.hpp"
#include "scenarios/validation/cases/workload_of_case.hpp"
#include "scenarios/validation/predict/predictor.hpp"
#include "sim/base/embedded.hpp"
#include "sim/base/error.hpp"
#include "sim/json/reader.hpp"

namespace rackcast {

std::span<const EmbeddedFile> evidence_files();

namespace {

using Document = nlohmann::ordered_json;

constexpr std::array<std::string_view, 3> times{"step_time_s", "epoch_time_s", "time_to_train_s"};
constexpr std::array<std::string_view, 6> rates{"images_per_s",  "sequences_per_s", "tokens_per_s",
                                                "samples_per_s", "steps_per_s",     "tokens_per_s_per_gpu"};

bool tells_speed(const CaseResult& r) {
  const auto listed = [&r](const auto& names) {
    return std::ranges::find(names, r.metric) != names.end();
  };
  return r.task == "training" && r.predicted && r.gpus >= 1 && (listed(times) || listed(rates));
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

ValidatedRun run_of(PredictionContext& context, const ValidationCase& c, const CaseResult& r) {
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

Document document(const ValidatedRun& run, std::size_t source) {
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

ValidatedRun read_run(const Json& json, const std::vector<std::string>& sources) {
  ObjectReader in{json};
  ValidatedRun run;
  TrainingTraits& t = run.traits;
  const auto amount = [&in](std::string_view key) {
    return in.number(key, 0, 1e30);
  };
  const auto count = [&in](std::string_view key, std::int64_t low) {
    return static_cast<int>(in.integer(key, low, 10'000'000));
  };
  run.id = in.string("id");
  t.gpu = in.string("gpu");
  t.gpus = count("gpus", 1);
  t.nodes = count("nodes", 1);
  t.node_gbit = amount("node_gbit");
  t.model = in.string("model");
  t.kind = in.string("kind");
  t.flop_per_parameter = amount("flop_per_parameter");
  run.batch_per_gpu = amount("batch");
  t.precision = in.string("precision");
  t.framework = in.string("framework");
  run.framework_version = in.string("version");
  run.data = in.string("data");
  run.metric = in.string("metric");
  run.unit = in.string("unit");
  run.measured = amount("measured");
  run.predicted = {amount("predicted"), amount("low"), amount("high")};
  run.assumed = in.require("assumed").boolean();
  run.like = count("like", 1);
  run.covered = count("covered", 0);
  const std::int64_t source = in.integer("source", 0, static_cast<std::int64_t>(sources.size()) - 1);
  run.source = sources[static_cast<std::size_t>(source)];
  in.finish();
  return run;
}

}  // namespace

PredictedFigure ValidatedRun::speed_ratio() const {
  if (std::ranges::find(times, metric) == times.end())
    return {predicted.value / measured, predicted.low / measured, predicted.high / measured};
  return {measured / predicted.value, measured / predicted.high, measured / predicted.low};
}

std::string network_kind(const Workload& workload) {
  const auto has = [&workload](OperatorFamily family) {
    return std::ranges::find(workload.operators, family, &Operator::family) != workload.operators.end();
  };
  if (has(OperatorFamily::attention)) return "transformer";
  if (has(OperatorFamily::rnn)) return "recurrent";
  if (has(OperatorFamily::conv) || has(OperatorFamily::depthwise)) return "convolutional";
  return "dense";
}

std::string evidence_text(const Catalog& catalog, std::span<const ValidationCase> cases,
                          const ValidationReport& report) {
  PredictionContext context{catalog};
  std::vector<std::string> order;  // of the first of its kind
  std::map<std::string, std::vector<ValidatedRun>> repeats;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const CaseResult& r = report.cases.at(i);
    if (!tells_speed(r) || !may_be_shown(r.set)) continue;
    ValidatedRun run = run_of(context, cases[i], r);
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
    rows += "  " + document(run, static_cast<std::size_t>(source - sources.begin())).dump();
  }
  return fmt::format(
      "{{\n \"format\": \"rackcast-evidence\",\n \"version\": 1,\n \"sources\": {},\n \"runs\": [\n{}\n "
      "]\n}}\n",
      Document(sources).dump(), rows);
}

std::vector<ValidatedRun> read_evidence(std::string_view text, std::string name) {
  const Json json = parse_json(std::string{text}, std::move(name));
  ObjectReader in{json};
  if (in.string("format") != "rackcast-evidence" || in.integer("version", 0, 1000) != 1)
    json.fail("this is not a file of evidence, version 1", "write it with rackcast validate --evidence");
  std::vector<std::string> sources;
  for (const Json& source : in.require("sources").array()) sources.push_back(source.string());
  std::vector<ValidatedRun> runs;
  for (const Json& run : in.require("runs").array()) runs.push_back(read_run(run, sources));
  in.finish();
  return runs;
}

std::vector<ValidatedRun> shipped_evidence() {
  std::vector<ValidatedRun> all;
  for (const EmbeddedFile& file : evidence_files()) {
    for (ValidatedRun& run : read_evidence(file.text, std::string{file.name})) all.push_back(std::move(run));
  }
  return all;
}

}  // namespace rackcast
