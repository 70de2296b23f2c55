/// What would change the number of nodes of a fleet that serves.

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "models/networks/transformer.hpp"
#include "models/networks/workload.hpp"
#include "scenarios/answer/neighbours.hpp"
#include "scenarios/evaluate/ledger.hpp"
#include "scenarios/serving/service_fleet.hpp"
#include "scenarios/serving/service_search.hpp"
#include "sim/json/table_document.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast {

namespace {

constexpr int kMostPlaced = 4096;    ///< what so many nodes break, more break too
constexpr int kMostNodes = 100'000;  ///< of a fleet that is looked for, whatever may be

class Changes {
 public:
  Changes(const ServiceOption& option, const Scenario& scenario, const Catalog& catalog,
          const GpuModelLibrary& kernels, const std::function<bool()>& over)
      : option_(option), scenario_(scenario), catalog_(catalog), kernels_(kernels), over_(over) {}

  /// The needed nodes of the scenario with another service, in the option's precision or another one.
  /// With `odds`: those that keep the limits with this probability.
  void add(std::string input, std::string change, const ServiceSpec& service,
           std::optional<double> odds = {}) {
    add(std::move(input), std::move(change), service, option_.server->precision(), odds);
  }

  void add(std::string input, std::string change, const ServiceSpec& service, Precision precision,
           std::optional<double> odds = {}) {
    if (over_()) return;
    Scenario asked = scenario_;
    asked.serving = service;
    Ledger nobody;
    const ServiceNode node{
        catalog_, kernels_, asked, option_.cluster, precision, nobody, option_.server->known()};
    const auto nodes = odds ? nodes_with_odds(node, service.peak_rate(), kMostNodes, *odds)
                            : nodes_for(node, service.peak_rate(), kMostNodes);
    Change row{std::move(input), std::move(change), {}, nodes};
    if (!nodes) {
      row.why = node.refused().empty() ? doc::Reason{"no_count_in_time"}
                                       : doc::Reason{"refused", {{"message", node.refused()}}};
    } else if ((row.why = broken_limits(node, asked, *nodes))) {
      row.nodes.reset();
    }
    out.push_back(std::move(row));
  }

  std::vector<Change> out;

 private:
  /// Nothing where `nodes` keep the limits.
  [[nodiscard]] std::optional<doc::Reason> broken_limits(const ServiceNode& node, const Scenario& asked,
                                                         int nodes) const {
    ServiceOption fleet;
    fleet.server = std::make_shared<const ServiceNode>(node);
    fleet.cluster = option_.cluster;
    const auto built = fleet_on(fleet, std::min(nodes, kMostPlaced), asked, catalog_);
    if (!built) return doc::Reason{"not_wired", {{"nodes", nodes}}};
    if (built->conflicts.empty()) return std::nullopt;
    std::vector<doc::Reason> broken;
    for (const Conflict& c : built->conflicts)
      broken.push_back(doc::Reason{"limit", {{"limit", kind_of(c.limit).title}, {"allowed", c.required}}});
    return doc::Reason{"breaks", {{"nodes", nodes}}, std::move(broken)};
  }

  const ServiceOption& option_;
  const Scenario& scenario_;
  const Catalog& catalog_;
  const GpuModelLibrary& kernels_;
  const std::function<bool()>& over_;
};

/// Limits on tokens, and longer prompts and answers.
void add_tokens(Changes& changes, const ServiceSpec& asked) {
  for (const double factor : {0.5, 2.0}) {
    ServiceSpec other = asked;
    if (asked.tokens->first) {
      other.tokens->first = factor * *asked.tokens->first;
      changes.add("time to the first token", to_text(*other.tokens->first), other);
    }
    other = asked;
    if (asked.tokens->token) {
      other.tokens->token = factor * *asked.tokens->token;
      changes.add("time per output token", to_text(*other.tokens->token), other);
    }
  }
  const std::int64_t longest = longest_context(*load_workload(asked.model).transformer);
  for (double TokenService::*length : {&TokenService::prompt, &TokenService::output}) {
    const char* name = length == &TokenService::prompt ? "prompt" : "output";
    ServiceSpec longer = asked;
    TokenService& tokens = *longer.tokens;
    tokens.*length *= 2;
    const std::string change = grouped(tokens.*length) + " tokens";
    if (longest > 0 && tokens.prompt + tokens.output > static_cast<double>(longest))
      changes.out.push_back(
          {name, change,
           doc::Reason{"past_context", {{"tokens", tokens.prompt + tokens.output}, {"longest", longest}}}});
    else
      changes.add(name, change, longer);
  }
}

}  // namespace

std::vector<Change> service_changes(const ServiceOption& option, const Scenario& scenario,
                                    const Catalog& catalog, const GpuModelLibrary& kernels,
                                    const std::function<bool()>& over) {
  const ServiceSpec& asked = *scenario.serving;
  Changes changes{option, scenario, catalog, kernels, over};
  ServiceSpec other = asked;
  other.rate = 2 * asked.rate;
  changes.add("rate", requests_text(other.rate), other);
  other = asked;
  for (const double factor : {0.5, 2.0}) {
    if (!std::isfinite(asked.latency.base())) break;
    other.latency = factor * asked.latency;
    changes.add("latency", to_text(other.latency), other);
  }
  if (asked.tokens) add_tokens(changes, asked);
  if (asked.peak() > 1.001) {
    other = asked;
    other.day.fill(1);
    changes.add("peak", "an even load all day", other);
  }
  for (const Precision precision : known_precisions(asked.use())) {
    if (precision != option.server->precision())
      changes.add("precision", std::string{to_string(precision)}, asked, precision);
  }
  changes.add("confidence in the latency", "90 %", asked, enough_confidence);
  return std::move(changes.out);
}

doc::Plan::Confident confident_fleet(const ServiceResult& r, const Catalog& catalog) {
  const ServiceOption& chosen = r.chosen;
  const ServiceSpec& service = *r.scenario.serving;
  doc::Plan::Confident out;
  out.aim = enough_confidence;
  const auto nodes = nodes_with_odds(*chosen.server, service.peak_rate(), kMostNodes, out.aim);
  if (!nodes) out.most_nodes = kMostNodes;
  if (!nodes || *nodes > kMostPlaced) return out;
  const auto fleet = fleet_on(chosen, std::max(*nodes, chosen.needed), r.scenario, catalog);
  if (!fleet) return out;
  out.at = service_candidate(*fleet, r);
  // Where kernels alone are uncertain, it holds with passes at the quantile of `aim`, which odds_in_time()
  // finds to a hundredth only.
  if (const auto odds = odds_in_time(*fleet, service)) out.probability = std::max(out.aim, *odds);
  constexpr int steps = 4;  // each asks the queue nine times
  int before = 0;
  for (int step = 0; step <= steps; ++step) {
    const int needed = chosen.needed + (std::max(*nodes, chosen.needed) - chosen.needed) * step / steps;
    if (needed == before) continue;
    before = needed;
    const auto at = fleet_on(chosen, needed, r.scenario, catalog);
    const auto odds = at ? odds_in_time(*at, service) : std::nullopt;
    if (!odds) continue;
    const doc::PlanCandidate candidate = service_candidate(*at, r);
    out.curve.push_back({candidate.nodes, candidate.spares, needed == *nodes ? *out.probability : *odds,
                         candidate.capex_usd, candidate.purchase_is_open(), candidate.breaks});
  }
  return out;
}

}  // namespace rackcast
