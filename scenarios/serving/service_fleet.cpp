#include "scenarios/serving/service_fleet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "models/collectives/cluster.hpp"
#include "models/reliability/failure_rates.hpp"
#include "scenarios/answer/training_demand.hpp"
#include "scenarios/format/failure_spec.hpp"
#include "scenarios/names/count_text.hpp"
#include "scenarios/names/placed.hpp"
#include "scenarios/serving/token_server.hpp"
#include "scenarios/site/power_report.hpp"
#include "scenarios/site/site_conflicts.hpp"
#include "sim/json/table_document.hpp"
#include "sim/units/quantity_text.hpp"
#include "sim/units/told_apart.hpp"

namespace rackcast {

namespace {

int fleet_bound(const Scenario& s) {
  return s.goal ? s.goal->max_nodes : GoalSpec{}.max_nodes;
}

/// Share of the time in which a node does not serve: detection and restart at every failure, a repair where
/// a part has to be replaced.
double down_share(const NodeReliability& node, const RepairDefaults& repair) {
  const Duration per_failure =
      repair.detection + repair.restart + (node.replacements() / node.interruptions()) * repair.repair;
  return per_failure / (node.mtbf + per_failure);
}

double down_share(const Catalog& catalog, const NodeSpec& node, const Scenario& s) {
  NodeReliability reliability = node_reliability(catalog, node);
  RepairDefaults repair = repair_defaults(catalog);
  if (s.failures) {
    const FailureSpec& f = *s.failures;
    reliability.mtbf = f.node_mtbf.value_or(reliability.mtbf);
    repair.detection = f.detection.value_or(repair.detection);
    repair.restart = f.restart.value_or(repair.restart);
    repair.repair = f.repair.value_or(repair.repair);
  }
  return down_share(reliability, repair);
}

/// Why no number of nodes will do, or more than there may be.
Conflict why_none(const ServiceOption& o, const Scenario& s) {
  const ServiceNode& node = *o.server;
  const ServiceSpec& service = *s.serving;
  if (!node.refused().empty()) {
    const doc::Reason why{"cannot_serve", {{"message", node.refused()}}};
    if (node.unsupported()) return {Limit::precision, std::string{to_string(node.precision())}, "none", why};
    const Bytes all = node.node().gpu.memory.value;
    if (!node.tokens()) return {Limit::gpu_memory, to_text(all), to_text(node.memory()), why};
    if (node.tokens()->too_few_gpus())
      return {Limit::configuration, count_of(service.tokens->tensor, "GPU"),
              count_of(node.node().gpus, "GPU"), why};
    return {Limit::gpu_memory, to_text(all), "the weights and one request", why};
  }
  if (const auto broken = node.broken_alone())
    return {broken->kind, to_text(broken->limit), to_text(broken->reached),
            doc::Reason{"lone_request",
                        {{"gpu", node.node().gpu.name},
                         {"precision", to_string(node.precision())},
                         {node.tokens() ? "limit" : "", broken->name()},
                         {"time_s", broken->reached.base()},
                         {"limit_s", broken->limit.base()}}}};
  const auto least = std::ranges::min_element(o.limits, {}, &ServiceLimit::rate);
  const int most = fleet_bound(s);
  if (!(least->rate > Frequency{0})) {
    const ServiceTarget limit = node.targets(node.under(node.gpu_capacity() / 2)).front();
    return {limit.kind, to_text(limit.limit), to_text(node.single()),
            doc::Reason{"no_load", {{"percentile", limit.percentile}, {"limit_s", limit.limit.base()}}}};
  }
  const double nodes = std::ceil(service.peak_rate() / least->rate);
  return {Limit::max_nodes, count_of(most, "node"), fmt::format("{:.0f} nodes", nodes),
          doc::Reason{"fleet_past_most",
                      {{least == o.limits.begin() ? "" : "binds", least->name},
                       {"nodes", nodes},
                       {"each_per_s", least->rate.base()},
                       {"max_nodes", most}}}};
}

void add_spares(ServiceOption& o, const Scenario& s) {
  const ServiceSpec& service = *s.serving;
  const int room = fleet_bound(s) - o.needed;
  if (service.availability) {
    const auto spares = spares_for_availability(o.needed, o.down, *service.availability, room);
    o.spares = spares.value_or(room);
    if (!spares)
      o.conflicts.push_back({Limit::availability, fmt::format("{:g}", *service.availability),
                             fmt::format("{:.6g}", fleet_availability(o.needed, room, o.down)),
                             doc::Reason{"rarely_up",
                                         {{"nodes", o.needed + room},
                                          {"needed", o.needed},
                                          {"reached", fleet_availability(o.needed, room, o.down)},
                                          {"asked", *service.availability}}}});
  } else {
    o.spares = service.spares.value_or(0);
    if (o.spares > room)
      o.conflicts.push_back(
          {Limit::max_nodes, count_of(fleet_bound(s), "node"), count_of(o.nodes(), "node"),
           doc::Reason{"fleet_spares_past_most",
                       {{"nodes", o.needed}, {"spares", o.spares}, {"max_nodes", fleet_bound(s)}}}});
  }
  o.availability = fleet_availability(o.needed, o.spares, o.down);
}

void add_site(ServiceOption& o, const Scenario& s, const Catalog& catalog) {
  const SiteSpec& site = *s.site;
  const Cluster cluster = placed(o.cluster.where, [&] {
    return make_cluster(catalog, o.server->node(), {.nodes = o.nodes(), .fabric = o.cluster.fabric.choice});
  });
  TrainingRun run;  // a day, as the power model sees it: the GPUs compute, or they wait
  run.parts.total = Duration{86400};
  run.parts.forward = o.busy * run.parts.total;
  run.parts.input_wait = run.parts.total - run.parts.forward;
  const std::vector<SiteRun> runs{{s.serving->model, "A day of serving", run, run.parts.total}};
  // All nodes serve, spares as well, as long as none is down.
  o.site = site_report(catalog, site, cluster, 0, s.storage, runs);
  o.nameplate = o.site->plan.nameplate();
  std::vector<LimitValue> limits = limits_of_site(site, o.site->plan);
  if (o.site->cost) std::ranges::copy(limits_of_money(site, *o.site->cost), std::back_inserter(limits));
  const auto conflicts = conflicts_of(limits);
  o.conflicts.insert(o.conflicts.end(), conflicts.begin(), conflicts.end());
}

std::string what_binds(const ServiceOption& o) {
  const auto least = std::ranges::min_element(o.limits, {}, &ServiceLimit::rate);
  if (least != o.limits.begin()) return least->name;
  // Within a twentieth of what it does whatever the latency, the GPU itself is the limit.
  const ServiceNode& node = *o.server;
  return least->rate > 0.95 * node.node().gpus * node.gpu_capacity() ? "GPU compute" : "latency";
}

}  // namespace

std::string requests_text(Frequency rate) {
  const double value = rate.base();
  return (value < 10 ? fmt::format("{:.3g}", value) : grouped(std::round(value))) + " requests/s";
}

std::optional<int> nodes_for(const ServiceNode& node, Frequency load, int most, double slower) {
  if (!node.refused().empty()) return std::nullopt;
  const auto limits = node.limits(slower);
  const Frequency each = std::ranges::min_element(limits, {}, &ServiceLimit::rate)->rate;
  if (!(each > Frequency{0})) return std::nullopt;
  const double about = std::ceil(load / each);
  if (about > 1.05 * most + 1) return std::nullopt;  // rates are known to 1 %
  ServingDemand demand{node, load, slower};
  const auto last = static_cast<std::size_t>(most - 1),
             start = static_cast<std::size_t>(std::max(1.0, about) - 1);
  const auto place = first_enough({0, last, std::min(start, last)},
                                  [&](std::size_t i) { return demand.enough(static_cast<int>(i) + 1); });
  return place ? std::optional{static_cast<int>(*place) + 1} : std::nullopt;
}

std::vector<ServiceHour> day_of(const ServiceOption& o, const ServiceSpec& service, double slower) {
  std::vector<ServiceHour> out;
  std::map<double, ServingResult> known;  // mornings are like evenings
  const double gpus = static_cast<double>(o.nodes()) * o.server->node().gpus;
  for (const double share : service.day) {
    ServiceHour& hour = out.emplace_back();
    hour.rate = share * service.rate;
    if (!(hour.rate > Frequency{0})) continue;
    const double each = std::stod(fmt::format("{:.9g}", (hour.rate / gpus).base()));
    auto it = known.find(each);
    if (it == known.end()) it = known.emplace(each, o.server->under(Frequency{each}, slower)).first;
    hour.gpu = it->second;
  }
  return out;
}

MissingFacts ServiceOption::missing() const {
  if (site) return site->missing;
  MissingFacts out;
  const std::string what = fmt::format("{} x {}", nodes(), server->title());
  if (!server->node().max_power) out.power.push_back(what);
  if (!server->node().rack_units) out.units.push_back(what);
  return out;
}

void complete(ServiceOption& o, const Scenario& s, const Catalog& catalog) {
  o.limits = o.server->limits();
  o.down = down_share(catalog, o.server->node(), s);
  if (o.needed == 0) {
    o.conflicts.push_back(why_none(o, s));
    return;
  }
  o.binds = what_binds(o);
  add_spares(o, s);
  for (const ServiceHour& hour : day_of(o, *s.serving)) o.busy += hour.gpu.utilisation / hours_of_day;
  const NodeSpec& node = o.server->node();
  if (node.rack_units) o.rack_units = o.nodes() * node.rack_units->value;
  o.nameplate = o.nodes() * value_or(node.max_power, Power{0});
  if (s.site) add_site(o, s, catalog);
}

std::optional<ServiceLimit> passed_limit(const ServiceNode& node, Frequency each) {
  const auto limits = node.limits();
  const auto past = std::find_if(limits.begin() + 1, limits.end(),
                                 [&](const ServiceLimit& limit) { return each > limit.rate; });
  return past == limits.end() ? std::nullopt : std::optional{*past};
}

Smaller ServingDemand::falls_short(int fewer) {
  const Frequency each = load_ / fewer, of_gpu = each / node_.node().gpus;
  if (const auto past = passed_limit(node_, each))
    return {fewer,
            past->name,
            doc::Reason{"each_past_limit",
                        {{"limit", past->name},
                         {"nodes", fewer},
                         {"each_per_s", each.base()},
                         {"limit_per_s", past->rate.base()}}},
            {}};
  const ServingResult gpu = node_.under(of_gpu, slower_);
  if (gpu.saturated)
    return {
        fewer,
        "latency",
        doc::Reason{
            "overloaded",
            {{"nodes", fewer}, {"gpu_per_s", node_.gpu_capacity().base()}, {"asked_per_s", of_gpu.base()}}},
        {}};
  const auto late = node_.broken(gpu).value_or(node_.targets(gpu).front());
  return {fewer,
          "latency",
          doc::Reason{"late",
                      {{node_.tokens() ? "limit" : "", late.name()},
                       {"nodes", fewer},
                       {"percentile", late.percentile},
                       {"time_s", late.reached.base()},
                       {"limit_s", late.limit.base()}}},
          {}};
}

Conflict passed_conflict(const ServiceOption& o, const ServiceLimit& passed, Frequency peak, int nodes) {
  const ServiceNode& node = *o.server;
  std::optional<double> cores, there;
  if (node.decode_rate() && passed.rate == *node.decode_rate()) {
    cores = std::ceil(peak * node.decode());
    there = nodes * node.node().cpu_cores->value;
  }
  return {passed.limit, requests_text(peak), requests_text(nodes * passed.rate),
          doc::Reason{"fleet_past_limit",
                      {{"limit", passed.name},
                       {"nodes", nodes},
                       {"takes_per_s", (nodes * passed.rate).base()},
                       {"peak_per_s", peak.base()},
                       {"enough", std::ceil(peak / passed.rate)},
                       {"cores", cores},
                       {"cores_there", there}}}};
}

std::optional<ServiceOption> fleet_on(const ServiceOption& option, int needed, const Scenario& scenario,
                                      const Catalog& catalog) {
  Scenario free = scenario;
  if (!free.goal) free.goal.emplace();
  const int most = free.goal->max_nodes;
  free.goal->max_nodes = 2 * std::max(most, needed);  // with spares
  ServiceOption o;
  o.server = option.server;
  o.cluster = option.cluster;
  o.needed = needed;
  try {
    complete(o, free, catalog);
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::infeasible) throw;
    return std::nullopt;
  }
  if (o.nodes() > most)
    o.conflicts.insert(o.conflicts.begin(),
                       {Limit::max_nodes, count_of(most, "node"), count_of(o.nodes(), "node"),
                        doc::Reason{"fleet_takes", {{"nodes", o.nodes()}, {"max_nodes", most}}}});
  return o;
}

void solve(ServiceOption& o, const Scenario& s, const Catalog& catalog) {
  o.needed = nodes_for(*o.server, s.serving->peak_rate(), fleet_bound(s)).value_or(0);
  complete(o, s, catalog);
}

}  // namespace rackcast
