#include "scenarios/plan/plan_relaxations.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "models/site/rack_packing.hpp"
#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/names/count_text.hpp"
#include "scenarios/plan/changed_limits.hpp"
#include "scenarios/plan/limit_text.hpp"
#include "scenarios/plan/plan_candidate.hpp"
#include "scenarios/plan/relaxation.hpp"
#include "scenarios/site/site_plan.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast {

namespace {

/// Less than this share of the objective, or of a time, is no gain that counts.
constexpr double kCounts = 1e-3;

class Relaxations final : public RelaxableSearch {
 public:
  Relaxations(Evaluator& evaluator, PlanSearch& search, const Scenario& scenario, const RunControl& control,
              const Judged& chosen, std::vector<doc::Plan::Relaxation>& out)
      : evaluator_(evaluator),
        search_(search),
        scenario_(scenario),
        control_(control),
        objective_(scenario.goal->objective),
        chosen_(chosen),
        answer_(candidate(search, chosen)),
        out_(out) {}

  void add_all();
  bool binds(Limit limit) override;
  std::optional<doc::PlanCandidate> with_more(Limit limit) override;
  std::optional<doc::Plan::Relaxation::Later> first_change(Limit limit) override;

 private:
  void add(Limit limit);
  /// Searches with a tenth more of it.
  void add(const ChangedLimit& limit, bool ahead);
  void add_storage_rate();
  /// Of a limit that the hardware sets, in the answer's hardware; else as the scenario states it.
  [[nodiscard]] std::string amount(Limit limit, double factor) const;
  [[nodiscard]] Question question_of_answer() const;
  [[nodiscard]] doc::PlanCandidate candidate(const PlanSearch& of, const Judged& judged) const {
    return plan_candidate(evaluator_, scenario_, of.space(), judged);
  }

  Evaluator& evaluator_;
  PlanSearch& search_;
  const Scenario& scenario_;
  const RunControl& control_;
  Objective objective_;
  const Judged& chosen_;
  doc::PlanCandidate answer_;
  std::vector<doc::Plan::Relaxation>& out_;
};

bool Relaxations::binds(Limit limit) {
  PerLimit free{1};
  free[limit] = dropped;
  const auto without = search_.best(free);
  return without && better_by(1e-9, objective_, *without, chosen_);
}

std::optional<doc::PlanCandidate> Relaxations::with_more(Limit limit) {
  PerLimit factors{1};
  factors[limit] = tenth_more(limit, scenario_);
  const auto relaxed = search_.best(factors);
  return relaxed ? std::optional{candidate(search_, *relaxed)} : std::nullopt;
}

std::optional<doc::Plan::Relaxation::Later> Relaxations::first_change(Limit limit) {
  PerLimit factors{1};
  factors[limit] = dropped;
  std::optional<Judged> first;
  for (Judged& c : search_.simulated(factors)) {
    const bool better = better_by(1e-9, objective_, c, chosen_);
    if (better && (!first || c.uses[limit] < first->uses[limit])) first = std::move(c);
  }
  if (!first) return std::nullopt;
  return doc::Plan::Relaxation::Later{first->design == chosen_.design
                                          ? amount(limit, first->uses[limit])
                                          : amount_text(limit, scenario_, first->uses[limit]),
                                      candidate(search_, *first)};
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
  const std::string now = amount(limit, 1), relaxed = amount(limit, tenth_more(limit, scenario_));
  const double use = chosen_.uses[limit];
  if (limit == Limit::storage_capacity && use == 0) {
    out_.push_back({std::string{to_string(limit)}, now, relaxed});
    out_.back().unknown = true;
    return;
  }
  out_.push_back(relaxation(*this, answer_, limit, now, relaxed));
  if (use > 0) out_.back().used = use;
}

void Relaxations::add(const ChangedLimit& limit, bool ahead) {
  RunControl quiet = control_;
  quiet.on_design = {};
  PlanSearch again{evaluator_, limit.scenario, quiet};
  again.explore(ahead);
  const auto best = again.best(PerLimit{1});
  out_.push_back(relaxation(answer_, limit.limit, limit.now, limit.relaxed,
                            best ? std::optional{candidate(again, *best)} : std::nullopt,
                            best && better_by(kCounts, objective_, *best, chosen_)));
}

void Relaxations::add_storage_rate() {
  const auto limit = storage_rate_limit(question_of_answer().storage, scenario_, evaluator_.catalog());
  if (!limit) return;
  if (const double waits = search_.waits(); waits < kCounts) {
    out_.push_back({limit->limit, limit->now, limit->relaxed});
    out_.back().waits = waits;
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
                     const RunControl& control, const Judged& chosen,
                     std::vector<doc::Plan::Relaxation>& out) {
  Relaxations{evaluator, search, scenario, control, chosen, out}.add_all();
}

}  // namespace rackcast
