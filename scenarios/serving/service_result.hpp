#pragma once
/// What `size` and `simulate` say of a fleet that serves. Its form is "serving" of
/// scenarios/document/serving.hpp; the rest of the document is that of any result.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/serving/serving.hpp"
#include "scenarios/names/run_control.hpp"
#include "scenarios/result/result.hpp"
#include "scenarios/serving/service_node.hpp"

namespace rackcast {

/// A kind of node in one precision: how many it takes, or why it cannot be.
struct ServiceOption {
  std::shared_ptr<const ServiceNode> server;
  ClusterSpec cluster;
  int needed = 0;  ///< nodes that the busiest hour takes
  int spares = 0;
  std::vector<ServiceLimit> limits;  ///< of one node
  std::string binds;
  bool overloaded = false;  ///< the busiest hour asks more than it takes: not every request is answered
  std::vector<Conflict> conflicts;  ///< none: it can be
  double down = 0;                  ///< share of the time in which a node is down
  double availability = 1;          ///< share of the time in which `needed` nodes are up
  double busy = 0;                  ///< of the GPUs, mean over the day with all nodes up
  std::optional<SiteReport> site;
  Power nameplate{0};
  std::optional<double> rack_units;  ///< nothing: the catalogue does not say

  /// What the sums of power, energy and money leave out.
  [[nodiscard]] MissingFacts missing() const;
  [[nodiscard]] int nodes() const { return needed + spares; }
  [[nodiscard]] bool feasible() const { return conflicts.empty() && needed > 0; }
};

struct ServiceHour {
  Frequency rate{0};
  ServingResult gpu;                   ///< one GPU, all nodes up
  double busy_low = 0, busy_high = 0;  ///< of it, at the ends of the model's 90 % interval
};

/// The ends of the model's 90 % interval of a time.
struct ServiceTime {
  std::optional<double> low_s, high_s;  ///< nothing: overloaded
};

/// The answer on another number of nodes at the busiest hour.
struct ServiceSize {
  int nodes = 0;
  ServingResult gpu;
  std::optional<double> low_s, high_s;  ///< the percentile at the ends of the model's 90 % interval
};

struct ServiceResult {
  std::string kind, command;  ///< kind: "size" or "simulate"
  Scenario scenario;
  Answer answer;
  ServiceOption chosen;
  ServingResult at_peak, all_up;         ///< one GPU at the busiest hour: needed nodes, all nodes
  std::optional<double> slow_s, fast_s;  ///< the percentile at the ends of the model's 90 % interval
  ServiceTime first_token, token;        ///< likewise, of a language model
  std::optional<double> in_time;         ///< odds_in_time() of the chosen fleet
  std::optional<doc::Plan::Confident> confident;
  std::optional<int> most, least;      ///< needed nodes at these ends; nothing: no number
  std::vector<ServiceHour> day;        ///< all nodes up
  std::vector<ServiceSize> sizes;      ///< around the answer, no spares
  std::vector<ServiceOption> options;  ///< in the order of the scenario
  std::vector<Conflict> conflict_set;  ///< several limits that only together leave no answer
  std::vector<doc::Plan::Relaxation> relaxations;
  std::vector<MeasuredComparison> measured;  ///< what the owner measured beside the model
  std::vector<Assumption> assumptions;
  std::vector<doc::Reason> warnings;
  bool partial = false;  ///< ended before every choice was tried
};

/// The least fleet that serves the busiest hour within the latency, with the nodes that spares or
/// availability add, within the limits of the site; the best of the nodes and precisions that "search" opens.
/// Throws Error for unknown names.
ServiceResult size_service(const Scenario& scenario, const Catalog& catalog, const RunControl& control = {});

/// What the scenario's own number of nodes does; infeasible where that is too few.
ServiceResult simulate_service(const Scenario& scenario, const Catalog& catalog);

/// Resolves every name without simulating. Throws Error at the first that is unknown.
void check_service_names(const Scenario& scenario, const Catalog& catalog);

/// The result document as indented JSON; the same result gives the same bytes.
std::string to_json_text(const ServiceResult& result);

}  // namespace rackcast
