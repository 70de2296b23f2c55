#include <string>

#include "models/collectives/cluster.hpp"
#include "models/gpu/model_library.hpp"
#include "models/gpu/rates_of.hpp"
#include "models/networks/workload.hpp"
#include "models/recorded/chakra_file.hpp"
#include "models/recorded/kineto_file.hpp"
#include "models/recorded/replay.hpp"
#include "reports/pages/report.hpp"
#include "reports/result/result.hpp"
#include "scenarios/answer/planner.hpp"
#include "scenarios/campaign/sacct.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/names/calibration.hpp"
#include "scenarios/result/result.hpp"
#include "scenarios/serving/service_result.hpp"
#include "scenarios/sweep/axes.hpp"
#include "scenarios/sweep/sweep.hpp"
#include "scenarios/validation/cases/amendments.hpp"
#include "scenarios/validation/cases/case_loader.hpp"
#include "tests/fuzz/scratch.hpp"
#include "tests/fuzz/target.hpp"

namespace rackcast::fuzz {

namespace {

/// A scenario that extends "scenario.json" extends itself.
Json scenario_text(const std::string& bytes) {
  static const std::string file = scratch_file("scenario.json");
  write_scratch(file, bytes);
  return load_scenario_text(file);
}

}  // namespace

/// The first half of `rackcast check`; the names are looked up on the way to an answer.
void read_scenario_text(const std::string& bytes) {
  const Json text = scenario_text(bytes);
  (void)(serves(text) ? read_serving_scenario(text, "fuzzed.json") : read_scenario(text, "fuzzed.json"));
}

/// What `rackcast size` or `simulate` does, within limits.
void read_answer(const std::string& bytes) {
  const RunControl control{.max_events = 50'000, .wall_clock = Duration{1}};
  const Json text = scenario_text(bytes);
  std::string document;
  if (serves(text)) {
    const Scenario scenario = read_serving_scenario(text, "fuzzed.json");
    document = to_json_text(scenario.goal ? size_service(scenario, builtin_catalog(), control)
                                          : simulate_service(scenario, builtin_catalog()));
  } else {
    const Scenario scenario = read_scenario(text, "fuzzed.json");
    document = to_json_text(scenario.goal ? size(scenario, builtin_catalog(), control)
                                          : simulate(scenario, builtin_catalog(), nullptr, control));
  }
  (void)reports::write_html(reports::build_report(reports::load_result(document, "result")));
}

void read_network(const std::string& bytes) {
  const Workload network = own_network(parse_json(bytes, "fuzzed.json"), {});
  (void)layer_table(network);
}

void read_calibration_file(const std::string& bytes) {
  static const std::string file = scratch_file("calibration.json");
  write_scratch(file, bytes);
  const Calibration read = read_calibration(parse_json('"' + file + '"', "fuzzed.json"),
                                            [](const Json& name) { return name.string(); });
  static const GpuModelLibrary shipped = GpuModelLibrary::builtin();
  for (const Json& device : read.devices) GpuModelLibrary{shipped}.add(device);
}

namespace {

/// On the first GPUs of a node, if it has so many.
void replay_within_limits(const RecordedStep& step) {
  static const NodeSpec node = node_spec(builtin_catalog(), "dgx_a100_640gb");
  static const GpuCostModel gpu = GpuCostModel::create(gpu_rates(node.gpu));
  if (step.world > node.gpus) return;
  ReplaySpec spec;
  spec.gpu = &gpu;
  spec.limits.max_events = 50'000;
  ClusterShape shape;
  shape.gpus = step.world;
  (void)replay(make_cluster(builtin_catalog(), node, shape), step, spec);
}

}  // namespace

void read_chakra_trace(const std::string& bytes) {
  static const std::string file = scratch_file("et.0.et");
  write_scratch(file, bytes);
  replay_within_limits(read_chakra({file}));
}

void read_kineto_trace(const std::string& bytes) {
  static const std::string file = scratch_file("kineto.json");
  write_scratch(file, bytes);
  replay_within_limits(read_kineto({file}));
}

/// Each line is what stands behind a --vary or a --shard.
void read_axes(const std::string& bytes) {
  SweepSpec spec;
  if (bytes.find('=') == std::string::npos) {
    read_shard(bytes, spec);
    return;
  }
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t end = std::min(bytes.find('\n', at), bytes.size());
    spec.axes.push_back(read_axis(bytes.substr(at, end - at)));
    at = end + 1;
  }
  const std::uint64_t points = point_count(spec.axes);
  if (points > 0) (void)point_values(spec.axes, points - 1);
}

void read_sacct_log(const std::string& bytes) {
  (void)read_sacct(bytes, "fuzzed.txt");
}

/// Readers that never throw: what cannot be read becomes a case that says so.
void read_validation_cases(const std::string& bytes) {
  const std::vector<ValidationCase> cases = parse_cases(bytes, "fuzzed.json");
  std::vector<ValidationCase> amended = cases;
  amend(amended, bytes, "amendments.json", false);
  require_readable(cases);
}

}  // namespace rackcast::fuzz
