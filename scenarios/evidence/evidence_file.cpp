/// Reads scenarios/evidence/data/training.json.
#include <algorithm>
#include <array>

#include "models/networks/operator.hpp"
#include "scenarios/evidence/evidence.hpp"
#include "sim/base/embedded.hpp"
#include "sim/base/error.hpp"
#include "sim/json/reader.hpp"

namespace rackcast {

std::span<const EmbeddedFile> evidence_files();

namespace {

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

bool is_time(std::string_view metric) {
  constexpr std::array<std::string_view, 3> times{"step_time_s", "epoch_time_s", "time_to_train_s"};
  return std::ranges::find(times, metric) != times.end();
}

PredictedFigure ValidatedRun::speed_ratio() const {
  if (!is_time(metric))
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
