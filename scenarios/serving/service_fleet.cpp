#include "scenarios/serving/service_fleet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "models/collectives/cluster.hpp"
#include "models/reliability/failure_rates.hpp"
#include "scenarios/answer/search.hpp"
#include "scenarios/format/failure_spec.hpp"
#include "scenarios/names/count_text.hpp"
#include "scenarios/serving/token_server.hpp"
#include "scenarios/site/placed.hpp"
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

/// ", bound by decoding on the host's cores"; empty where the GPUs bind.
std::string host_limit_text(const ServiceOption& o) {
  const auto least = std::ranges::min_element(o.limits, {}, &ServiceLimit::rate);
  return least == o.limits.begin() ? std::string{} : ", bound by " + least->name;
}

/// Why no number of nodes will do, or more than there may be.
Conflict why_none(const ServiceOption& o, const Scenario& s) {
  const ServiceNode& node = *o.server;
  const ServiceSpec& service = *s.serving;
  if (!node.refused().empty()) {
    if (node.unsupported())
      return {Limit::precision, std::string{to_string(node.precision())}, "none", node.refused() + "."};
    const Bytes all = node.node().gpu.memory.value;
    if (!node.tokens())
      return {Limit::gpu_memory, to_text(all), to_text(node.memory()), node.refused() + "."};
    if (node.tokens()->too_few_gpus())
      return {Limit::configuration, count_of(service.tokens->tensor, "GPU"),
              count_of(node.node().gpus, "GPU"), node.refused() + "."};
    return {Limit::gpu_memory, to_text(all), "the weights and one request", node.refused() + "."};
  }
  if (const auto broken = node.broken_alone())
    return {broken->kind, to_text(broken->limit), to_text(broken->reached),
            fmt::format("A single request takes {}{} on {} in {}; {} is the limit, and more nodes do not "
                        "shorten it.",
                        to_text(broken->reached), node.tokens() ? fmt::format(" ({})", broken->name()) : "",
                        node.node().gpu.name, to_string(node.precision()), to_text(broken->limit))};
  const auto least = std::ranges::min_element(o.limits, {}, &ServiceLimit::rate);
  const int most = fleet_bound(s);
  if (!(least->rate > Frequency{0})) {
    const ServiceTarget limit = node.targets(node.under(node.gpu_capacity() / 2)).front();
    return {limit.kind, to_text(limit.limit), to_text(node.single()),
            fmt::format("No load at all keeps {:g} % of the requests within {}.", 100 * limit.percentile,
                        to_text(limit.limit))};
  }
  const double nodes = std::ceil(service.peak_rate() / least->rate);
  return {Limit::max_nodes, count_of(most, "node"), fmt::format("{:.0f} nodes", nodes),
          fmt::format("The busiest hour takes about {:.0f} nodes ({} of them each{}); max_nodes is {}.",
                      nodes, requests_text(least->rate), host_limit_text(o), most)};
}

void add_spares(ServiceOption& o, const Scenario& s) {
  const ServiceSpec& service = *s.serving;
  const int room = fleet_bound(s) - o.needed;
  if (service.availability) {
    const auto spares = spares_for_availability(o.needed, o.down, *service.availability, room);
    o.spares = spares.value_or(room);
    if (!spares)
      o.conflicts.push_back(
          {Limit::availability, fmt::format("{:g}", *service.availability),
           fmt::format("{:.6g}", fleet_availability(o.needed, room, o.down)),
           fmt::format("{} of which {} have to be up keep {:.6g} of the time at most, and {:g} is asked.",
                       count_of(o.needed + room, "node"), o.needed,
                       fleet_availability(o.needed, room, o.down), *service.availability)});
  } else {
    o.spares = service.spares.value_or(0);
    if (o.spares > room)
      o.conflicts.push_back(
          {Limit::max_nodes, count_of(fleet_bound(s), "node"), count_of(o.nodes(), "node"),
           fmt::format("{} and {} for the busiest hour are more than max_nodes, {}.",
                       count_of(o.spares, "spare"), count_of(o.needed, "node"), fleet_bound(s))});
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
  o.site = site_report(catalog, site, cluster, 0, s.storage, runs, "serves");
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
  const std::string nodes = count_of(fewer, "node");
  if (const auto past = passed_limit(node_, each))
    return {fewer,
            past->name,
            fmt::format("{} would have to take {} each; the limit set by {} is {}.", nodes,
                        requests_text(each), past->name, requests_text(past->rate)),
            {}};
  const ServingResult gpu = node_.under(of_gpu, slower_);
  if (gpu.saturated)
    return {fewer,
            "latency",
            fmt::format("{} would be overloaded: each GPU does {} at most, and {} are asked of it.", nodes,
                        requests_text(node_.gpu_capacity()), requests_text(of_gpu)),
            {}};
  const auto late = node_.broken(gpu).value_or(node_.targets(gpu).front());
  return {fewer,
          "latency",
          fmt::format("With {} up {:g} % of the requests would take up to {}{}; the limit is {}.", nodes,
                      100 * late.percentile, told_apart(late.reached, late.limit),
                      node_.tokens() ? fmt::format(" ({})", late.name()) : "", to_text(late.limit)),
          {}};
}

Conflict passed_conflict(const ServiceOption& o, const ServiceLimit& passed, Frequency peak, int nodes) {
  const ServiceNode& node = *o.server;
  std::string cores;
  if (node.decode_rate() && passed.rate == *node.decode_rate())
    cores = fmt::format(" ({} cores; these have {})", grouped(std::ceil(peak * node.decode())),
                        grouped(nodes * node.node().cpu_cores->value));
  return {
      passed.limit, requests_text(peak), requests_text(nodes * passed.rate),
      fmt::format("{} {} at most {}, bound by {}; the busiest hour asks for {}, which takes {}{}.",
                  count_of(nodes, "node"), nodes == 1 ? "takes" : "take", requests_text(nodes * passed.rate),
                  passed.name, requests_text(peak), count_of(std::ceil(peak / passed.rate), "node"), cores)};
}

std::optional<std::vector<Conflict>> fleet_conflicts(const ServiceOption& option, int needed,
                                                     const Scenario& scenario, const Catalog& catalog) {
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
                        fmt::format("It takes {}; max_nodes is {}.", count_of(o.nodes(), "node"), most)});
  return o.conflicts;
}

void solve(ServiceOption& o, const Scenario& s, const Catalog& catalog) {
  o.needed = nodes_for(*o.server, s.serving->peak_rate(), fleet_bound(s)).value_or(0);
  complete(o, s, catalog);
}

}  // namespace rackcast
