#include "scenarios/serving/service_search.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scenarios/evaluate/ledger.hpp"
#include "scenarios/limits/limits.hpp"
#include "scenarios/names/count_text.hpp"
#include "scenarios/names/placed.hpp"
#include "sim/units/quantity_text.hpp"
#include "sim/units/told_apart.hpp"
#include "topologies/catalog/catalog.hpp"

namespace rackcast {

namespace {

/// Less is better, from front to back.
std::vector<double> rank(const ServiceOption& o, Objective objective) {
  const double nodes = o.nodes(), power = o.nameplate.base();
  if (objective == Objective::lowest_cost && o.site && o.site->cost) {
    const CostReport& cost = *o.site->cost;
    return {cost.lacking.none() ? 0.0 : 1.0, cost.own.over_life(cost.utilisation).base(), nodes, power};
  }
  if (objective == Objective::lowest_energy && o.site)
    return {o.site->missing.power.empty() ? 0.0 : 1.0, o.site->power.facility_year.base(), nodes, power};
  return {nodes, power};
}

constexpr int most_nodes = 100'000;  ///< of a fleet that is looked for beyond what may be

/// How far from an answer: less is nearer, from front to back.
std::vector<double> shortfall(const ServiceOption& o) {
  const auto least = std::ranges::min_element(o.limits, {}, &ServiceLimit::rate);
  return {o.needed > 0 ? 0.0 : 1.0, o.server->refused().empty() ? 0.0 : 1.0, -least->rate.base(),
          o.server->single().base()};
}

}  // namespace

std::vector<std::pair<ClusterSpec, Precision>> service_choices(const Catalog& catalog, const Scenario& s) {
  // A node of its own that "search" leaves out is still a name to know.
  (void)placed(s.cluster.where, [&] { return catalog.find("nodes", s.cluster.node).id; });
  std::vector<ClusterSpec> clusters;
  for (const Choice<std::string>& node : s.search.node) {
    ClusterSpec c = s.cluster;
    if (node.value != c.node) {
      c.node = node.value;
      c.gpu.clear();
      c.fabric = c.fabric.for_another_node();
    }
    c.where = node.where;
    clusters.push_back(std::move(c));
  }
  if (clusters.empty()) clusters.push_back(s.cluster);
  std::vector<Precision> precisions;
  for (const Choice<Precision>& choice : s.search.precision) precisions.push_back(choice.value);
  if (precisions.empty()) precisions.push_back(s.serving->precision);
  std::vector<std::pair<ClusterSpec, Precision>> out;
  for (const ClusterSpec& cluster : clusters)
    for (const Precision precision : precisions) out.emplace_back(cluster, precision);
  return out;
}

ServiceOption service_option(const Catalog& catalog, const GpuModelLibrary& kernels, const Scenario& scenario,
                             const ClusterSpec& cluster, Precision precision,
                             std::shared_ptr<KnownServers> known) {
  ServiceOption o;
  Ledger nobody;
  o.cluster = cluster;
  o.server = std::make_shared<const ServiceNode>(catalog, kernels, scenario, cluster, precision, nobody,
                                                 std::move(known));
  return o;
}

void check_precisions(const std::vector<ServiceOption>& options, const Scenario& s) {
  if (options.empty()) return;
  for (const ServiceOption& o : options)
    if (!o.server->unsupported()) return;
  const ServiceNode& first = *options.front().server;
  const auto searched = std::ranges::find(s.search.precision, first.precision(), &Choice<Precision>::value);
  const bool stated = searched == s.search.precision.end();
  throw Error{first.unsupported()->message, stated ? s.serving->precision_where : searched->where,
              first.unsupported()->hint};
}

bool better_option(const ServiceOption& a, const ServiceOption& b, const Scenario& s) {
  const Objective objective = s.goal ? s.goal->objective : Objective::fewest_nodes;
  return rank(a, objective) < rank(b, objective);
}

const ServiceOption& best_option(const std::vector<ServiceOption>& options, const Scenario& s) {
  return *std::ranges::min_element(options, [&](const ServiceOption& a, const ServiceOption& b) {
    if (a.feasible() != b.feasible()) return a.feasible();
    return a.feasible() ? better_option(a, b, s) : shortfall(a) < shortfall(b);
  });
}

ServiceOption own_fleet(const Catalog& catalog, const GpuModelLibrary& kernels, Scenario& s) {
  ServiceOption o = service_option(catalog, kernels, s, s.cluster, s.serving->precision);
  check_precisions({o}, s);
  const ServiceSpec& service = *s.serving;
  const int nodes = s.cluster.nodes;
  // With an availability, what the busiest hour does not take is spare; it is said how much that is worth.
  const int spares = service.availability
                         ? nodes - nodes_for(*o.server, service.peak_rate(), nodes).value_or(nodes)
                         : service.spares.value_or(0);
  if (spares >= nodes)
    throw Error{fmt::format("{} of {} are spares", spares, count_of(nodes, "node")), service.where,
                "give \"cluster.nodes\" more, or fewer spares"};
  if (!s.goal) s.goal.emplace();
  s.goal->max_nodes = nodes;
  const bool can = o.server->refused().empty() && !o.server->broken_alone();
  o.needed = can ? nodes - spares : 0;
  Scenario given = s;
  given.serving->availability.reset();
  given.serving->spares = spares;
  complete(o, given, catalog);
  if (can && !o.server->holds(service.peak_rate(), o.needed)) {
    const Frequency each = service.peak_rate() / o.needed;
    const ServingResult gpu = o.server->under(each / o.server->node().gpus);
    const auto passed = passed_limit(*o.server, each);
    o.overloaded = gpu.saturated || passed;
    if (passed && !gpu.saturated) {
      o.conflicts.insert(o.conflicts.begin(), passed_conflict(o, *passed, service.peak_rate(), o.needed));
      return o;
    }
    const auto late = o.server->broken(gpu).value_or(o.server->targets(gpu).front());
    o.conflicts.insert(
        o.conflicts.begin(),
        {late.kind, to_text(late.limit), gpu.saturated ? "overloaded" : told_apart(late.reached, late.limit),
         gpu.saturated ? doc::Reason{"gpus_overloaded",
                                     {{"gpus", o.needed * o.server->node().gpus},
                                      {"enough", nodes_for(*o.server, service.peak_rate(), most_nodes)}}}
                       : doc::Reason{"busiest_hour",
                                     {{"percentile", late.percentile},
                                      {"time_s", late.reached.base()},
                                      {"limit_s", late.limit.base()}}}});
  } else if (can && o.availability < service.availability.value_or(0)) {
    o.conflicts.insert(o.conflicts.begin(), {Limit::availability, fmt::format("{:g}", *service.availability),
                                             fmt::format("{:.6g}", o.availability),
                                             doc::Reason{"spares_too_few",
                                                         {{"needed", o.needed},
                                                          {"spares", o.spares},
                                                          {"reached", o.availability},
                                                          {"asked", *service.availability}}}});
  }
  return o;
}

ServiceOption best_fleet(const Catalog& catalog, const GpuModelLibrary& kernels, const Scenario& s) {
  std::vector<ServiceOption> options;
  for (const auto& [cluster, precision] : service_choices(catalog, s)) {
    options.push_back(service_option(catalog, kernels, s, cluster, precision));
    solve(options.back(), s, catalog);
  }
  check_precisions(options, s);
  return best_option(options, s);
}

ServiceOption answer_service(const Catalog& catalog, const GpuModelLibrary& kernels, Scenario s) {
  const Json& stated = s.text.require("cluster");
  const bool has_nodes = stated.kind() == JsonKind::object && stated.find("nodes");
  return has_nodes ? own_fleet(catalog, kernels, s) : best_fleet(catalog, kernels, s);
}

}  // namespace rackcast
