#pragma once
/// Keys, units and meanings of the structs of scenarios/document/plan.hpp.
#include "scenarios/document/form/field.hpp"
#include "scenarios/document/plan.hpp"

namespace rackcast::doc {

template <>
struct Fields<PlanCandidate::Workload> {
  static constexpr std::string_view name = "plan_workload";
  static void each(const auto& visit) {
    visit(field("model", &PlanCandidate::Workload::model).needed());
    visit(field("batch_per_gpu", &PlanCandidate::Workload::batch_per_gpu).optional());
    visit(field("precision", &PlanCandidate::Workload::precision));
    visit(field("framework", &PlanCandidate::Workload::framework).omitted());
    visit(field("exchange", &PlanCandidate::Workload::exchange).omitted());
    visit(field("parallelism", &PlanCandidate::Workload::parallelism, "split over GPUs; absent: none")
              .omitted());
    visit(field("memory_bytes_per_gpu", &PlanCandidate::Workload::memory_bytes_per_gpu, "of a split network")
              .omitted());
  }
};

template <>
struct Fields<PlanCandidate> {
  static constexpr std::string_view name = "plan_candidate";
  static constexpr std::string_view meaning =
      "A cluster that was simulated. What the scenario does not let one compute is absent.";
  static void each(const auto& visit) {
    visit(field("node", &PlanCandidate::node));
    visit(field("node_title", &PlanCandidate::node_title).needed());
    visit(field("network", &PlanCandidate::network).omitted());
    visit(field("storage", &PlanCandidate::storage).omitted());
    visit(field("nodes", &PlanCandidate::nodes).from(1));
    visit(field("spares", &PlanCandidate::spares, "nodes bought beside them, for failed ones").optional());
    visit(field("gpus", &PlanCandidate::gpus).from(1));
    visit(field("gpus_per_job", &PlanCandidate::gpus_per_job).from(1).omitted());
    visit(field("time_s", &PlanCandidate::time_s,
                "of all workloads where they run one after another, else of the slowest; null: it serves, or "
                "cannot be built"));
    visit(field("time_low_s", &PlanCandidate::time_low_s,
                "90 % interval of time_s; of the Pareto front and of the confident plan")
              .omitted());
    visit(field("time_high_s", &PlanCandidate::time_high_s).omitted());
    visit(field("energy_j", &PlanCandidate::energy_j, "of training each workload once, cooling included")
              .omitted());
    visit(
        field("year.energy_j", &PlanCandidate::energy_j_per_year, "of serving, cooling included").omitted());
    visit(field("capex_usd", &PlanCandidate::capex_usd).omitted());
    visit(field("opex_usd_per_year", &PlanCandidate::opex_usd_per_year).omitted());
    visit(field("total_usd", &PlanCandidate::total_usd,
                "purchase, interest and operation over the years of depreciation")
              .omitted());
    visit(field("racks", &PlanCandidate::racks).omitted());
    visit(field("rack_units", &PlanCandidate::rack_units).omitted());
    visit(field("nameplate_w", &PlanCandidate::nameplate_w).omitted());
    visit(field("missing.prices", &PlanCandidate::no_price, "what sums leave out, because it has no price")
              .omitted());
    visit(field("missing.power", &PlanCandidate::no_power, "likewise: no power").omitted());
    visit(field("missing.units", &PlanCandidate::no_units, "likewise: no height in rack units").omitted());
    visit(field("breaks", &PlanCandidate::breaks, "limits that it does not keep"));
    visit(field("undecided", &PlanCandidate::undecided,
                "those among them that a sum with a missing part leaves open")
              .omitted());
    visit(field("workloads", &PlanCandidate::workloads));
  }
};

template <>
struct Fields<Plan::Option> {
  static constexpr std::string_view name = "plan_option";
  static void each(const auto& visit) {
    visit(field("node_title", &Plan::Option::node_title).needed());
    visit(field("network", &Plan::Option::network).omitted());
    visit(field("storage", &Plan::Option::storage).omitted());
    visit(field("best", &Plan::Option::best));
    visit(field("conflict", &Plan::Option::conflict, "limits that the design cannot keep together"));
  }
};

template <>
struct Fields<Plan::Relaxation::Later> {
  static constexpr std::string_view name = "later_change";
  static void each(const auto& visit) {
    visit(field("at", &Plan::Relaxation::Later::at, "the amount of the limit, with its unit"));
    visit(field("answer", &Plan::Relaxation::Later::answer));
  }
};

template <>
struct Fields<Plan::Relaxation> {
  static constexpr std::string_view name = "relaxation";
  static constexpr std::string_view meaning = "The answer with a tenth more of a limit.";
  static void each(const auto& visit) {
    visit(field("limit", &Plan::Relaxation::limit).needed());
    visit(field("now", &Plan::Relaxation::now));
    visit(field("relaxed", &Plan::Relaxation::relaxed));
    visit(field("used", &Plan::Relaxation::used,
                "share of the limit that the answer takes; absent where it is no sum")
              .omitted());
    visit(field("binds", &Plan::Relaxation::binds,
                "without it the objective gets better; with a tenth more, where it is no sum")
              .optional());
    visit(field("answer", &Plan::Relaxation::answer, "with a tenth more; null: as it is"));
    visit(field("later", &Plan::Relaxation::later, "the first change, where a tenth more is not enough")
              .omitted());
    visit(field("waits", &Plan::Relaxation::waits,
                "of storage that does not bind: the largest share of its time that a candidate waits for it")
              .omitted());
    visit(field("unknown", &Plan::Relaxation::unknown, "the catalogue does not say how much there is")
              .omitted());
  }
};

template <>
struct Fields<Plan::Conflict> {
  static constexpr std::string_view name = "plan_conflict";
  static void each(const auto& visit) {
    visit(field("limit", &Plan::Conflict::limit).needed());
    visit(field("allowed", &Plan::Conflict::allowed));
    visit(field("needed", &Plan::Conflict::needed, "the least that the other members leave"));
    visit(field("alone", &Plan::Conflict::alone, "without this limit the question has an answer").optional());
    visit(field("at", &Plan::Conflict::at, "the candidate that needs it").omitted());
    visit(field("missing", &Plan::Conflict::missing, "what has to be known before the limit can be decided")
              .omitted());
  }
};

template <>
struct Fields<Plan::Confident::Odds> {
  static constexpr std::string_view name = "odds_on_nodes";
  static void each(const auto& visit) {
    visit(field("nodes", &Plan::Confident::Odds::nodes).from(1));
    visit(field("spares", &Plan::Confident::Odds::spares, "nodes bought beside them").optional());
    visit(field("probability", &Plan::Confident::Odds::probability, "that everything is done in time")
              .up_to(1));
    visit(field("capex_usd", &Plan::Confident::Odds::capex_usd).omitted());
    visit(field("purchase_is_open", &Plan::Confident::Odds::purchase_is_open, "something has no price")
              .omitted());
    visit(field("breaks", &Plan::Confident::Odds::breaks, "limits that it does not keep, the deadline aside")
              .omitted());
  }
};

template <>
struct Fields<Plan::Confident> {
  static constexpr std::string_view name = "confident_plan";
  static constexpr std::string_view meaning =
      "The chosen design with the fewest nodes, from the answer on, that are in time with a probability of "
      "`aim`, by the error of the model alone. The limits are not asked: those that it breaks are named.";
  static void each(const auto& visit) {
    visit(field("aim", &Plan::Confident::aim, "0.9: what counts as safe").up_to(1));
    visit(field("probability", &Plan::Confident::probability,
                "that this plan is in time; absent: there is none")
              .up_to(1)
              .omitted());
    visit(field("most_nodes", &Plan::Confident::most_nodes, "no count up to this one is that sure")
              .from(1)
              .omitted());
    visit(field("at", &Plan::Confident::at, "absent: no count is that sure").omitted());
    visit(field("curve", &Plan::Confident::curve, "odds against nodes and money, ascending").omitted());
  }
};

template <>
struct Fields<Plan::WhatIf::Input> {
  static constexpr std::string_view name = "what_if_input";
  static void each(const auto& visit) {
    visit(field("path", &Plan::WhatIf::Input::path, "as --set takes it").needed());
    visit(field("values", &Plan::WhatIf::Input::values, "likewise"));
    visit(field("asked", &Plan::WhatIf::Input::asked, "which of them the scenario has, from 0"));
  }
};

template <>
struct Fields<Plan::WhatIf::Outcome> {
  static constexpr std::string_view name = "what_if_outcome";
  static void each(const auto& visit) {
    visit(field("answer", &Plan::WhatIf::Outcome::answer, "absent: there is none").omitted());
    visit(field("probability", &Plan::WhatIf::Outcome::probability,
                "that the answer is in time, by the error of the model alone")
              .up_to(1)
              .omitted());
    visit(field("conflict", &Plan::WhatIf::Outcome::conflict, "without an answer: limits that conflict")
              .omitted());
  }
};

template <>
struct Fields<Plan::WhatIf> {
  static constexpr std::string_view name = "what_if";
  static constexpr std::string_view meaning =
      "Answers to other settings, each searched with all limits, as `rackcast size --set` would.";
  static void each(const auto& visit) {
    visit(field("inputs", &Plan::WhatIf::inputs));
    visit(field("outcomes", &Plan::WhatIf::outcomes,
                "one for each combination of values; those of the last input follow one another"));
  }
};

template <>
struct Fields<Plan> {
  static constexpr std::string_view name = "plan";
  static constexpr std::string_view meaning =
      "The search: what was chosen by which objective, the Pareto front, what limits are worth, which "
      "conflict.";
  static void each(const auto& visit) {
    visit(field("objective", &Plan::objective).needed());
    visit(field("designs", &Plan::designs, "combinations of node type, network and storage").optional());
    visit(field("variants", &Plan::variants,
                "combinations of batch, precision, framework and exchange for each workload")
              .from(1)
              .optional());
    visit(field("judged", &Plan::judged, "designs times sizes that were judged").optional());
    visit(field("simulated", &Plan::simulated, "of them simulated; the others stand between two that were")
              .optional());
    visit(field("partial", &Plan::partial, "ended early: the best of what was known by then").omitted());
    visit(field("chosen", &Plan::chosen));
    visit(field("smaller", &Plan::smaller, "one step smaller than the choice"));
    visit(field("nearest", &Plan::nearest,
                "without an answer: the candidate whose figures the rest of the result gives")
              .omitted());
    visit(field("confident", &Plan::confident, "what more certainty takes; absent where nobody asked")
              .omitted());
    visit(field("what_if", &Plan::what_if, "absent where it was not computed").omitted());
    visit(field("options", &Plan::options,
                "the best of each design, or the limits that it cannot keep together"));
    visit(
        field("front", &Plan::front,
              "no one of them is better than another in nodes, GPUs, time, cost and energy, as far as these "
              "are known; "
              "whatever the deadline"));
    visit(
        field("relaxations", &Plan::relaxations,
              "of limits that are sums, and of those that act through what fits a rack, through the speed of "
              "the storage or "
              "through a cap of the GPUs"));
    visit(field(
        "conflict_set", &Plan::conflict_set,
        "the smallest set of limits that no candidate keeps together; all but any one of them can be kept"));
    visit(field("refused", &Plan::refused, "why a design could not be built"));
  }
};

}  // namespace rackcast::doc
