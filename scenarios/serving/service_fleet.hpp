#pragma once
/// How many nodes of one kind serve the busiest hour. Private to scenarios/serving.
#include <functional>
#include <optional>
#include <vector>

#include "scenarios/answer/node_search.hpp"
#include "scenarios/serving/service_result.hpp"

namespace rackcast {

class Catalog;

/// "132,000 requests/s".
std::string requests_text(Frequency rate);

/// Serving `load` within the latency and the limits of the node's host, as a demand on nodes. The node must
/// outlive it.
class ServingDemand final : public NodeDemand {
 public:
  /// Each pass takes `slower` times as long.
  ServingDemand(const ServiceNode& node, Frequency load, double slower = 1)
      : node_(node), load_(load), slower_(slower) {}
  bool enough(int nodes) override { return node_.holds(load_, nodes, slower_); }
  int below(int nodes) override { return nodes - 1; }
  Smaller falls_short(int fewer) override;

 private:
  const ServiceNode& node_;
  Frequency load_;
  double slower_;
};

/// The least number of nodes up to `most` that takes the load if each pass takes `slower` times as long;
/// nothing if none does. Both it and the next smaller one have been simulated.
std::optional<int> nodes_for(const ServiceNode& node, Frequency load, int most, double slower = 1);

/// The option on `needed` nodes: spares, use, site and limits. With `needed` = 0 it says why there is none.
void complete(ServiceOption& option, const Scenario& scenario, const Catalog& catalog);

/// Finds the nodes of the option and completes it.
void solve(ServiceOption& option, const Scenario& scenario, const Catalog& catalog);

/// One GPU over the hours of a day, with all nodes of the option up, if each pass takes `slower` times as
/// long.
std::vector<ServiceHour> day_of(const ServiceOption& option, const ServiceSpec& service, double slower = 1);

/// The limit of a node beside its GPUs that so many requests per second of a node are past; nothing if none
/// is.
std::optional<ServiceLimit> passed_limit(const ServiceNode& node, Frequency each);

/// The conflict of a passed limit on `nodes` nodes: what these take, what the busiest hour asks and how many
/// nodes that takes.
Conflict passed_conflict(const ServiceOption& option, const ServiceLimit& passed, Frequency peak, int nodes);

/// The option with `needed` nodes for the busiest hour and their spares. Its conflicts are what it breaks
/// beside the latency: max_nodes, availability and the limits of the site. Nothing if it cannot be built.
std::optional<ServiceOption> fleet_on(const ServiceOption& option, int needed, const Scenario& scenario,
                                      const Catalog& catalog);

/// Probability that the fleet keeps every limit on time in the busiest hour, by the errors of the model: of
/// its kernels' times and, where a limit is about the first token, of what that takes beside its passes
/// (Mechanism::first_token); both are log-normal. Nothing for an option without nodes, or without such
/// errors.
std::optional<double> odds_in_time(const ServiceOption& option, const ServiceSpec& service);

/// The least number of nodes, up to `most`, that takes the load within every limit with at least this
/// probability; nothing if none does.
std::optional<int> nodes_with_odds(const ServiceNode& node, Frequency load, int most, double odds);

/// The 90 % interval, by the same errors, of a time of requests on one GPU under a load; `of` picks it.
ServiceTime interval_of(const ServiceNode& node, Frequency of_gpu,
                        const std::function<Duration(const ServingResult&)>& of);

/// The fleet with the fewest nodes that keeps every limit on time with a probability of 90 %.
doc::Plan::Confident confident_fleet(const ServiceResult& result, const Catalog& catalog);

/// What would change the answer: twice the load, half the latency, other precisions, ...
/// `over`: ends the list early, where the run's limit has been reached.
std::vector<Change> service_changes(const ServiceOption& option, const Scenario& scenario,
                                    const Catalog& catalog, const GpuModelLibrary& kernels,
                                    const std::function<bool()>& over);

}  // namespace rackcast
