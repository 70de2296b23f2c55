// What a buyer would notice of the shipped search, rounded: each objective's choice, the best of every
// design, what limits are worth, and what conflicts where the budget is too small. RACKCAST_UPDATE_GOLDEN=1
// rewrites the file; the difference is then reviewed like code.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "reports/sentences/plan_sentences.hpp"
#include "scenarios/answer/planner.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/result/result.hpp"
#include "sim/base/atomic_file.hpp"
#include "sim/base/input_file.hpp"
#include "sim/units/quantity_text.hpp"
#include "tests/answer_sentence.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

std::string text_of(const doc::PlanCandidate& c) {
  std::string out = fmt::format("{} x {}, {}", c.nodes, c.node, to_text(Duration{*c.time_s}));
  if (c.total_usd) out += ", " + to_text(Money{*c.total_usd});
  if (c.energy_j) out += ", " + to_text(Energy{*c.energy_j});
  for (const doc::PlanCandidate::Workload& w : c.workloads)
    out += fmt::format(", {} {:g}", w.model, w.batch_per_gpu);
  return out;
}

std::string summary(const std::string& file, const std::vector<std::string>& sets) {
  const Result result = size(load_scenario(file, sets), Catalog::builtin());
  const reports::ResultDocument document = document_of(result);
  const PlanReport& plan = *result.plan;
  std::string out = reports::plan_text(document) + "\n";
  if (const std::string smaller = reports::smaller_text(document); !smaller.empty()) out += smaller + "\n";
  for (const doc::Plan::Option& o : plan.options)
    out += fmt::format("  {}: {}\n", o.node_title,
                       o.best ? text_of(*o.best) : fmt::format("{}", fmt::join(o.conflict, " and ")));
  for (const doc::Plan::Relaxation& r : plan.relaxations)
    out += fmt::format("  {}, {}: {}\n", r.limit, r.relaxed, reports::relaxation_text(r, *plan.chosen));
  for (const doc::Plan::Conflict& c : plan.conflict_set)
    out += fmt::format("  {}: {}\n", c.limit, reports::conflict_text(c));
  out += fmt::format("  front of {}\n\n", plan.front.size());
  return out;
}

}  // namespace

TEST_CASE("the shipped search's answers are the reviewed ones") {
  const std::string folder = std::string{RACKCAST_SOURCE_DIR} + "/";
  const std::string file = folder + "scenarios/fleet_alternatives.json";
  std::string found;
  for (const std::string objective : {"fewest-nodes", "lowest-cost", "lowest-energy", "fastest"})
    found += summary(file, {"goal.objective=" + objective});
  found += summary(file, {"site.prices.budget=900000 USD"});
  const std::string golden = folder + "tests/golden/plan/fleet_alternatives.txt";
  if (std::getenv("RACKCAST_UPDATE_GOLDEN") != nullptr) write_file_atomically(golden, found);
  INFO(golden, " differs; RACKCAST_UPDATE_GOLDEN=1 accepts the change, once it is understood");
  CHECK(found == read_file(golden));
}
