/// The smallest set of limits that no choice of a fleet that serves keeps together.
///
/// More nodes shorten the latency and take more of everything else. So of each node and precision two fleets
/// say it all: the least one that keeps the latency, and, without the latency, a single node.

#include <algorithm>

#include "scenarios/answer/training_demand.hpp"
#include "scenarios/limits/limits.hpp"
#include "scenarios/serving/service_search.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast {

namespace {

/// Fleets beyond are not placed: what so many nodes break, more break too.
constexpr int kMostPlaced = 4096;

class ConflictSet {
 public:
  ConflictSet(const Scenario& scenario, const Catalog& catalog)
      : asked_(scenario),
        catalog_(catalog),
        placed_(std::max(scenario.goal ? scenario.goal->max_nodes : GoalSpec{}.max_nodes, kMostPlaced)) {}

  void add(const ServiceOption& option) {
    const ServiceNode& node = *option.server;
    if (!node.refused().empty()) {
      masks_.push_back(mask_of(option.conflicts));
      return;
    }
    if (keeps_alone(node))
      if (const auto limits = broken(option, needed(option))) masks_.push_back(mask_of(*limits));
    auto one = broken(option, 1);
    if (!one) return;
    masks_.push_back(mask_of(*one) | bit(Limit::latency));
  }

  /// Nodes for the busiest hour, as far as they are placed.
  [[nodiscard]] int needed(const ServiceOption& option) const {
    return nodes_for(*option.server, asked_.serving->peak_rate(), placed_).value_or(placed_);
  }

  [[nodiscard]] LimitMask smallest() const { return smallest_conflict(masks_); }

  /// What the fleet of `nodes`, spares included, breaks but for the latency; nothing if it cannot be built.
  [[nodiscard]] std::optional<std::vector<Conflict>> broken(const ServiceOption& option, int needed) const {
    const auto fleet = fleet_on(option, needed, asked_, catalog_);
    return fleet ? std::optional{fleet->conflicts} : std::nullopt;
  }

 private:
  /// Does any number of nodes keep the latency?
  [[nodiscard]] bool keeps_alone(const ServiceNode& node) const {
    return !node.broken_alone() && node.gpu_rate() > Frequency{0};
  }

  const Scenario& asked_;
  const Catalog& catalog_;
  int placed_ = 0;
  std::vector<LimitMask> masks_;
};

/// The most nodes that keep the other members of the set; 0 if none does.
int most_within(const ConflictSet& set, const ServiceOption& option, int enough) {
  const auto keeps = [&](int nodes) {
    const auto limits = set.broken(option, nodes);
    return limits && (mask_of(*limits) & set.smallest()) == 0;
  };
  const auto breaks = first_enough({1, static_cast<std::size_t>(enough), 1},
                                   [&](std::size_t nodes) { return !keeps(static_cast<int>(nodes)); });
  return static_cast<int>(breaks.value_or(static_cast<std::size_t>(enough))) - 1;
}

Conflict latency_conflict(const ConflictSet& set, const ServiceOption& o, const ServiceSpec& service,
                          int needed) {
  const int nodes = most_within(set, o, needed);
  const int tried = std::max(1, nodes);
  const Frequency each = service.peak_rate() / tried;
  if (const auto passed = nodes > 0 ? passed_limit(*o.server, each) : std::nullopt) {
    Conflict host = passed_conflict(o, *passed, service.peak_rate(), nodes);
    host.why = doc::Reason{"others_leave", {{"nodes", nodes}}, {*host.why}};
    return host;
  }
  const ServingResult gpu = o.server->under(each / o.server->node().gpus);
  const auto late = o.server->broken(gpu).value_or(o.server->targets(gpu).front());
  Conflict out{Limit::latency, to_text(late.limit), "", {}};
  if (nodes == 0) {
    out.best = "no node";
    out.why = doc::Reason{"others_leave", {{"nodes", 0}}};
    return out;
  }
  out.best = gpu.saturated ? "overloaded" : to_text(late.reached);
  out.why =
      doc::Reason{"others_leave_late",
                  {{"nodes", nodes},
                   {"limit_s", late.limit.base()},
                   {"time_s", gpu.saturated ? std::nullopt : std::optional<double>{late.reached.base()}}}};
  return out;
}

}  // namespace

std::vector<Conflict> service_conflict_set(const std::vector<ServiceOption>& options,
                                           const ServiceOption& nearest, const Scenario& s,
                                           const Catalog& catalog) {
  ConflictSet set{s, catalog};
  for (const ServiceOption& option : options) set.add(option);
  const std::vector<Limit> members = limits_of(set.smallest());
  if (members.size() < 2 || !nearest.server->refused().empty()) return nearest.conflicts;
  const int needed = set.needed(nearest);
  const auto of_needed = set.broken(nearest, needed);
  std::vector<Conflict> out;
  for (const Limit limit : members) {
    if (limit == Limit::latency) {
      out.push_back(latency_conflict(set, nearest, *s.serving, needed));
      continue;
    }
    if (!of_needed) continue;
    const auto found = std::ranges::find(*of_needed, limit, &Conflict::limit);
    if (found != of_needed->end()) out.push_back(*found);
  }
  return out.empty() ? nearest.conflicts : out;
}

}  // namespace rackcast
