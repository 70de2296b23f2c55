/// What a tenth more of each limit of a fleet that serves is worth.
///
/// The latency and the availability decide how many nodes an option takes; with a tenth more of them every
/// option is solved again. Any other limit is worth something only where it is the one thing that an option
/// breaks.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "scenarios/limits/limits.hpp"
#include "scenarios/names/count_text.hpp"
#include "scenarios/plan/changed_limits.hpp"
#include "scenarios/plan/limit_text.hpp"
#include "scenarios/plan/relaxation.hpp"
#include "scenarios/serving/service_fleet.hpp"
#include "scenarios/serving/service_search.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast {

namespace {

constexpr double kTenth = 1.1;
constexpr double kAsIfNone = 1e3;  ///< a limit on times so much longer is as good as none

std::string share(double x) {
  return fmt::format("{:.6g} %", 100 * x);
}

class ServiceRelaxations final : public RelaxableSearch {
 public:
  ServiceRelaxations(const ServiceResult& result, const Catalog& catalog, const std::function<bool()>& over)
      : result_(result), catalog_(catalog), over_(over), chosen_(service_candidate(result.chosen, result)) {}

  void add(Limit limit, const Scenario& relaxed, std::string now, std::string then) {
    relaxed_ = &relaxed;
    doc::Plan::Relaxation row = relaxation(*this, chosen_, limit, std::move(now), std::move(then));
    if (over_()) return;  // not all options were asked
    out.push_back(std::move(row));
  }

  /// A limit that decides how many nodes it takes: every option is asked again.
  /// `without`: what they are without the limit, asked only where a tenth more of it changes nothing.
  void add(std::string limit, std::string now, std::string then, const std::vector<ServiceOption>& again,
           const std::function<std::vector<ServiceOption>()>& without = {}) {
    if (over_()) return;  // not all options were asked
    const ServiceOption* better = best_of(again);
    doc::Plan::Relaxation row = relaxation(chosen_, std::move(limit), std::move(now), std::move(then),
                                           candidate(better), better != nullptr);
    if (!row.binds && without) row.binds = best_of(without()) != nullptr;
    if (over_()) return;
    out.push_back(std::move(row));
  }

  bool binds(Limit limit) override {
    without_ = only_broken(limit);
    return best_of(without_) != nullptr;
  }
  std::optional<doc::PlanCandidate> with_more(Limit) override {
    const std::vector<ServiceOption> within = placed(without_, *relaxed_);
    return candidate(best_of(within));
  }
  std::optional<doc::Plan::Relaxation::Later> first_change(Limit) override {
    const ServiceOption& better = *best_of(without_);
    return doc::Plan::Relaxation::Later{better.conflicts.front().best, service_candidate(better, result_)};
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

  std::vector<doc::Plan::Relaxation> out;

 private:
  [[nodiscard]] std::optional<doc::PlanCandidate> candidate(const ServiceOption* option) const {
    return option ? std::optional{service_candidate(*option, result_)} : std::nullopt;
  }
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
      o.conflicts = {{limit, "", count_of(o.nodes(), "node"), {}}};
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
  doc::PlanCandidate chosen_;
  const Scenario* relaxed_ = nullptr;   ///< with a tenth more of the limit that is asked about
  std::vector<ServiceOption> without_;  ///< that keep everything but this limit
};

}  // namespace

doc::PlanCandidate service_candidate(const ServiceOption& o, const ServiceResult& result) {
  const ServiceSpec& service = *result.scenario.serving;
  doc::PlanCandidate out;
  out.node = o.server->node().id;
  out.node_title = o.server->title();
  out.nodes = o.nodes();
  out.gpus = o.nodes() * o.server->node().gpus;
  doc::PlanCandidate::Workload& row = out.workloads.emplace_back();
  row.model = service.model;
  row.precision = to_string(o.server->precision());
  row.batch_per_gpu = service.max_batch;
  out.rack_units = o.rack_units;
  out.nameplate_w = o.nameplate.base();
  const MissingFacts missing = o.missing();
  out.no_price = missing.prices;
  out.no_power = missing.power;
  out.no_units = missing.units;
  for (const Conflict& c : o.conflicts) out.breaks.emplace_back(to_string(c.limit));
  if (!o.site) return out;
  out.energy_j_per_year = o.site->power.facility_year.base();
  if (o.site->plan.packing) out.racks = static_cast<std::int64_t>(o.site->plan.packing->racks.size());
  if (const auto& cost = o.site->cost) {
    out.capex_usd = cost->own.capex.base();
    out.total_usd = cost->own.over_life(cost->utilisation).base();
  }
  return out;
}

std::vector<doc::Plan::Relaxation> service_relaxations(const ServiceResult& result, const Catalog& catalog,
                                                       const GpuModelLibrary& kernels,
                                                       const std::function<bool()>& over) {
  const Scenario& s = result.scenario;
  ServiceRelaxations all{result, catalog, over};
  const auto solved_again = [&](const Scenario& with) {
    std::vector<ServiceOption> out;
    for (const ServiceOption& o : result.options)
      if (!over())
        out.push_back(
            service_option(catalog, kernels, with, o.cluster, o.server->precision(), o.server->known()));
    return all.placed(out, with);
  };
  const auto longer = [&](const char* name, Duration now, auto apply) {
    const auto with = [&](double factor) {
      Scenario slower = s;
      apply(*slower.serving, factor * now);
      return solved_again(slower);
    };
    all.add(name, to_text(now), to_text(kTenth * now), with(kTenth), [&] { return with(kAsIfNone); });
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
    Scenario none = s;
    none.serving->availability = 0;
    all.add(std::string{to_string(Limit::availability)}, share(*s.serving->availability),
            share(*less.serving->availability), all.placed(result.options, less),
            [&] { return all.placed(result.options, none); });
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
                           return o.server->memory() > o.server->node().gpu.available_memory();
                         });
  Scenario larger = s;
  larger.serving->memory_factor = kTenth;
  const Bytes memory = result.chosen.server->node().gpu.available_memory();
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
