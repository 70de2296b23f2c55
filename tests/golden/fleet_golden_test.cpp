// The four fleet answers: two fleets, two networks each. The file holds what a buyer would notice, rounded to
// four digits. RACKCAST_UPDATE_GOLDEN=1 rewrites it; the difference is then reviewed like code.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "scenarios/answer/planner.hpp"
#include "scenarios/format/scenario.hpp"
#include "sim/base/atomic_file.hpp"
#include "sim/base/input_file.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

std::string days(double seconds) {
  return fmt::format("{:.4g} days", seconds / 86400);
}

std::string summary(const Result& result) {
  std::string out = fmt::format("{}: {} x {}, {} decides\n", result.scenario.name, result.answer.nodes,
                                result.answer.node, result.answer.workload);
  for (const WorkloadResult& w : result.workloads) {
    const Answer& a = w.answer;
    out += fmt::format("\n{}: {} nodes, {}, {:.4g} samples/s, efficiency {:.3f}, bound by {}\n", w.spec.model,
                       a.nodes, days(w.prediction.time_to_train.value), w.prediction.samples_per_s.value,
                       w.prediction.scaling_efficiency.value, w.run.binds);
    if (a.why_not_fewer) {
      out += fmt::format("  {} nodes: {}, past the {}\n", a.why_not_fewer->nodes,
                         days(a.why_not_fewer->time_to_train.value), a.why_not_fewer->fails);
    }
    for (const Alternative& x : w.alternatives) {
      out += fmt::format("  {}: {} nodes, {}\n", x.node, x.nodes, days(x.time_to_train.value));
    }
    for (const PublishedComparison& p : w.published) {
      out += fmt::format("  {}: published {}, predicted {}\n", p.published.label, p.published.text,
                         days(p.predicted.value));
    }
  }
  return out;
}

void check_golden(const std::string& scenario) {
  const std::string folder = std::string{RACKCAST_SOURCE_DIR} + "/";
  const std::string golden = folder + "tests/golden/fleet/" + scenario + ".txt";
  const std::string found =
      summary(size(load_scenario(folder + "scenarios/" + scenario + ".json"), Catalog::builtin()));
  if (std::getenv("RACKCAST_UPDATE_GOLDEN") != nullptr) write_file_atomically(golden, found);
  INFO(golden, " differs; RACKCAST_UPDATE_GOLDEN=1 accepts the change, once it is understood");
  CHECK(found == read_file(golden));
}

}  // namespace

TEST_CASE("the very conservative fleet's answers are the reviewed ones") {
  check_golden("fleet_very_conservative");
}

TEST_CASE("the conservative fleet's answers are the reviewed ones") {
  check_golden("fleet_conservative");
}
