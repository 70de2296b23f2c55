// What a buyer would notice of the shipped search, rounded: each objective's choice, the best of every
// design, what limits are worth, and what conflicts where the budget is too small. RACKCAST_UPDATE_GOLDEN=1
// rewrites the file; the difference is then reviewed like code.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "scenarios/answer/planner.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/result/result.hpp"
#include "sim/base/atomic_file.hpp"
#include "sim/base/input_file.hpp"
#include "sim/units/quantity_text.hpp"
#include "topologies/catalog/catalog.hpp"

using namespace rackcast;

namespace {

std::string text_of(const PlanCandidate& c) {
  std::string out = fmt::format("{} x {}, {}", c.nodes, c.node, to_text(c.time));
  if (c.total) out += ", " + to_text(*c.total);
  if (c.energy) out += ", " + to_text(*c.energy);
  for (const PlanWorkload& w : c.workloads) out += fmt::format(", {} {:g}", w.model, w.batch_per_gpu);
  return out;
}

std::string summary(const std::string& file, const std::vector<std::string>& sets) {
  const PlanReport plan = size(load_scenario(file, sets), Catalog::builtin()).plan.value();
  std::string out = plan.statement + "\n";
  if (!plan.smaller_statement.empty()) out += plan.smaller_statement + "\n";
  for (const PlanOption& o : plan.options)
    out += fmt::format("  {}: {}\n", o.node_title,
                       o.best ? text_of(*o.best) : fmt::format("{}", fmt::join(o.conflict, " and ")));
  for (const PlanRelaxation& r : plan.relaxations)
    out += fmt::format("  {}, {}: {}\n", r.limit, r.relaxed, r.statement);
  for (const PlanConflict& c : plan.conflicts)
    out += fmt::format("  {}: {}\n", to_string(c.limit), c.statement);
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
