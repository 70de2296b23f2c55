#pragma once
/// Keys, units and meanings of the structs of scenarios/document/answer.hpp.
#include "scenarios/document/answer.hpp"
#include "scenarios/document/fields/figures.hpp"
#include "scenarios/document/form/reason_form.hpp"

namespace rackcast::doc {

template <>
struct Words<Assumption::Confidence> {
  static constexpr std::string_view list = "verified fit scenario default memory low";
};

template <>
struct Fields<Performance> {
  static constexpr std::string_view name = "performance";
  static constexpr std::string_view meaning = "What the chosen configuration does.";
  static void each(const auto& visit) {
    visit(field("time_to_train_s", &Performance::time_to_train));
    visit(field("samples_per_s", &Performance::samples_per_s));
    visit(field("scaling_efficiency", &Performance::scaling_efficiency, "of perfect scaling from one GPU"));
    visit(field("step_time_s", &Performance::step_time));
  }
};

template <>
struct Fields<Answer::WhyNotFewer> {
  static constexpr std::string_view name = "why_not_fewer";
  static void each(const auto& visit) {
    visit(field("nodes", &Answer::WhyNotFewer::nodes));
    visit(field("fails", &Answer::WhyNotFewer::fails, "the limit that fewer nodes miss"));
    visit(field("why", &Answer::WhyNotFewer::why, "what is not a matter of time").omitted());
    visit(field("workload", &Answer::WhyNotFewer::workload, "the model that needs most; absent: all, or one")
              .omitted());
    visit(field("time_to_train_s", &Answer::WhyNotFewer::time_to_train));
  }
};

template <>
struct Fields<Answer::KnownTime> {
  static constexpr std::string_view name = "known_time";
  static void each(const auto& visit) {
    visit(field("nodes", &Answer::KnownTime::nodes).from(1));
    visit(field("time_s", &Answer::KnownTime::time_s));
  }
};

template <>
struct Fields<Answer::Conflict> {
  static constexpr std::string_view name = "conflict";
  static void each(const auto& visit) {
    visit(field("constraint", &Answer::Conflict::constraint).needed());
    visit(field("required", &Answer::Conflict::required, "what is allowed or asked, with its unit"));
    visit(field("best", &Answer::Conflict::best,
                "the nearest value that can be reached, with its unit; empty: none can"));
    visit(field("why", &Answer::Conflict::why, "absent: the plan's conflict set says why").omitted());
  }
};

template <>
struct Fields<Answer::Change> {
  static constexpr std::string_view name = "change";
  static void each(const auto& visit) {
    visit(field("input", &Answer::Change::input).needed());
    visit(field("change", &Answer::Change::change).needed());
    visit(field("nodes", &Answer::Change::nodes, "the node count then; null: there is still no answer"));
    visit(field("probability", &Answer::Change::probability, "that the answer as it is meets the deadline")
              .up_to(1)
              .omitted());
    visit(field("most_nodes", &Answer::Change::most_nodes, "no count up to this one is enough")
              .from(1)
              .omitted());
    visit(field("less_memory", &Answer::Change::less_memory, "it takes less memory").omitted());
    visit(field("why", &Answer::Change::why, "there is no answer").omitted());
  }
};

template <>
struct Fields<Answer> {
  static constexpr std::string_view name = "answer";
  static void each(const auto& visit) {
    visit(field("feasible", &Answer::feasible));
    visit(field("nodes", &Answer::nodes,
                "without an answer: of the cluster that comes nearest; null: there is none")
              .from(1));
    visit(field("spares", &Answer::spares, "nodes bought beside them, for failed ones").optional());
    visit(field("node", &Answer::node, "name in the catalogue"));
    visit(field("node_title", &Answer::node_title, "name for people"));
    visit(field("gpus", &Answer::gpus, "that take part"));
    visit(field("gpus_in_nodes", &Answer::gpus_in_nodes, "of the nodes, where not all take part").omitted());
    visit(field("workload", &Answer::workload, "the model that takes longest on the cluster of the answer"));
    visit(field("binding_constraint", &Answer::binding_constraint,
                "the limit that sets the answer: \"deadline\""));
    visit(field("binds", &Answer::binds, "what binds the step of that workload there").omitted());
    visit(field("rack_units", &Answer::rack_units, "of the nodes alone, spares included"));
    visit(field("power_kw", &Answer::power_kw, "of the nodes alone, as rated"));
    visit(field("deadline_probability", &Answer::deadline_probability,
                "that everything is done in time, by the error of the model alone")
              .up_to(1)
              .omitted());
    visit(field("why_not_fewer", &Answer::why_not_fewer).omitted());
    visit(field("known_times", &Answer::known_times, "that were known when a limit ended the simulation")
              .omitted());
    visit(
        field("conflicts", &Answer::conflicts, "limits that cannot be met together; only without an answer"));
    visit(field("changes", &Answer::changes, "inputs that would change the answer, and to what"));
  }
};

template <>
struct Fields<Alternative> {
  static constexpr std::string_view name = "alternative";
  static void each(const auto& visit) {
    visit(field("node", &Alternative::node));
    visit(field("title", &Alternative::title).needed());
    visit(field("feasible", &Alternative::feasible));
    visit(field("nodes", &Alternative::nodes));
    visit(field("spares", &Alternative::spares, "nodes bought beside them, for failed ones").optional());
    visit(field("gpus", &Alternative::gpus));
    visit(field("time_to_train_s", &Alternative::time_to_train));
    visit(field("rack_units", &Alternative::rack_units));
    visit(field("power_kw", &Alternative::power_kw));
    visit(field("binding_constraint", &Alternative::binding_constraint));
    visit(field("why", &Alternative::why, "there is no answer").omitted());
  }
};

template <>
struct Fields<Sensitivity> {
  static constexpr std::string_view name = "sensitivity";
  static constexpr std::string_view meaning =
      "Time to train with one input at either end of its range, all other inputs as asked.";
  static void each(const auto& visit) {
    visit(field("input", &Sensitivity::input).needed());
    visit(field("kind", &Sensitivity::kind, "model: its 90 % interval; range: of the scenario")
              .of("model range"));
    visit(field("low_text", &Sensitivity::low_text, "the low end of the input"));
    visit(field("high_text", &Sensitivity::high_text));
    visit(field("low_s", &Sensitivity::low_s, "the time at the low end").above_zero());
    visit(field("high_s", &Sensitivity::high_s).above_zero());
  }
};

template <>
struct Fields<Assumption> {
  static constexpr std::string_view name = "assumption";
  static void each(const auto& visit) {
    visit(field("what", &Assumption::what, "what is taken for granted, and its value"));
    visit(field("source", &Assumption::source, "empty: the scenario, or what the values say"));
    visit(field("confidence", &Assumption::confidence));
    visit(field("where", &Assumption::where, "file:line:column"));
  }
};

}  // namespace rackcast::doc
