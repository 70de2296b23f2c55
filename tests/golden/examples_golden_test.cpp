// The answers of the shipped example scenarios: what docs/examples says of them. RACKCAST_UPDATE_GOLDEN=1
// rewrites the file; the difference is then reviewed like code.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "scenarios/campaign/campaign.hpp"
#include "scenarios/planner.hpp"
#include "sim/atomic_file.hpp"
#include "sim/input_file.hpp"
#include "topologies/catalog.hpp"

using namespace rackcast;

namespace {

const std::string kFolder = std::string{RACKCAST_SOURCE_DIR} + "/";

std::string trained(const Catalog& catalog, const std::string& scenario) {
  const Result r = simulate(load_scenario(kFolder + "scenarios/" + scenario + ".json"), catalog);
  return fmt::format("{}: {} nodes, {:.4g} h, efficiency {:.3f}, bound by {}\n", scenario, r.answer.nodes,
                     r.prediction.time_to_train.value / 3600, r.prediction.scaling_efficiency.value,
                     r.answer.binding_constraint);
}

std::string sized(const Catalog& catalog, const std::string& scenario) {
  const Result r = size(load_scenario(kFolder + "scenarios/" + scenario + ".json"), catalog);
  return fmt::format("{}: {}, {} nodes, {:.4g} days, bound by {}\n", scenario,
                     r.answer.feasible ? "feasible" : "infeasible", r.answer.nodes,
                     r.prediction.time_to_train.value / 86400, r.answer.binding_constraint);
}

std::string played(const Catalog& catalog, const std::string& scenario) {
  const Scenario s = load_scenario(kFolder + "scenarios/" + scenario + ".json");
  const CampaignReport r = run_campaign(s, catalog);
  const StreamStatistics& x = r.streams.front();
  return fmt::format(
      "{}: offered {:.3f}, used {:.3f}, wait {:.4g} h and {:.4g} h, done {:.4g} h and {:.4g} h\n", scenario,
      r.offered, r.utilisation, x.wait.p50 / 3600, x.wait.p90 / 3600, x.completion.p50 / 3600,
      x.completion.p90 / 3600);
}

}  // namespace

TEST_CASE("the answers of the shipped examples are the reviewed ones") {
  const Catalog catalog = Catalog::builtin();
  const std::string found = trained(catalog, "imagenet_mn1") + trained(catalog, "p100_64_nodes") +
                            sized(catalog, "storage_bound_site") + played(catalog, "dgx_pod_team_dgx1") +
                            played(catalog, "dgx_pod_team_dgx2");
  const std::string golden = kFolder + "tests/golden/examples.txt";
  if (std::getenv("RACKCAST_UPDATE_GOLDEN") != nullptr) write_file_atomically(golden, found);
  INFO(golden, " differs; RACKCAST_UPDATE_GOLDEN=1 accepts the change, once it is understood");
  CHECK(found == read_file(golden));
}
