#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "models/networks/workload.hpp"
#include "scenarios/answer/training_demand.hpp"
#include "scenarios/evaluate/ledger.hpp"
#include "scenarios/measured/posterior.hpp"
#include "scenarios/names/count_text.hpp"
#include "scenarios/names/run_control.hpp"
#include "scenarios/serving/service_fleet.hpp"
#include "scenarios/serving/service_measured.hpp"
#include "scenarios/serving/service_search.hpp"
#include "scenarios/serving/token_server.hpp"
#include "sim/units/quantity_text.hpp"
#include "topologies/catalog/catalog.hpp"

namespace rackcast {

namespace {

struct Work {
  Work(const Scenario& asked, const Catalog& c) : catalog(c), kernels(GpuModelLibrary::builtin()) {
    out.scenario = resolve_clusters(asked, c);
    for (const Json& device : out.scenario.calibration.devices) kernels.add(device);
  }

  const Catalog& catalog;
  GpuModelLibrary kernels;
  Ledger ledger;
  ServiceResult out;
};

void add_smaller(ServiceResult& r) {
  const ServiceOption& o = r.chosen;
  ServingDemand demand{*o.server, r.scenario.serving->peak_rate()};
  r.answer.why_not_fewer = why_not_fewer(demand, o.needed);
  if (!r.answer.why_not_fewer || o.spares == 0) return;
  r.answer.why_not_fewer->why->parts.push_back(
      doc::Reason{"without_spares",
                  {{"spares", o.spares},
                   {"needed", o.needed},
                   {"reached", fleet_availability(o.needed, 0, o.down)},
                   {"with_spares", o.availability}}});
}

/// The answer at the ends of the 90 % interval of the model.
void add_interval(ServiceResult& r) {
  const ServiceOption& o = r.chosen;
  const Frequency peak = r.scenario.serving->peak_rate();
  const Frequency each = peak / o.needed / o.server->node().gpus;
  const double slower = std::exp(half_of_90_percent * o.server->log_sigma());
  const auto asked = [](const ServingResult& gpu) {
    return gpu.asked;
  };
  const ServiceTime answer = interval_of(*o.server, each, asked);
  r.slow_s = answer.high_s;
  r.fast_s = answer.low_s;
  for (ServiceSize& size : r.sizes) {
    const ServiceTime time = interval_of(*o.server, peak / size.nodes / o.server->node().gpus, asked);
    size.low_s = time.low_s;
    size.high_s = time.high_s;
  }
  if (o.server->tokens()) {
    r.first_token = interval_of(*o.server, each, [](const ServingResult& gpu) { return gpu.tokens->first; });
    r.token = interval_of(*o.server, each, [](const ServingResult& gpu) { return gpu.tokens->token; });
  }
  const ServiceSpec& service = *r.scenario.serving;
  const auto slow = day_of(o, service, slower), fast = day_of(o, service, 1 / slower);
  for (std::size_t hour = 0; hour < r.day.size(); ++hour) {
    r.day[hour].busy_low = fast[hour].gpu.utilisation;
    r.day[hour].busy_high = slow[hour].gpu.utilisation;
  }
  if (r.kind != "size") return;  // a number of nodes that is given has no interval
  constexpr int most = 100'000;
  constexpr double upper_end = 0.95, lower_end = 0.05;
  r.most = nodes_with_odds(*o.server, peak, most, upper_end);
  r.least = nodes_with_odds(*o.server, peak, most, lower_end);
}

/// The latency by the number of nodes, for the curve.
void add_sizes(ServiceResult& r) {
  const ServiceOption& o = r.chosen;
  const Frequency peak = r.scenario.serving->peak_rate();
  std::vector<int> nodes;
  for (const double factor : {0.7, 0.8, 0.9, 1.1, 1.25, 1.5, 2.0})
    nodes.push_back(std::max(1, static_cast<int>(std::lround(factor * o.needed))));
  for (const int n : {o.needed - 1, o.needed, o.needed + 1})
    if (n > 0) nodes.push_back(n);
  std::ranges::sort(nodes);
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  for (const int n : nodes)
    r.sizes.push_back({n, o.server->under(peak / n / o.server->node().gpus), std::nullopt, std::nullopt});
}

void note(Work& work) {
  const ServiceSpec& s = *work.out.scenario.serving;
  const ServiceOption& o = work.out.chosen;
  (void)ServiceNode{work.catalog,          work.kernels, work.out.scenario, o.cluster,
                    o.server->precision(), work.ledger,  o.server->known()};
  const auto add = [&](doc::Reason what, bool given, std::string usual) {
    work.ledger.note({std::move(what), given ? std::string{} : std::move(usual), given ? s.where.file : "",
                      given ? Trust::scenario : Trust::defaulted});
  };
  add(doc::Reason{"serving_precision", {{"precision", to_string(s.precision)}}}, !s.precision_is_default,
      "what inference servers of GPUs with 16-bit arithmetic use");
  add(doc::Reason{"daily_load", {{"peak", s.peak()}}}, s.hours_given,
      "one busy time a day (von Mises); only energy and mean use hang on its shape");
  add(doc::Reason{"random_arrivals"}, false,
      "each request goes to a GPU drawn at random; a balancer that knows the queues does better");
  if (const TokenServer* tokens = o.server->tokens()) {
    add(doc::Reason{"continuous_batches", {{"in_flight", tokens->most_in_flight()}}}, s.max_batch_given,
        "memory for keys and values, and what the server takes");
    add(doc::Reason{"equal_lengths"}, false, "a spread of lengths makes the tails longer");
    if (s.tokens->drafts > 0) {
      const Speculation guesses = speculation_of(s.tokens->drafts, s.tokens->acceptance);
      add(doc::Reason{"speculation",
                      {{"drafts", guesses.drafts},
                       {"acceptance", guesses.acceptance},
                       {"tokens_per_pass", guesses.tokens_per_pass()}}},
          s.tokens->acceptance.has_value(), "DeepSeek-V3 Technical Report, arXiv 2412.19437, section 5.4.3");
    }
    const ServerHabits habits = server_habits(s.framework, s.framework_version, &o.server->node().gpu);
    add(doc::Reason{"beside_queue", {{"way_s", habits.arriving.base()}, {"passes", habits.passes_waited}}},
        false, "fitted on served runs, by server (models/data/host/serving.json)");
  } else {
    add(doc::Reason{"waiting_batches", {{"batch", s.max_batch}}}, true, "");
  }
}

/// Everything of the answer that rests on the chosen option.
void finish(Work& work) {
  ServiceResult& r = work.out;
  const ServiceOption& o = r.chosen;
  const ServiceSpec& service = *r.scenario.serving;
  note(work);
  Answer& a = r.answer;
  a.feasible = o.feasible();
  a.nodes = o.nodes();
  a.gpus = o.nodes() * o.server->node().gpus;
  a.node = o.server->node().id;
  a.node_title = o.server->title();
  a.workload = service.model;
  a.rack_units = o.rack_units;
  if (const auto& rated = o.server->node().max_power) a.power_kw = (o.nodes() * rated->value).base() / 1000;
  if (o.site) {  // with switches and storage
    a.rack_units = o.site->plan.rack_units();
    a.power_kw = o.site->plan.nameplate().base() / 1000;
  }
  a.conflicts = o.conflicts;
  if (o.needed > 0) {
    const double gpus = o.server->node().gpus;
    r.at_peak = o.server->under(service.peak_rate() / o.needed / gpus);
    r.all_up = o.server->under(service.peak_rate() / o.nodes() / gpus);
    r.day = day_of(o, service);
    add_sizes(r);
    add_interval(r);
    r.in_time = odds_in_time(o, service);
  }
  a.binding_constraint = !a.feasible    ? to_string(a.conflicts.front().limit)
                         : o.needed > 1 ? std::string_view{o.binds}
                                        : constraint::one_node;
  if (!r.scenario.measured.empty() && o.server->refused().empty())
    r.measured = compare_service(work.catalog, work.kernels, r.scenario, o.cluster, *o.server);
  r.assumptions = work.ledger.assumptions();
  if (o.site) {
    const auto of_site = o.site->assumptions();
    r.assumptions.insert(r.assumptions.end(), of_site.begin(), of_site.end());
  }
  r.warnings = work.ledger.warnings();
}

/// Several limits that only together leave no answer.
void add_conflict_set(ServiceResult& r, const Catalog& catalog) {
  Answer& a = r.answer;
  a.conflicts = service_conflict_set(r.options, r.chosen, r.scenario, catalog);
  a.binding_constraint = to_string(a.conflicts.front().limit);
  if (a.conflicts.size() > 1) r.conflict_set = a.conflicts;
}

}  // namespace

ServiceResult size_service(const Scenario& asked, const Catalog& catalog, const RunControl& control) {
  Work work{asked, catalog};
  ServiceResult& r = work.out;
  r.kind = "size";
  const auto all = service_choices(catalog, r.scenario);
  const auto started = std::chrono::steady_clock::now();
  const std::function<bool()> over = [&] {
    const Duration spent{std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count()};
    return (control.cancelled && control.cancelled()) || spent > control.wall_clock;
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    ServiceOption option = service_option(catalog, work.kernels, r.scenario, all[i].first, all[i].second);
    solve(option, r.scenario, catalog);
    r.options.push_back(std::move(option));
    if (control.on_design) control.on_design(i + 1, all.size());
    r.partial = i + 1 < all.size() && over();
    if (r.partial) break;
  }
  if (!r.partial) check_precisions(r.options, r.scenario);
  r.chosen = best_option(r.options, r.scenario);
  finish(work);
  if (r.partial)
    r.warnings.push_back(doc::Reason{"options_left", {{"tried", r.options.size()}, {"options", all.size()}}});
  if (!r.answer.feasible && !r.partial && !over()) add_conflict_set(r, catalog);
  if (r.answer.feasible) {
    add_smaller(r);
    r.answer.changes = service_changes(r.chosen, r.scenario, catalog, work.kernels, over);
    if (!over()) r.confident = confident_fleet(r, catalog);
    if (!r.partial) r.relaxations = service_relaxations(r, catalog, work.kernels, over);
  }
  if (!r.partial && over()) {
    r.partial = true;
    r.warnings.emplace_back("changes_left");
  }
  return std::move(work.out);
}

ServiceResult simulate_service(const Scenario& asked, const Catalog& catalog) {
  Work work{asked, catalog};
  ServiceResult& r = work.out;
  r.kind = "simulate";
  const ServiceOption o = own_fleet(catalog, work.kernels, r.scenario);
  r.chosen = o;
  r.options.push_back(o);
  finish(work);
  return std::move(work.out);
}

void check_service_names(const Scenario& asked, const Catalog& catalog) {
  Work work{asked, catalog};
  std::vector<ServiceOption> options;
  for (const auto& [cluster, precision] : service_choices(catalog, work.out.scenario))
    options.push_back(service_option(catalog, work.kernels, work.out.scenario, cluster, precision));
  check_precisions(options, work.out.scenario);
  if (work.out.scenario.site) check_site_names(catalog, *work.out.scenario.site);
}

}  // namespace rackcast
