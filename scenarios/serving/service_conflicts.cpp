/// The smallest set of limits that no choice of a fleet that serves keeps together.
///
/// More nodes shorten the latency and take more of everything else. So of each node and precision two fleets
/// say it all: the least one that keeps the latency, and, without the latency, a single node.
#include <fmt/format.h>

#include <algorithm>

#include "scenarios/answer/describe.hpp"
#include "scenarios/answer/search.hpp"
#include "scenarios/plan/limits.hpp"
#include "scenarios/serving/service_search.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast {

namespace {

/// Fleets beyond are not placed: what so many nodes break, more break too.
constexpr int kMostPlaced = 4096;
constexpr const char* kLatency = "latency";

class ConflictSet {
 public:
  ConflictSet(const Scenario& scenario, const Catalog& catalog)
      : asked_(scenario),
        catalog_(catalog),
        placed_(std::max(scenario.goal ? scenario.goal->max_nodes : GoalSpec{}.max_nodes, kMostPlaced)) {}

  void add(const ServiceOption& option) {
    const ServiceNode& node = *option.server;
    if (!node.refused().empty()) {
      masks_.push_back(mask(option.conflicts));
      return;
    }
    if (keeps_alone(node))
      if (const auto limits = broken(option, needed(option))) masks_.push_back(mask(*limits));
    auto one = broken(option, 1);
    if (!one) return;
    one->push_back({kLatency, "", "", ""});
    masks_.push_back(mask(*one));
  }

  /// Nodes for the busiest hour, as far as they are placed.
  [[nodiscard]] int needed(const ServiceOption& option) const {
    return nodes_for(*option.server, asked_.serving->peak_rate(), placed_).value_or(placed_);
  }

  /// In the order in which they were met first.
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> out;
    const LimitMask set = smallest_conflict(masks_);
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (set & (LimitMask{1} << i)) out.push_back(names_[i]);
    return out;
  }

  /// What the fleet of `nodes`, spares included, breaks but for the latency; nothing if it cannot be built.
  [[nodiscard]] std::optional<std::vector<Conflict>> broken(const ServiceOption& option, int needed) const {
    return fleet_conflicts(option, needed, asked_, catalog_);
  }

 private:
  /// Does any number of nodes keep the latency?
  [[nodiscard]] bool keeps_alone(const ServiceNode& node) const {
    return !node.broken_alone() && node.gpu_rate() > Frequency{0};
  }

  LimitMask mask(const std::vector<Conflict>& conflicts) {
    LimitMask out = 0;
    for (const Conflict& c : conflicts) {
      auto at = std::ranges::find(names_, c.constraint);
      if (at == names_.end()) at = names_.insert(names_.end(), c.constraint);
      out |= LimitMask{1} << (at - names_.begin());
    }
    return out;
  }

  const Scenario& asked_;
  const Catalog& catalog_;
  int placed_ = 0;
  std::vector<std::string> names_;
  std::vector<LimitMask> masks_;
};

/// The most nodes that keep the other members of the set; 0 if none does.
int most_within(const ConflictSet& set, const ServiceOption& option, const std::vector<std::string>& names,
                int enough) {
  const auto keeps = [&](int nodes) {
    const auto limits = set.broken(option, nodes);
    return limits && std::ranges::none_of(*limits, [&](const Conflict& c) {
             return std::ranges::find(names, c.constraint) != names.end();
           });
  };
  const auto breaks = first_enough({1, static_cast<std::size_t>(enough), 1},
                                   [&](std::size_t nodes) { return !keeps(static_cast<int>(nodes)); });
  return static_cast<int>(breaks.value_or(static_cast<std::size_t>(enough))) - 1;
}

Conflict latency_conflict(const ConflictSet& set, const ServiceOption& o, const ServiceSpec& service,
                          const std::vector<std::string>& names, int needed) {
  const int nodes = most_within(set, o, names, needed);
  const int tried = std::max(1, nodes);
  const Frequency each = service.peak_rate() / tried;
  if (const auto passed = nodes > 0 ? passed_limit(*o.server, each) : std::nullopt) {
    Conflict host = passed_conflict(o, *passed, service.peak_rate(), nodes);
    host.statement = fmt::format("The other limits leave {}. ", count_of(nodes, "node")) + host.statement;
    return host;
  }
  const ServingResult gpu = o.server->under(each / o.server->node().gpus);
  const auto late = o.server->broken(gpu).value_or(o.server->targets(gpu).front());
  Conflict out{kLatency, to_text(late.limit), "", ""};
  if (nodes == 0) {
    out.best = "no node";
    out.statement = "The other limits leave no node.";
    return out;
  }
  out.best = gpu.saturated ? "overloaded" : to_text(late.reached);
  out.statement = fmt::format(
      "The other limits leave {}: {}; {} is allowed.", count_of(nodes, "node"),
      gpu.saturated ? "overloaded in the busiest hour" : "up to " + out.best + " a request", out.required);
  return out;
}

}  // namespace

std::vector<Conflict> service_conflict_set(const std::vector<ServiceOption>& options,
                                           const ServiceOption& nearest, const Scenario& s,
                                           const Catalog& catalog) {
  ConflictSet set{s, catalog};
  for (const ServiceOption& option : options) set.add(option);
  const std::vector<std::string> names = set.names();
  if (names.size() < 2 || !nearest.server->refused().empty()) return nearest.conflicts;
  const int needed = set.needed(nearest);
  const auto of_needed = set.broken(nearest, needed);
  std::vector<Conflict> out;
  for (const std::string& name : names) {
    if (name == kLatency) {
      out.push_back(latency_conflict(set, nearest, *s.serving, names, needed));
      continue;
    }
    if (!of_needed) continue;
    const auto found = std::ranges::find(*of_needed, name, &Conflict::constraint);
    if (found != of_needed->end()) out.push_back(*found);
  }
  return out.empty() ? nearest.conflicts : out;
}

}  // namespace rackcast
