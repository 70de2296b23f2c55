#pragma once
/// The search behind an answer, of a training or of a fleet that serves, in a result document.
#include "scenarios/document/form/field.hpp"

namespace rackcast::doc {

struct PlanCandidate {
  struct Workload {
    std::string model, precision, framework, exchange, parallelism;
    double batch_per_gpu = 0;
    std::optional<double> memory_bytes_per_gpu = {};
  };
  std::string node, node_title, network, storage;
  std::int64_t nodes = 0, gpus = 0, spares = 0;
  std::optional<std::int64_t> gpus_per_job, racks;
  std::optional<double> time_s, time_low_s, time_high_s;
  std::optional<double> energy_j, energy_j_per_year, capex_usd, opex_usd_per_year, total_usd, rack_units,
      nameplate_w;
  std::vector<std::string> no_price, no_power,
      no_units;  ///< what the sums leave out: then they are "at least"
  std::vector<std::string> breaks, undecided;
  std::vector<Workload> workloads;

  [[nodiscard]] bool purchase_is_open() const { return !no_price.empty() || !no_units.empty(); }
  [[nodiscard]] bool energy_is_open() const { return !no_power.empty(); }
  [[nodiscard]] bool cost_is_open() const { return purchase_is_open() || energy_is_open(); }
};

struct Plan {
  struct Option {
    std::string node_title, network, storage;
    std::optional<PlanCandidate> best;
    std::vector<std::string> conflict;
  };
  struct Relaxation {
    struct Later {
      std::string at;
      PlanCandidate answer;
    };
    std::string limit, now, relaxed;
    bool binds = false, unknown = false;
    std::optional<double> used = {}, waits = {};
    std::optional<PlanCandidate> answer = {};
    std::optional<Later> later = {};
  };
  struct Conflict {
    std::string limit, allowed, needed, missing;
    bool alone = false;
    std::optional<PlanCandidate> at = {};
  };
  /// The chosen design with as many nodes as are in time with the probability that is aimed at.
  struct Confident {
    /// The chosen design on other numbers of nodes.
    struct Odds {
      std::int64_t nodes = 0, spares = 0;
      double probability = 0;
      std::optional<double> capex_usd = {};
      bool purchase_is_open = false;
      std::vector<std::string> breaks = {};
    };
    double aim = 0;
    std::optional<double> probability = {};
    std::optional<std::int64_t> most_nodes = {};
    std::optional<PlanCandidate> at = {};
    std::vector<Odds> curve = {};
  };
  /// The answers to other settings of a few inputs, each searched as the question itself.
  struct WhatIf {
    struct Input {
      std::string path;
      std::vector<std::string> values;
      std::int64_t asked = 0;
    };
    struct Outcome {
      std::optional<PlanCandidate> answer = {};
      std::optional<double> probability = {};
      std::vector<std::string> conflict = {};
    };
    std::vector<Input> inputs;
    std::vector<Outcome> outcomes;
  };
  std::string objective;
  std::int64_t designs = 0, variants = 1, judged = 0, simulated = 0;
  bool partial = false;
  std::optional<PlanCandidate> chosen, smaller, nearest;
  std::optional<Confident> confident;
  std::optional<WhatIf> what_if;
  std::vector<Option> options;
  std::vector<PlanCandidate> front;
  std::vector<Relaxation> relaxations;
  std::vector<Conflict> conflict_set;
  std::vector<std::string> refused;
};

/// Throws Error unless there is an outcome for each combination of values, and each input has its own value.
void check(const Plan::WhatIf& what_if, const Json& json);

template <>
struct Fields<PlanCandidate::Workload> {
  static constexpr std::string_view name = "plan_workload";
  static constexpr auto list = std::tuple{
      field("model", &PlanCandidate::Workload::model).needed(),
      field("batch_per_gpu", &PlanCandidate::Workload::batch_per_gpu).optional(),
      field("precision", &PlanCandidate::Workload::precision),
      field("framework", &PlanCandidate::Workload::framework).omitted(),
      field("exchange", &PlanCandidate::Workload::exchange).omitted(),
      field("parallelism", &PlanCandidate::Workload::parallelism, "split over GPUs; absent: none").omitted(),
      field("memory_bytes_per_gpu", &PlanCandidate::Workload::memory_bytes_per_gpu, "of a split network")
          .omitted(),
  };
};
template <>
struct Fields<PlanCandidate> {
  static constexpr std::string_view name = "plan_candidate";
  static constexpr std::string_view meaning =
      "A cluster that was simulated. What the scenario does not let one compute is absent.";
  static constexpr auto list = std::tuple{
      field("node", &PlanCandidate::node),
      field("node_title", &PlanCandidate::node_title).needed(),
      field("network", &PlanCandidate::network).omitted(),
      field("storage", &PlanCandidate::storage).omitted(),
      field("nodes", &PlanCandidate::nodes).from(1),
      field("spares", &PlanCandidate::spares, "nodes bought beside them, for failed ones").optional(),
      field("gpus", &PlanCandidate::gpus).from(1),
      field("gpus_per_job", &PlanCandidate::gpus_per_job).from(1).omitted(),
      field("time_s", &PlanCandidate::time_s,
            "of all workloads where they run one after another, else of the slowest; null: it serves, or "
            "cannot be built"),
      field("time_low_s", &PlanCandidate::time_low_s,
            "90 % interval of time_s; of the Pareto front and of the confident plan")
          .omitted(),
      field("time_high_s", &PlanCandidate::time_high_s).omitted(),
      field("energy_j", &PlanCandidate::energy_j, "of training each workload once, cooling included")
          .omitted(),
      field("year.energy_j", &PlanCandidate::energy_j_per_year, "of serving, cooling included").omitted(),
      field("capex_usd", &PlanCandidate::capex_usd).omitted(),
      field("opex_usd_per_year", &PlanCandidate::opex_usd_per_year).omitted(),
      field("total_usd", &PlanCandidate::total_usd,
            "purchase, interest and operation over the years of depreciation")
          .omitted(),
      field("racks", &PlanCandidate::racks).omitted(),
      field("rack_units", &PlanCandidate::rack_units).omitted(),
      field("nameplate_w", &PlanCandidate::nameplate_w).omitted(),
      field("missing.prices", &PlanCandidate::no_price, "what sums leave out, because it has no price")
          .omitted(),
      field("missing.power", &PlanCandidate::no_power, "likewise: no power").omitted(),
      field("missing.units", &PlanCandidate::no_units, "likewise: no height in rack units").omitted(),
      field("breaks", &PlanCandidate::breaks, "limits that it does not keep"),
      field("undecided", &PlanCandidate::undecided,
            "those among them that a sum with a missing part leaves open")
          .omitted(),
      field("workloads", &PlanCandidate::workloads),
  };
};
template <>
struct Fields<Plan::Option> {
  static constexpr std::string_view name = "plan_option";
  static constexpr auto list = std::tuple{
      field("node_title", &Plan::Option::node_title).needed(),
      field("network", &Plan::Option::network).omitted(),
      field("storage", &Plan::Option::storage).omitted(),
      field("best", &Plan::Option::best),
      field("conflict", &Plan::Option::conflict, "limits that the design cannot keep together"),
  };
};
template <>
struct Fields<Plan::Relaxation::Later> {
  static constexpr std::string_view name = "later_change";
  static constexpr auto list = std::tuple{
      field("at", &Plan::Relaxation::Later::at, "the amount of the limit, with its unit"),
      field("answer", &Plan::Relaxation::Later::answer),
  };
};
template <>
struct Fields<Plan::Relaxation> {
  static constexpr std::string_view name = "relaxation";
  static constexpr std::string_view meaning = "The answer with a tenth more of a limit.";
  static constexpr auto list = std::tuple{
      field("limit", &Plan::Relaxation::limit).needed(),
      field("now", &Plan::Relaxation::now),
      field("relaxed", &Plan::Relaxation::relaxed),
      field("used", &Plan::Relaxation::used,
            "share of the limit that the answer takes; absent where it is no sum")
          .omitted(),
      field("binds", &Plan::Relaxation::binds,
            "without it the objective gets better; with a tenth more, where it is no sum")
          .optional(),
      field("answer", &Plan::Relaxation::answer, "with a tenth more; null: as it is"),
      field("later", &Plan::Relaxation::later, "the first change, where a tenth more is not enough")
          .omitted(),
      field("waits", &Plan::Relaxation::waits,
            "of storage that does not bind: the largest share of its time that a candidate waits for it")
          .omitted(),
      field("unknown", &Plan::Relaxation::unknown, "the catalogue does not say how much there is").omitted(),
  };
};
template <>
struct Fields<Plan::Conflict> {
  static constexpr std::string_view name = "plan_conflict";
  static constexpr auto list = std::tuple{
      field("limit", &Plan::Conflict::limit).needed(),
      field("allowed", &Plan::Conflict::allowed),
      field("needed", &Plan::Conflict::needed, "the least that the other members leave"),
      field("alone", &Plan::Conflict::alone, "without this limit the question has an answer").optional(),
      field("at", &Plan::Conflict::at, "the candidate that needs it").omitted(),
      field("missing", &Plan::Conflict::missing, "what has to be known before the limit can be decided")
          .omitted(),
  };
};
template <>
struct Fields<Plan::Confident::Odds> {
  static constexpr std::string_view name = "odds_on_nodes";
  static constexpr auto list = std::tuple{
      field("nodes", &Plan::Confident::Odds::nodes).from(1),
      field("spares", &Plan::Confident::Odds::spares, "nodes bought beside them").optional(),
      field("probability", &Plan::Confident::Odds::probability, "that everything is done in time").up_to(1),
      field("capex_usd", &Plan::Confident::Odds::capex_usd).omitted(),
      field("purchase_is_open", &Plan::Confident::Odds::purchase_is_open, "something has no price").omitted(),
      field("breaks", &Plan::Confident::Odds::breaks, "limits that it does not keep, the deadline aside")
          .omitted(),
  };
};
template <>
struct Fields<Plan::Confident> {
  static constexpr std::string_view name = "confident_plan";
  static constexpr std::string_view meaning =
      "The chosen design with the fewest nodes, from the answer on, that are in time with a probability of "
      "`aim`, by the error of the model alone. The limits are not asked: those that it breaks are named.";
  static constexpr auto list = std::tuple{
      field("aim", &Plan::Confident::aim, "0.9: what counts as safe").up_to(1),
      field("probability", &Plan::Confident::probability, "that this plan is in time; absent: there is none")
          .up_to(1)
          .omitted(),
      field("most_nodes", &Plan::Confident::most_nodes, "no count up to this one is that sure")
          .from(1)
          .omitted(),
      field("at", &Plan::Confident::at, "absent: no count is that sure").omitted(),
      field("curve", &Plan::Confident::curve, "odds against nodes and money, ascending").omitted(),
  };
};
template <>
struct Fields<Plan::WhatIf::Input> {
  static constexpr std::string_view name = "what_if_input";
  static constexpr auto list = std::tuple{
      field("path", &Plan::WhatIf::Input::path, "as --set takes it").needed(),
      field("values", &Plan::WhatIf::Input::values, "likewise"),
      field("asked", &Plan::WhatIf::Input::asked, "which of them the scenario has, from 0"),
  };
};
template <>
struct Fields<Plan::WhatIf::Outcome> {
  static constexpr std::string_view name = "what_if_outcome";
  static constexpr auto list = std::tuple{
      field("answer", &Plan::WhatIf::Outcome::answer, "absent: there is none").omitted(),
      field("probability", &Plan::WhatIf::Outcome::probability,
            "that the answer is in time, by the error of the model alone")
          .up_to(1)
          .omitted(),
      field("conflict", &Plan::WhatIf::Outcome::conflict, "without an answer: limits that conflict")
          .omitted(),
  };
};
template <>
struct Fields<Plan::WhatIf> {
  static constexpr std::string_view name = "what_if";
  static constexpr std::string_view meaning =
      "Answers to other settings, each searched with all limits, as `rackcast size --set` would.";
  static constexpr auto list = std::tuple{
      field("inputs", &Plan::WhatIf::inputs),
      field("outcomes", &Plan::WhatIf::outcomes,
            "one for each combination of values; those of the last input follow one another"),
  };
};
template <>
struct Fields<Plan> {
  static constexpr std::string_view name = "plan";
  static constexpr std::string_view meaning =
      "The search: what was chosen by which objective, the Pareto front, what limits are worth, which "
      "conflict.";
  static constexpr auto list = std::tuple{
      field("objective", &Plan::objective).needed(),
      field("designs", &Plan::designs, "combinations of node type, network and storage").optional(),
      field("variants", &Plan::variants,
            "combinations of batch, precision, framework and exchange for each workload")
          .from(1)
          .optional(),
      field("judged", &Plan::judged, "designs times sizes that were judged").optional(),
      field("simulated", &Plan::simulated, "of them simulated; the others stand between two that were")
          .optional(),
      field("partial", &Plan::partial, "ended early: the best of what was known by then").omitted(),
      field("chosen", &Plan::chosen),
      field("smaller", &Plan::smaller, "one step smaller than the choice"),
      field("nearest", &Plan::nearest,
            "without an answer: the candidate whose figures the rest of the result gives")
          .omitted(),
      field("confident", &Plan::confident, "what more certainty takes; absent where nobody asked").omitted(),
      field("what_if", &Plan::what_if, "absent where it was not computed").omitted(),
      field("options", &Plan::options, "the best of each design, or the limits that it cannot keep together"),
      field("front", &Plan::front,
            "no one of them is better than another in nodes, GPUs, time, cost and energy, as far as these "
            "are known; "
            "whatever the deadline"),
      field("relaxations", &Plan::relaxations,
            "of limits that are sums, and of those that act through what fits a rack, through the speed of "
            "the storage or "
            "through a cap of the GPUs"),
      field(
          "conflict_set", &Plan::conflict_set,
          "the smallest set of limits that no candidate keeps together; all but any one of them can be kept"),
      field("refused", &Plan::refused, "why a design could not be built"),
  };
};

/// What one candidate has less of than another. Nothing, or 0, where the difference does not count.
struct Difference {
  bool design = false;     ///< another node, network or storage, or where it serves another precision
  std::int64_t nodes = 0;  ///< of the same design
  std::int64_t racks = 0;
  std::optional<double> total_usd, energy_j, energy_j_per_year;
  bool time = false;

  [[nodiscard]] bool none() const {
    return !design && nodes == 0 && racks == 0 && !total_usd && !energy_j && !energy_j_per_year && !time;
  }
};
Difference difference(const PlanCandidate& from, const PlanCandidate& to);

}  // namespace rackcast::doc
