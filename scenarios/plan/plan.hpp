#pragma once
/// The planner's part of a result: what was searched, what was chosen, what else there is, what each limit is
/// worth, and which limits conflict. scenarios/document/plan.hpp is its form.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/format/search_spec.hpp"
#include "scenarios/limits/limits.hpp"
#include "scenarios/limits/missing_facts.hpp"
#include "sim/units/quantity.hpp"

namespace rackcast {

class Evaluator;
struct Question;
struct RunControl;
struct Scenario;

struct PlanWorkload {
  std::string model, framework, exchange;
  double batch_per_gpu = 0;
  Precision precision = Precision::fp32;
  std::string parallelism;           ///< split over GPUs, for people; empty: none
  std::optional<Bytes> memory = {};  ///< of one GPU, of a split network
};

/// Simulated, every one.
struct PlanCandidate {
  std::string node, node_title, network, storage;
  int nodes = 0, gpus = 0;
  std::optional<int> gpus_per_job;
  std::vector<PlanWorkload> workloads;
  /// Of all workloads one after another, or of the slowest on its own; infinite for a `smaller` that cannot
  /// be built.
  Duration time{0};
  std::optional<Duration> low, high;        ///< 90 % interval of `time`; of the front
  std::shared_ptr<const Question> slowest;  ///< what takes that time on this cluster; of the front
  std::optional<Energy> energy;             ///< of training each workload once, cooling included
  std::optional<Money> capex, total;
  std::optional<MoneyRate> opex;
  std::optional<int> racks;
  int spares = 0;                    ///< bought beside `nodes`, for failed ones
  std::optional<double> rack_units;  ///< nothing: the catalogue does not say
  std::optional<Power> nameplate;
  MissingFacts missing;             ///< what racks, power and money leave out
  std::vector<std::string> breaks;  ///< limits
};

/// What a limit is worth: the answer with a tenth more of it.
struct PlanRelaxation {
  std::string limit, now, relaxed;
  std::optional<double> used;  ///< share of it that the answer takes, where it is a sum
  /// Without it the objective gets better; with a tenth more, where it acts through what is packed or
  /// simulated.
  bool binds = false;
  std::optional<PlanCandidate> answer;
  std::string statement;
};

/// A member of the smallest set of limits that conflict.
struct PlanConflict {
  Limit limit = Limit::configuration;
  std::string allowed;
  std::string needed;  ///< least that the other members leave; empty: nothing would do
  bool alone = false;  ///< the question has an answer as soon as this limit goes
  std::string statement;
};

/// The best of one design, or what it breaks.
struct PlanOption {
  std::optional<PlanCandidate> best;
  std::string node_title, network, storage;
  std::vector<std::string> conflict;
};

struct PlanReport {
  Objective objective = Objective::fewest_nodes;
  std::string statement;
  std::size_t designs = 0, variants = 0, judged = 0, simulated = 0;
  std::optional<PlanCandidate> chosen;
  std::optional<PlanCandidate> smaller;  ///< one step smaller
  /// Without an answer: the candidate that the rest of the result then describes; nothing if none comes near.
  std::optional<PlanCandidate> nearest;
  std::string smaller_statement;
  std::vector<PlanOption> options;   ///< in the order of the search
  std::vector<PlanCandidate> front;  ///< whatever the deadline; ascending nodes, then time
  std::vector<PlanRelaxation> relaxations;
  std::vector<PlanConflict> conflicts;
  std::vector<std::string> refused;  ///< why a design could not be built
  bool partial = false;              ///< ended by a limit or an interruption: the best of what was known
};

/// Searches. `scenario` has a goal and no named clusters. Throws Error for unknown names, and where not one
/// candidate can be built. `chosen` becomes the scenario with the choice in the place of its own.
PlanReport make_plan(Evaluator& evaluator, const Scenario& scenario, const RunControl& control,
                     Scenario& chosen);

}  // namespace rackcast
