/// What a tenth more of each limit of a fleet that serves is worth.
///
/// The latency and the availability decide how many nodes an option takes; with a tenth more of them every
/// option is solved again. Any other limit is worth something only where it is the one thing that an option
/// breaks.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "scenarios/limits/limits.hpp"
#include "scenarios/names/count_text.hpp"
#include "scenarios/plan/changed_limits.hpp"
#include "scenarios/plan/limit_text.hpp"
#include "scenarios/serving/service_fleet.hpp"
#include "scenarios/serving/service_search.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast {

namespace {

constexpr double kTenth = 1.1;

std::string share(double x) {
  return fmt::format("{:.6g} %", 100 * x);
}

std::optional<Money> total_of(const ServiceOption& o) {
  if (!o.site || !o.site->cost) return std::nullopt;
  return o.site->cost->own.over_life(o.site->cost->utilisation);
}

std::string gain(const ServiceOption& from, const ServiceOption& to) {
  std::vector<std::string> parts;
  const bool other =
      to.server->title() != from.server->title() || to.server->precision() != from.server->precision();
  if (other)
    parts.push_back(
        fmt::format("{} x {} in {}", to.nodes(), to.server->title(), to_string(to.server->precision())));
  else if (const int fewer = from.nodes() - to.nodes(); fewer != 0)
    parts.push_back(fmt::format("{} {}", count_of(std::abs(fewer), "node"), fewer > 0 ? "fewer" : "more"));
  const auto before = total_of(from), after = total_of(to);
  if (before && after && std::abs(*after / *before - 1) > 1e-6)
    parts.push_back(*after < *before ? to_text(*before - *after) + " less in all"
                                     : to_text(*after - *before) + " more in all");
  if (from.site && to.site) {
    const Energy saved = from.site->power.facility_year - to.site->power.facility_year;
    if (std::abs(saved / from.site->power.facility_year) > 1e-3)
      parts.push_back(to_text(saved.base() > 0 ? saved : -1 * saved) +
                      (saved.base() > 0 ? " a year less" : " a year more"));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

class Relaxations {
 public:
  Relaxations(const ServiceResult& result, const Catalog& catalog, const std::function<bool()>& over)
      : result_(result), catalog_(catalog), over_(over) {}

  void add(Limit limit, Scenario relaxed, std::string now, std::string then) {
    ServiceRelaxation r{std::string{to_string(limit)}, std::move(now), std::move(then), false, {}};
    const std::vector<ServiceOption> without = only_broken(limit);
    const ServiceOption* better = best_of(without);
    r.binds = better != nullptr;
    if (better) {
      const std::vector<ServiceOption> within = placed(without, relaxed);
      if (const ServiceOption* found = best_of(within))
        r.statement = gain(result_.chosen, *found);
      else
        r.statement = fmt::format("nothing changes; {} would allow {}", better->conflicts.front().best,
                                  gain(result_.chosen, *better));
    } else {
      r.statement = "nothing: it does not bind";
    }
    if (over_()) return;  // not all options were asked
    out.push_back(std::move(r));
  }

  /// A limit that decides how many nodes it takes: every option is asked again.
  void add(std::string limit, std::string now, std::string then, const std::vector<ServiceOption>& again) {
    if (over_()) return;  // not all options were asked
    const ServiceOption* better = best_of(again);
    out.push_back({std::move(limit), std::move(now), std::move(then), better != nullptr,
                   better ? gain(result_.chosen, *better) : "a tenth more changes nothing"});
  }

  /// Those of the options that keep everything with the limits of `scenario`. `as_many`: these have no say in
  /// how many nodes the load takes.
  std::vector<ServiceOption> placed(const std::vector<ServiceOption>& options, const Scenario& scenario,
                                    bool as_many = false) const {
    std::vector<ServiceOption> found;
    for (const ServiceOption& o : options) {
      if (over_()) break;
      ServiceOption again;
      again.server = o.server;
      again.cluster = o.cluster;
      if (as_many && o.needed > 0) {
        again.needed = o.needed;
        complete(again, scenario, catalog_);
      } else {
        solve(again, scenario, catalog_);
      }
      if (again.feasible()) found.push_back(std::move(again));
    }
    return found;
  }

  std::vector<ServiceRelaxation> out;

 private:
  /// Options that keep everything but this limit. One that has not been solved, for want of nodes, is.
  std::vector<ServiceOption> only_broken(Limit limit) const {
    std::vector<ServiceOption> found;
    for (const ServiceOption& o : result_.options) {
      if (mask_of(o.conflicts) == bit(limit)) found.push_back(o);
    }
    if (limit != Limit::max_nodes) return found;
    Scenario free = result_.scenario;
    free.goal->max_nodes = 100'000;
    std::vector<ServiceOption> solved;
    for (ServiceOption& o : placed(found, free)) {
      o.conflicts = {{limit, "", count_of(o.nodes(), "node"), ""}};
      solved.push_back(std::move(o));
    }
    return solved;
  }

  /// The best, if the objective likes it better than the answer.
  const ServiceOption* best_of(const std::vector<ServiceOption>& options) const {
    const ServiceOption* best = nullptr;
    for (const ServiceOption& o : options)
      if (better_option(o, best ? *best : result_.chosen, result_.scenario)) best = &o;
    return best;
  }

  const ServiceResult& result_;
  const Catalog& catalog_;
  const std::function<bool()>& over_;
};

}  // namespace

std::vector<ServiceRelaxation> service_relaxations(const ServiceResult& result, const Catalog& catalog,
                                                   const GpuModelLibrary& kernels,
                                                   const std::function<bool()>& over) {
  const Scenario& s = result.scenario;
  Relaxations all{result, catalog, over};
  const auto solved_again = [&](const Scenario& with) {
    std::vector<ServiceOption> out;
    for (const ServiceOption& o : result.options)
      if (!over()) out.push_back(service_option(catalog, kernels, with, o.cluster, o.server->precision()));
    return all.placed(out, with);
  };
  const auto longer = [&](const char* name, Duration now, auto apply) {
    Scenario slower = s;
    apply(*slower.serving, kTenth * now);
    all.add(name, to_text(now), to_text(kTenth * now), solved_again(slower));
  };
  if (std::isfinite(s.serving->latency.base()))
    longer("latency", s.serving->latency, [](ServiceSpec& with, Duration limit) { with.latency = limit; });
  if (const auto& tokens = s.serving->tokens) {
    if (tokens->first)
      longer("time to the first token", *tokens->first,
             [](ServiceSpec& with, Duration limit) { with.tokens->first = limit; });
    if (tokens->token)
      longer("time per output token", *tokens->token,
             [](ServiceSpec& with, Duration limit) { with.tokens->token = limit; });
  }
  if (s.serving->availability) {
    Scenario less = s;
    less.serving->availability = 1 - kTenth * (1 - *s.serving->availability);
    all.add(std::string{to_string(Limit::availability)}, share(*s.serving->availability),
            share(*less.serving->availability), all.placed(result.options, less));
  }
  if (s.goal) {
    Scenario more = s;
    const double factor = tenth_more(Limit::max_nodes, s);
    more.goal->max_nodes = static_cast<int>(std::lround(factor * s.goal->max_nodes));
    all.add(Limit::max_nodes, more, amount_text(Limit::max_nodes, s, 1),
            amount_text(Limit::max_nodes, s, factor));
  }
  // More memory holds more requests of a language model at once, whether or not it bound before.
  const bool too_large = s.serving->tokens || std::ranges::any_of(result.options, [](const ServiceOption& o) {
                           return o.server->memory() > o.server->node().gpu.memory.value;
                         });
  Scenario larger = s;
  larger.serving->memory_factor = kTenth;
  const Bytes memory = result.chosen.server->node().gpu.memory.value;
  all.add(std::string{to_string(Limit::gpu_memory)}, to_text(memory) + " of a GPU",
          to_text(kTenth * memory) + " of a GPU",
          too_large ? solved_again(larger) : std::vector<ServiceOption>{});
  if (const auto cap = gpu_cap_limit(s))
    all.add(cap->limit, cap->now, cap->relaxed, solved_again(cap->scenario));
  if (s.site) {
    if (result.chosen.site)
      for (const ChangedLimit& rack : rack_limits(s, result.chosen.site->plan))
        all.add(rack.limit, rack.now, rack.relaxed, all.placed(result.options, rack.scenario, true));
    for (const Limit limit : {Limit::max_racks, Limit::rack_units, Limit::floor_area, Limit::site_power,
                              Limit::budget, Limit::opex_budget, Limit::total_budget})
      if (const auto more = with_more(s, limit))
        all.add(limit, *more, amount_text(limit, s, 1), amount_text(limit, s, tenth_more(limit, s)));
  }
  return std::move(all.out);
}

}  // namespace rackcast
