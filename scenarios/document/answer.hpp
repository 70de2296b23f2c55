#pragma once
/// The answer of a result document, and what stands beside it.
#include "scenarios/document/form/figures.hpp"
#include "scenarios/document/form/reason.hpp"

namespace rackcast::doc {

/// What the chosen configuration does.
struct Performance {
  std::optional<Prediction> time_to_train, samples_per_s, scaling_efficiency, step_time;
};

struct Answer {
  struct WhyNotFewer {
    std::int64_t nodes = 0;
    std::string fails, workload;
    std::optional<Reason> why;
    std::optional<Prediction> time_to_train;
  };
  struct KnownTime {
    std::int64_t nodes = 0;
    double time_s = 0;
  };
  struct Conflict {
    std::string constraint, required, best;
    std::optional<Reason> why;
  };
  struct Change {
    std::string input, change;
    std::optional<Reason> why;
    std::optional<std::int64_t> nodes, most_nodes;
    std::optional<double> probability;
    bool less_memory = false;
  };

  bool feasible = false;
  std::optional<std::int64_t> nodes, gpus, gpus_in_nodes;
  std::int64_t spares = 0;
  std::string node, node_title, workload, binding_constraint, binds;
  std::optional<double> rack_units, power_kw, deadline_probability;
  std::optional<WhyNotFewer> why_not_fewer;
  std::vector<KnownTime> known_times;
  std::vector<Conflict> conflicts;
  std::vector<Change> changes;
};

struct Alternative {
  std::string node, title, binding_constraint;
  std::optional<Reason> why;
  bool feasible = false;
  std::optional<std::int64_t> nodes, gpus;
  std::int64_t spares = 0;
  std::optional<Prediction> time_to_train;
  std::optional<double> rack_units, power_kw;
};

struct Sensitivity {
  std::string input, kind, low_text, high_text;
  double low_s = 0, high_s = 0;
};

struct Assumption {
  enum class Confidence { verified, fit, scenario, defaulted, memory, low };
  Reason what;  ///< of the kinds that are assumptions
  std::string source, where;
  Confidence confidence = Confidence::memory;
};

/// Throws Error where an answer is feasible on no nodes.
void check(const Answer& answer, const Json& json);

template <>
struct Words<Assumption::Confidence> {
  static constexpr std::string_view list = "verified fit scenario default memory low";
};

template <>
struct Fields<Performance> {
  static constexpr std::string_view name = "performance";
  static constexpr std::string_view meaning = "What the chosen configuration does.";
  static constexpr auto list = std::tuple{
      field("time_to_train_s", &Performance::time_to_train),
      field("samples_per_s", &Performance::samples_per_s),
      field("scaling_efficiency", &Performance::scaling_efficiency, "of perfect scaling from one GPU"),
      field("step_time_s", &Performance::step_time),
  };
};
template <>
struct Fields<Answer::WhyNotFewer> {
  static constexpr std::string_view name = "why_not_fewer";
  static constexpr auto list = std::tuple{
      field("nodes", &Answer::WhyNotFewer::nodes),
      field("fails", &Answer::WhyNotFewer::fails, "the limit that fewer nodes miss"),
      field("why", &Answer::WhyNotFewer::why, "what is not a matter of time").omitted(),
      field("workload", &Answer::WhyNotFewer::workload, "the model that needs most; absent: all, or one")
          .omitted(),
      field("time_to_train_s", &Answer::WhyNotFewer::time_to_train),
  };
};
template <>
struct Fields<Answer::KnownTime> {
  static constexpr std::string_view name = "known_time";
  static constexpr auto list = std::tuple{
      field("nodes", &Answer::KnownTime::nodes).from(1),
      field("time_s", &Answer::KnownTime::time_s),
  };
};
template <>
struct Fields<Answer::Conflict> {
  static constexpr std::string_view name = "conflict";
  static constexpr auto list = std::tuple{
      field("constraint", &Answer::Conflict::constraint).needed(),
      field("required", &Answer::Conflict::required, "what is allowed or asked, with its unit"),
      field("best", &Answer::Conflict::best,
            "the nearest value that can be reached, with its unit; empty: none can"),
      field("why", &Answer::Conflict::why, "absent: the plan's conflict set says why").omitted(),
  };
};
template <>
struct Fields<Answer::Change> {
  static constexpr std::string_view name = "change";
  static constexpr auto list = std::tuple{
      field("input", &Answer::Change::input).needed(),
      field("change", &Answer::Change::change).needed(),
      field("nodes", &Answer::Change::nodes, "the node count then; null: there is still no answer"),
      field("probability", &Answer::Change::probability, "that the answer as it is meets the deadline")
          .up_to(1)
          .omitted(),
      field("most_nodes", &Answer::Change::most_nodes, "no count up to this one is enough").from(1).omitted(),
      field("less_memory", &Answer::Change::less_memory, "it takes less memory").omitted(),
      field("why", &Answer::Change::why, "there is no answer").omitted(),
  };
};
template <>
struct Fields<Answer> {
  static constexpr std::string_view name = "answer";
  static constexpr auto list = std::tuple{
      field("feasible", &Answer::feasible),
      field("nodes", &Answer::nodes,
            "without an answer: of the cluster that comes nearest; null: there is none")
          .from(1),
      field("spares", &Answer::spares, "nodes bought beside them, for failed ones").optional(),
      field("node", &Answer::node, "name in the catalogue"),
      field("node_title", &Answer::node_title, "name for people"),
      field("gpus", &Answer::gpus, "that take part"),
      field("gpus_in_nodes", &Answer::gpus_in_nodes, "of the nodes, where not all take part").omitted(),
      field("workload", &Answer::workload, "the model that takes longest on the cluster of the answer"),
      field("binding_constraint", &Answer::binding_constraint,
            "the limit that sets the answer: \"deadline\""),
      field("binds", &Answer::binds, "what binds the step of that workload there").omitted(),
      field("rack_units", &Answer::rack_units, "of the nodes alone, spares included"),
      field("power_kw", &Answer::power_kw, "of the nodes alone, as rated"),
      field("deadline_probability", &Answer::deadline_probability,
            "that everything is done in time, by the error of the model alone")
          .up_to(1)
          .omitted(),
      field("why_not_fewer", &Answer::why_not_fewer).omitted(),
      field("known_times", &Answer::known_times, "that were known when a limit ended the simulation")
          .omitted(),
      field("conflicts", &Answer::conflicts, "limits that cannot be met together; only without an answer"),
      field("changes", &Answer::changes, "inputs that would change the answer, and to what"),
  };
};
template <>
struct Fields<Alternative> {
  static constexpr std::string_view name = "alternative";
  static constexpr auto list = std::tuple{
      field("node", &Alternative::node),
      field("title", &Alternative::title).needed(),
      field("feasible", &Alternative::feasible),
      field("nodes", &Alternative::nodes),
      field("spares", &Alternative::spares, "nodes bought beside them, for failed ones").optional(),
      field("gpus", &Alternative::gpus),
      field("time_to_train_s", &Alternative::time_to_train),
      field("rack_units", &Alternative::rack_units),
      field("power_kw", &Alternative::power_kw),
      field("binding_constraint", &Alternative::binding_constraint),
      field("why", &Alternative::why, "there is no answer").omitted(),
  };
};
template <>
struct Fields<Sensitivity> {
  static constexpr std::string_view name = "sensitivity";
  static constexpr std::string_view meaning =
      "Time to train with one input at either end of its range, all other inputs as asked.";
  static constexpr auto list = std::tuple{
      field("input", &Sensitivity::input).needed(),
      field("kind", &Sensitivity::kind, "model: its 90 % interval; range: of the scenario").of("model range"),
      field("low_text", &Sensitivity::low_text, "the low end of the input"),
      field("high_text", &Sensitivity::high_text),
      field("low_s", &Sensitivity::low_s, "the time at the low end").above_zero(),
      field("high_s", &Sensitivity::high_s).above_zero(),
  };
};
template <>
struct Fields<Assumption> {
  static constexpr std::string_view name = "assumption";
  static constexpr auto list = std::tuple{
      field("what", &Assumption::what, "what is taken for granted, and its value"),
      field("source", &Assumption::source, "empty: the scenario, or what the values say"),
      field("confidence", &Assumption::confidence),
      field("where", &Assumption::where, "file:line:column"),
  };
};

}  // namespace rackcast::doc
