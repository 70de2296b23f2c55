// The answers of the shipped example scenarios: what docs/guide/examples says of them.
// RACKCAST_UPDATE_GOLDEN=1 rewrites the file; the difference is then reviewed like code.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "reports/sentences/reason_sentences.hpp"
#include "scenarios/answer/planner.hpp"
#include "scenarios/campaign/campaign.hpp"
#include "scenarios/serving/service_result.hpp"
#include "sim/base/atomic_file.hpp"
#include "sim/base/input_file.hpp"
#include "sim/units/quantity_text.hpp"
#include "topologies/catalog/catalog.hpp"

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

/// What a job of the stream costs, owned and rented; with the scenario's prices.
std::string costs(const CampaignReport& r, std::size_t stream) {
  const CampaignCost::Stream& s = r.cost.streams.at(stream);
  return fmt::format("costs {:.1f} USD, rented {}", s.job.value,
                     r.cost.cluster.offer ? fmt::format("{:.1f} USD", s.rented_job.value) : "nowhere");
}

std::string played(const Catalog& catalog, const std::string& scenario) {
  const Scenario s = load_scenario(kFolder + "scenarios/" + scenario + ".json");
  const CampaignReport r = run_campaign(s, catalog);
  const StreamStatistics& x = r.streams.front();
  return fmt::format(
      "{}: offered {:.3f}, used {:.3f}, wait {:.4g} h and {:.4g} h, done {:.4g} h and {:.4g} h, {}\n",
      scenario, r.offered, r.utilisation, x.wait.p50 / 3600, x.wait.p90 / 3600, x.completion.p50 / 3600,
      x.completion.p90 / 3600, costs(r, 0));
}

/// What a placement costs each kind of job.
std::string placed(const Catalog& catalog, const std::string& placement) {
  const Scenario s =
      load_scenario(kFolder + "scenarios/gang_placement.json", {"campaign.scheduler.placement=" + placement});
  const CampaignReport r = run_campaign(s, catalog);
  std::string out =
      fmt::format("gang_placement, {}: offered {:.3f}, used {:.3f}\n", placement, r.offered, r.utilisation);
  for (std::size_t i = 0; i < r.streams.size(); ++i) {
    const StreamStatistics& x = r.streams[i];
    out +=
        fmt::format("  {}: {:.3f} leaves, {:.1f} % longer, wait {:.4g} h, done {:.4g} h and {:.4g} h, {}\n",
                    s.campaign->streams[i].name, x.leaves, 100 * (x.slowdown - 1), x.wait.p90 / 3600,
                    x.completion.p50 / 3600, x.completion.p90 / 3600, costs(r, i));
  }
  return out;
}

/// The answer, every choice, the proof and the intervals of a fleet that serves.
std::string served(const Catalog& catalog, const std::string& scenario) {
  const std::string file = kFolder + "scenarios/" + scenario + ".json";
  const ServiceResult r = size_service(read_serving_scenario(load_scenario_text(file), file), catalog);
  std::string out =
      fmt::format("{}: {} x {}, {} spare, {:.3g} ms ({:.3g} lone), busy {:.3f}, bound by {}\n", scenario,
                  r.answer.nodes, r.answer.node, r.chosen.spares, 1000 * r.at_peak.asked.base(),
                  1000 * r.chosen.server->single().base(), r.chosen.busy, r.answer.binding_constraint);
  out += fmt::format("  90 %: {} to {} nodes for the busiest hour; up {:.5f} of the time\n",
                     r.least.value_or(0), r.most.value_or(0), r.chosen.availability);
  out += "  " + reports::why_text(r.answer.why_not_fewer.value_or(Smaller{}).why) + "\n";
  for (const ServiceOption& o : r.options)
    out += fmt::format("  {} {}: {}\n", o.server->node().id, to_string(o.server->precision()),
                       o.feasible() ? fmt::format("{} nodes, {:.4g} requests/s a GPU, {}", o.nodes(),
                                                  o.limits.front().rate.base() / o.server->node().gpus,
                                                  to_text(o.site->cost->own.over_life(1)))
                                    : reports::why_text(o.conflicts.front().why));
  for (const Change& c : r.answer.changes)
    out += fmt::format("  {}, {}: {}\n", c.input, c.change,
                       c.nodes ? fmt::format("{}", *c.nodes) : reports::why_text(c.why));
  return out;
}

}  // namespace

TEST_CASE("the answers of the shipped examples are the reviewed ones") {
  const Catalog catalog = Catalog::builtin();
  const std::string found =
      trained(catalog, "saturn_v") + trained(catalog, "imagenet_mn1") + trained(catalog, "p100_64_nodes") +
      trained(catalog, "recommender") + trained(catalog, "own_measurement") + sized(catalog, "recommender") +
      sized(catalog, "storage_bound_site") + played(catalog, "dgx_pod_team_dgx1") +
      played(catalog, "dgx_pod_team_dgx2") + placed(catalog, "compact") + placed(catalog, "first_fit") +
      served(catalog, "inference_fleet") + served(catalog, "llm_serving");
  const std::string golden = kFolder + "tests/golden/examples.txt";
  if (std::getenv("RACKCAST_UPDATE_GOLDEN") != nullptr) write_file_atomically(golden, found);
  INFO(golden, " differs; RACKCAST_UPDATE_GOLDEN=1 accepts the change, once it is understood");
  CHECK(found == read_file(golden));
}
