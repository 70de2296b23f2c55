#include "scenarios/plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/site/racks.hpp"
#include "scenarios/describe.hpp"
#include "scenarios/plan/changed_limits.hpp"
#include "scenarios/plan/limit_text.hpp"
#include "scenarios/plan/pareto.hpp"
#include "scenarios/plan/plan_search.hpp"
#include "scenarios/site/site_plan.hpp"
#include "sim/quantity_text.hpp"

namespace rackcast {

namespace {

constexpr const char* kNothing = "nothing changes";
constexpr const char* kDoesNotBind = "nothing: it does not bind";
/// Less than this share of a time, an energy or a sum of money is no gain that counts.
constexpr double kCounts = 1e-3;
constexpr std::size_t kMostOptions = 64, kMostFront = 200;

class Planner {
 public:
  Planner(Evaluator& evaluator, PlanSearch& search, const Scenario& scenario, const RunControl& control,
          PlanReport& report)
      : evaluator_(evaluator), search_(search), scenario_(scenario), control_(control), report_(report) {}

  PlanCandidate candidate(const Judged& c) const;
  void choose(const Judged& c);
  void add_options();
  void add_front();
  void add_relaxations(const Judged& chosen);
  /// The candidate that breaks least of one of them: what the rest of the result then speaks of.
  std::optional<Judged> add_conflicts();

 private:
  [[nodiscard]] std::string storage_text(const StorageSpec& s) const {
    if (scenario_.search.storage.empty() || s.array == "none") return {};
    return fmt::format("{} x {}", s.count, s.array);
  }
  [[nodiscard]] std::vector<double> dimensions(const PlanCandidate& c) const;
  /// At which amount of the limit a simulated candidate is better, and what it saves.
  [[nodiscard]] std::string first_change(Limit limit, const Judged& chosen) const;
  [[nodiscard]] std::string gain(const PlanCandidate& from, const PlanCandidate& to) const;

  /// Of a limit that the hardware sets, in the answer's hardware; else as the scenario states it.
  [[nodiscard]] std::string amount(Limit limit, const Judged& chosen, double factor) const;
  void add_relaxation(Limit limit, const Judged& chosen);
  /// Searches with a tenth more of it.
  void add_relaxation(const ChangedLimit& limit, const Judged& chosen, bool ahead);
  void add_storage_rate(const Judged& chosen);
  [[nodiscard]] Question question_of(const Judged& chosen) const;

  Evaluator& evaluator_;
  PlanSearch& search_;
  const Scenario& scenario_;
  const RunControl& control_;
  PlanReport& report_;
};

PlanCandidate Planner::candidate(const Judged& c) const {
  const PlanSpace& space = search_.space();
  const Design& d = space.designs[c.design];
  PlanCandidate out;
  out.node = d.node.id;
  out.node_title = d.node.title;
  out.network = d.network;
  out.storage = storage_text(d.storage);
  out.nodes = c.nodes;
  out.gpus = c.gpus;
  out.gpus_per_job = d.sizes[c.size].gpus_per_job;
  for (std::size_t w = 0; w < c.variants.size(); ++w) {
    const WorkloadSpec& spec = space.variants[w][c.variants[w]];
    std::string framework = spec.framework;
    if (!spec.framework_version.empty()) framework += " " + spec.framework_version;
    out.workloads.push_back({spec.model, framework, spec.exchange, spec.batch_per_gpu, spec.precision});
  }
  out.time = Duration{c.time};
  out.rack_units = c.rack_units;
  out.nameplate = Power{c.nameplate};
  if (scenario_.site) {
    if (c.energy > 0) out.energy = Energy{c.energy};
    if (c.racks > 0) out.racks = static_cast<int>(std::lround(c.racks));
    if (scenario_.site->prices) {
      out.capex = Money{c.capex};
      out.total = Money{c.total};
      out.opex = Money{c.opex} / hours_of_year;
    }
  }
  for (const Limit limit : limits_of(c.breaks())) out.breaks.emplace_back(to_string(limit));
  return out;
}

std::string named(const PlanCandidate& c) {
  std::string out = fmt::format("{} x {}", c.nodes, c.node_title);
  if (!c.network.empty()) out += ", " + c.network;
  if (!c.storage.empty()) out += ", " + c.storage;
  return out;
}

/// What the objective counts, of a candidate.
std::string worth(Objective objective, const PlanCandidate& c) {
  switch (objective) {
    case Objective::lowest_cost:
      return c.total ? to_text(*c.total) : std::string{"no price"};
    case Objective::lowest_energy:
      return c.energy ? to_text(*c.energy) : std::string{"no power rating"};
    case Objective::fastest:
      return to_text(c.time);
    case Objective::fewest_nodes:
      break;
  }
  return count_of(c.nodes, "node");
}

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

void Planner::choose(const Judged& c) {
  report_.chosen = candidate(c);
  report_.statement = fmt::format("{}: {} ({}), the slowest workload in {}.",
                                  report_.objective == Objective::fewest_nodes    ? "Fewest nodes"
                                  : report_.objective == Objective::lowest_cost   ? "Lowest cost"
                                  : report_.objective == Objective::lowest_energy ? "Lowest energy"
                                                                                  : "Fastest",
                                  named(*report_.chosen), worth(report_.objective, *report_.chosen),
                                  to_text(report_.chosen->time));
  const auto smaller = search_.smaller(c);
  if (!smaller) {
    report_.smaller_statement = "There is no smaller size.";
    return;
  }
  report_.smaller = candidate(*smaller);
  const PlanCandidate& s = *report_.smaller;
  const std::string size = s.gpus_per_job ? count_of(s.gpus, "GPU") : count_of(s.nodes, "node");
  report_.smaller_statement =
      s.breaks.empty()
          ? fmt::format("{} would do too, but less well: {} against {}.", size, worth(report_.objective, s),
                        worth(report_.objective, *report_.chosen))
          : fmt::format("{} would take {} and break: {}.", size, to_text(s.time), joined(s.breaks));
}

void Planner::add_options() {
  const auto known = search_.simulated(PerLimit{1});
  const auto& designs = search_.space().designs;
  for (std::size_t d = 0; d < designs.size() && report_.options.size() < kMostOptions; ++d) {
    PlanOption option{{}, designs[d].node.title, designs[d].network, storage_text(designs[d].storage), {}};
    const Judged* best = nullptr;
    for (const Judged& c : known)
      if (c.design == d && (!best || rank(report_.objective, c) < rank(report_.objective, *best))) best = &c;
    if (best) {
      option.best = candidate(*best);
    } else {
      for (const Limit limit : limits_of(smallest_conflict(search_.conflicts(d))))
        option.conflict.emplace_back(to_string(limit));
    }
    report_.options.push_back(std::move(option));
  }
}

std::vector<double> Planner::dimensions(const PlanCandidate& c) const {
  std::vector<double> out{static_cast<double>(c.nodes), static_cast<double>(c.gpus), c.time.base()};
  if (scenario_.site && scenario_.site->prices) out.push_back(c.total ? c.total->base() : dropped);
  if (scenario_.site) out.push_back(c.energy ? c.energy->base() : dropped);
  return out;
}

void Planner::add_front() {
  PerLimit whenever{1};
  whenever[Limit::deadline] = dropped;
  std::vector<PlanCandidate> all;
  std::vector<std::vector<double>> points;
  for (const Judged& c : search_.simulated(whenever)) {
    all.push_back(candidate(c));
    points.push_back(dimensions(all.back()));
  }
  for (const std::size_t i : pareto_front(points)) report_.front.push_back(all[i]);
  std::ranges::stable_sort(report_.front, [](const PlanCandidate& a, const PlanCandidate& b) {
    return a.nodes != b.nodes ? a.nodes < b.nodes : a.time < b.time;
  });
  if (report_.front.size() > kMostFront) report_.front.resize(kMostFront);
}

std::string Planner::gain(const PlanCandidate& from, const PlanCandidate& to) const {
  std::vector<std::string> parts;
  const auto less = [&](double difference, const std::string& text) {
    if (difference != 0) parts.push_back(text + (difference > 0 ? " less" : " more"));
  };
  if (to.node_title != from.node_title || to.network != from.network || to.storage != from.storage) {
    parts.push_back(named(to));
  } else if (const int nodes = from.nodes - to.nodes; nodes != 0) {
    parts.push_back(fmt::format("{} {}", count_of(std::abs(nodes), "node"), nodes > 0 ? "fewer" : "more"));
  }
  if (from.racks && to.racks && *from.racks != *to.racks)
    parts.push_back(fmt::format("{} {}", count_of(std::abs(*from.racks - *to.racks), "rack"),
                                *from.racks > *to.racks ? "fewer" : "more"));
  if (from.total && to.total) {
    const Money saved = *from.total - *to.total;
    if (std::abs(saved / *from.total) > 1e-6)
      less(saved.base(), to_text(saved.base() > 0 ? saved : -1 * saved));
  }
  if (from.energy && to.energy) {
    const Energy saved = *from.energy - *to.energy;
    if (std::abs(saved / *from.energy) > 1e-3)
      less(saved.base(), to_text(saved.base() > 0 ? saved : -1 * saved));
  }
  if (std::abs(to.time / from.time - 1) > 1e-3)
    parts.push_back(to_text(to.time) + " instead of " + to_text(from.time));
  return parts.empty() ? std::string{kNothing} : joined(parts);
}

std::string Planner::first_change(Limit limit, const Judged& chosen) const {
  const Rank now = rank(report_.objective, chosen);
  PerLimit factors{1};
  factors[limit] = dropped;
  std::optional<Judged> first;
  for (Judged& c : search_.simulated(factors)) {
    const bool better = rank(report_.objective, c)[0] < now[0] * (1 - 1e-9);
    if (better && (!first || c.uses[limit] < first->uses[limit])) first = std::move(c);
  }
  if (!first) return {};
  const std::string before = first->design == chosen.design
                                 ? amount(limit, chosen, first->uses[limit])
                                 : amount_text(limit, scenario_, first->uses[limit]);
  return fmt::format(" before {}: {}", before, gain(*report_.chosen, candidate(*first)));
}

Question Planner::question_of(const Judged& chosen) const {
  const Scenario at = with_choice(scenario_, search_.space(), chosen.design, chosen.size, chosen.variants);
  return question(at, at.workloads.front());
}

std::string Planner::amount(Limit limit, const Judged& chosen, double factor) const {
  if (limit == Limit::gpu_memory)
    return to_text(factor * search_.space().designs[chosen.design].node.gpu_memory) + " of a GPU";
  if (limit == Limit::storage_capacity) {
    const auto capacity = evaluator_.storage_capacity(question_of(chosen));
    return capacity ? to_text(factor * *capacity) : "not known";
  }
  return amount_text(limit, scenario_, factor);
}

void Planner::add_relaxation(Limit limit, const Judged& chosen) {
  const Rank now = rank(report_.objective, chosen);
  PlanRelaxation r;
  r.limit = to_string(limit);
  r.now = amount(limit, chosen, 1);
  PerLimit factors{1};
  factors[limit] = tenth_more(limit, scenario_);
  r.relaxed = amount(limit, chosen, factors[limit]);
  if (chosen.uses[limit] > 0) r.used = chosen.uses[limit];
  if (limit == Limit::storage_capacity && !r.used) {
    r.statement = "no value: the catalogue does not say how much the storage holds";
    report_.relaxations.push_back(std::move(r));
    return;
  }
  PerLimit free{1};
  free[limit] = dropped;
  const auto without = search_.best(free);
  r.binds = without && rank(report_.objective, *without)[0] < now[0] * (1 - 1e-9);
  if (r.binds) {
    if (const auto relaxed = search_.best(factors)) r.answer = candidate(*relaxed);
  }
  r.statement = r.answer ? gain(*report_.chosen, *r.answer) : kDoesNotBind;
  if (r.binds && r.statement == kNothing) r.statement += first_change(limit, chosen);
  report_.relaxations.push_back(std::move(r));
}

void Planner::add_relaxation(const ChangedLimit& limit, const Judged& chosen, bool ahead) {
  RunControl quiet = control_;
  quiet.on_design = {};
  PlanSearch again{evaluator_, limit.scenario, quiet};
  again.explore(ahead);
  const auto best = again.best(PerLimit{1});
  PlanRelaxation r{limit.limit, limit.now, limit.relaxed, {}, false, {}, kDoesNotBind};
  if (best) {
    r.answer = Planner{evaluator_, again, limit.scenario, quiet, report_}.candidate(*best);
    const std::string changes = gain(*report_.chosen, *r.answer);
    const double now = rank(report_.objective, chosen)[0], then = rank(report_.objective, *best)[0];
    r.binds = then < now * (1 - kCounts) && changes != kNothing;
    if (changes != kNothing)
      r.statement = changes;
    else
      r.answer.reset();
  }
  report_.relaxations.push_back(std::move(r));
}

void Planner::add_storage_rate(const Judged& chosen) {
  const auto limit = storage_rate_limit(question_of(chosen).storage, scenario_, evaluator_.catalog());
  if (!limit) return;
  if (const double waits = search_.waits(); waits < kCounts) {
    report_.relaxations.push_back(
        {limit->limit,
         limit->now,
         limit->relaxed,
         {},
         false,
         {},
         fmt::format("{}; no candidate waits for it for more than {:.2g} % of its time", kDoesNotBind,
                     100 * waits)});
    return;
  }
  add_relaxation(*limit, chosen, true);
}

void Planner::add_relaxations(const Judged& chosen) {
  if (chosen.uses[Limit::max_nodes] >= 1) search_.explore_beyond();
  for (std::size_t i = 0; i < limit_count; ++i) {
    const auto limit = static_cast<Limit>(i);
    // What cannot be built has no amount, a device that fits no rack is a matter of the rack's limits below.
    if (limit == Limit::configuration || limit == Limit::rack || limit == Limit::price) continue;
    const bool unknown = limit == Limit::storage_capacity && question_of(chosen).storage.array != "none";
    if (chosen.uses[limit] > 0 || unknown) add_relaxation(limit, chosen);
  }
  add_storage_rate(chosen);
  if (scenario_.site) {
    const Question q = question_of(chosen);
    const SitePlan plan = site_plan(evaluator_.catalog(), *scenario_.site, evaluator_.cluster(q), q.storage);
    for (const ChangedLimit& limit : rack_limits(scenario_, plan.rack)) add_relaxation(limit, chosen, false);
  }
  if (const auto cap = gpu_cap_limit(scenario_)) add_relaxation(*cap, chosen, true);
}

std::optional<Judged> Planner::add_conflicts() {
  std::optional<Judged> nearest;
  search_.explore_beyond();
  const LimitMask set = smallest_conflict(search_.conflicts());
  const auto members = limits_of(set);
  std::vector<std::string> names;
  for (const Limit limit : members) {
    PlanConflict c;
    c.limit = to_string(limit);
    c.allowed = amount_text(limit, scenario_, 1);
    names.push_back(title_of(limit));
    PerLimit others{dropped};
    others[Limit::configuration] = 1;
    for (const Limit other : members) others[other] = other == limit ? dropped : 1;
    const auto least = search_.least(limit, others);
    if (least && std::isfinite(least->uses[limit])) {
      const PlanCandidate at = candidate(*least);
      if (!nearest || nearest->uses[Limit::deadline] > 1) nearest = least;  // rather one that is in time
      c.needed = amount_text(limit, scenario_, least->uses[limit]);
      c.statement = limit == Limit::availability
                        ? fmt::format("{} reaches {}; {} is asked.", named(at), c.needed, c.allowed)
                        : fmt::format("{} needs {}; {} is allowed.", named(at), c.needed, c.allowed);
    } else {
      c.statement = fmt::format("No candidate keeps it ({}).", title_of(limit));
    }
    PerLimit alone{1};
    alone[limit] = dropped;
    c.alone = limit != Limit::configuration && search_.best(alone).has_value();
    if (c.alone) c.statement += " Without this limit there is an answer.";
    report_.conflicts.push_back(std::move(c));
  }
  report_.statement =
      members.size() == 1
          ? fmt::format("No candidate keeps one limit: {}.", names.front())
          : fmt::format("No candidate keeps these {} limits together: {}. {}", members.size(), joined(names),
                        members.size() == 2 ? "Each of them can be kept without the other."
                                            : "All but any one of them can be kept.");
  return nearest;
}

}  // namespace

PlanReport make_plan(Evaluator& evaluator, const Scenario& scenario, const RunControl& control,
                     Scenario& chosen) {
  PlanReport report;
  report.objective = scenario.goal->objective;
  PlanSearch search{evaluator, scenario, control};
  Planner planner{evaluator, search, scenario, control, report};
  report.designs = search.space().designs.size();
  report.variants = scenario.search.variants();
  std::optional<Judged> best, nearest;
  try {
    search.explore();
    best = search.best(PerLimit{1});
    if (best) {
      planner.choose(*best);
      planner.add_relaxations(*best);
    } else {
      nearest = planner.add_conflicts();
    }
  } catch (const LimitReached&) {
    report.partial = true;
    if (!best) {
      best = search.best_known(PerLimit{1});
      if (best) report.chosen = planner.candidate(*best);
    }
  }
  planner.add_options();
  planner.add_front();
  if (report.partial) {
    report.statement =
        report.chosen ? fmt::format("Not finished: the best found by then is {} ({}).", named(*report.chosen),
                                    worth(report.objective, *report.chosen))
                      : std::string{"Not finished: nothing that keeps the limits had been found by then."};
  }
  const PlanSpace& space = search.space();
  if (best || nearest) {
    const Judged& at = best ? *best : *nearest;
    chosen = with_choice(scenario, space, at.design, at.size, at.variants);
  } else {  // what the rest of the result then speaks of
    const std::vector<std::size_t> first(scenario.workloads.size(), 0);
    chosen = with_choice(scenario, space, 0, space.designs.front().asked - 1, first);
  }
  report.judged = search.judged();
  report.simulated = search.points();
  for (const Refusal& r : search.refusals()) {
    const Design& d = space.designs[r.design];
    report.refused.push_back(
        fmt::format("{}{}{}: {}", d.node.title, d.network.empty() ? "" : ", ", d.network, r.error.message()));
  }
  return report;
}

}  // namespace rackcast
