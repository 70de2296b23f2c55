#include "scenarios/plan/plan_relaxations.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "models/site/racks.hpp"
#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/names/count_text.hpp"
#include "scenarios/plan/changed_limits.hpp"
#include "scenarios/plan/limit_text.hpp"
#include "scenarios/plan/plan_candidate.hpp"
#include "scenarios/site/site_plan.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast {

namespace {

constexpr const char* kNothing = "nothing changes";
constexpr const char* kDoesNotBind = "nothing: it does not bind";
/// Less than this share of a time, an energy or the objective is no gain that counts.
constexpr double kCounts = 1e-3;

std::string gain(const PlanCandidate& from, const PlanCandidate& to) {
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
    if (std::abs(saved / *from.energy) > kCounts)
      less(saved.base(), to_text(saved.base() > 0 ? saved : -1 * saved));
  }
  if (std::abs(to.time / from.time - 1) > kCounts)
    parts.push_back(to_text(to.time) + " instead of " + to_text(from.time));
  return parts.empty() ? std::string{kNothing} : fmt::format("{}", fmt::join(parts, ", "));
}

class Relaxations {
 public:
  Relaxations(Evaluator& evaluator, PlanSearch& search, const Scenario& scenario, const RunControl& control,
              const Judged& chosen, std::vector<PlanRelaxation>& out)
      : evaluator_(evaluator),
        search_(search),
        scenario_(scenario),
        control_(control),
        objective_(scenario.goal->objective),
        chosen_(chosen),
        answer_(candidate(search, chosen)),
        out_(out) {}

  void add_all();

 private:
  void add(Limit limit);
  /// Searches with a tenth more of it.
  void add(const ChangedLimit& limit, bool ahead);
  void add_storage_rate();
  /// At which amount of the limit a simulated candidate is better, and what it saves.
  [[nodiscard]] std::string first_change(Limit limit) const;
  /// Of a limit that the hardware sets, in the answer's hardware; else as the scenario states it.
  [[nodiscard]] std::string amount(Limit limit, double factor) const;
  [[nodiscard]] Question question_of_answer() const;
  [[nodiscard]] PlanCandidate candidate(const PlanSearch& of, const Judged& judged) const {
    return plan_candidate(scenario_, of.space(), judged);
  }

  Evaluator& evaluator_;
  PlanSearch& search_;
  const Scenario& scenario_;
  const RunControl& control_;
  Objective objective_;
  const Judged& chosen_;
  PlanCandidate answer_;
  std::vector<PlanRelaxation>& out_;
};

std::string Relaxations::first_change(Limit limit) const {
  PerLimit factors{1};
  factors[limit] = dropped;
  std::optional<Judged> first;
  for (Judged& c : search_.simulated(factors)) {
    const bool better = better_by(1e-9, objective_, c, chosen_);
    if (better && (!first || c.uses[limit] < first->uses[limit])) first = std::move(c);
  }
  if (!first) return {};
  const std::string before = first->design == chosen_.design
                                 ? amount(limit, first->uses[limit])
                                 : amount_text(limit, scenario_, first->uses[limit]);
  return fmt::format(" before {}: {}", before, gain(answer_, candidate(search_, *first)));
}

Question Relaxations::question_of_answer() const {
  const Scenario at = with_choice(scenario_, search_.space(), chosen_.design, chosen_.size, chosen_.variants);
  return question(at, at.workloads.front());
}

std::string Relaxations::amount(Limit limit, double factor) const {
  if (limit == Limit::gpu_memory)
    return to_text(factor * search_.space().designs[chosen_.design].node.gpu_memory) + " of a GPU";
  if (limit == Limit::storage_capacity) {
    const auto capacity = evaluator_.storage_capacity(question_of_answer());
    return capacity ? to_text(factor * *capacity) : "not known";
  }
  return amount_text(limit, scenario_, factor);
}

void Relaxations::add(Limit limit) {
  PlanRelaxation r;
  r.limit = to_string(limit);
  r.now = amount(limit, 1);
  PerLimit factors{1};
  factors[limit] = tenth_more(limit, scenario_);
  r.relaxed = amount(limit, factors[limit]);
  if (chosen_.uses[limit] > 0) r.used = chosen_.uses[limit];
  if (limit == Limit::storage_capacity && !r.used) {
    r.statement = "no value: the catalogue does not say how much the storage holds";
    out_.push_back(std::move(r));
    return;
  }
  PerLimit free{1};
  free[limit] = dropped;
  const auto without = search_.best(free);
  r.binds = without && better_by(1e-9, objective_, *without, chosen_);
  if (r.binds) {
    if (const auto relaxed = search_.best(factors)) r.answer = candidate(search_, *relaxed);
  }
  r.statement = r.answer ? gain(answer_, *r.answer) : kDoesNotBind;
  if (r.binds && r.statement == kNothing) r.statement += first_change(limit);
  out_.push_back(std::move(r));
}

void Relaxations::add(const ChangedLimit& limit, bool ahead) {
  RunControl quiet = control_;
  quiet.on_design = {};
  PlanSearch again{evaluator_, limit.scenario, quiet};
  again.explore(ahead);
  const auto best = again.best(PerLimit{1});
  PlanRelaxation r{limit.limit, limit.now, limit.relaxed, {}, false, {}, kDoesNotBind};
  if (best) {
    r.answer = candidate(again, *best);
    const std::string changes = gain(answer_, *r.answer);
    r.binds = better_by(kCounts, objective_, *best, chosen_) && changes != kNothing;
    if (changes != kNothing)
      r.statement = changes;
    else
      r.answer.reset();
  }
  out_.push_back(std::move(r));
}

void Relaxations::add_storage_rate() {
  const auto limit = storage_rate_limit(question_of_answer().storage, scenario_, evaluator_.catalog());
  if (!limit) return;
  if (const double waits = search_.waits(); waits < kCounts) {
    out_.push_back({limit->limit,
                    limit->now,
                    limit->relaxed,
                    {},
                    false,
                    {},
                    fmt::format("{}; no candidate waits for it for more than {:.2g} % of its time",
                                kDoesNotBind, 100 * waits)});
    return;
  }
  add(*limit, true);
}

void Relaxations::add_all() {
  if (chosen_.uses[Limit::max_nodes] >= 1) search_.explore_beyond();
  for (std::size_t i = 0; i < limit_count; ++i) {
    const auto limit = static_cast<Limit>(i);
    // What cannot be built has no amount, a device that fits no rack is a matter of the rack's limits below.
    if (limit == Limit::configuration || limit == Limit::rack || limit == Limit::price ||
        limit == Limit::power_rating)
      continue;
    const bool unknown = limit == Limit::storage_capacity && question_of_answer().storage.array != "none";
    if (chosen_.uses[limit] > 0 || unknown) add(limit);
  }
  add_storage_rate();
  if (scenario_.site) {
    const Question q = question_of_answer();
    const SitePlan plan = site_plan(evaluator_.catalog(), *scenario_.site, evaluator_.bought(q),
                                    evaluator_.spares(q), q.storage);
    for (const ChangedLimit& limit : rack_limits(scenario_, plan)) add(limit, false);
  }
  if (const auto cap = gpu_cap_limit(scenario_)) add(*cap, true);
}

}  // namespace

void add_relaxations(Evaluator& evaluator, PlanSearch& search, const Scenario& scenario,
                     const RunControl& control, const Judged& chosen, std::vector<PlanRelaxation>& out) {
  Relaxations{evaluator, search, scenario, control, chosen, out}.add_all();
}

}  // namespace rackcast
