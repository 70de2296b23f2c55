#pragma once
/// Keys, units and meanings of the structs of scenarios/document/measured.hpp.
#include "scenarios/document/fields/figures.hpp"
#include "scenarios/document/measured.hpp"

namespace rackcast::doc {

template <>
struct Fields<Measured> {
  static constexpr std::string_view name = "measured";
  static constexpr std::string_view meaning =
      "A run that the owner of the scenario measured. All predictions of the document are conditioned on "
      "these "
      "rows.";
  static void each(const auto& visit) {
    visit(field("workload", &Measured::workload, "model").needed());
    visit(field("node", &Measured::node, "title"));
    visit(field("nodes", &Measured::nodes));
    visit(field("gpus", &Measured::gpus, "of all nodes"));
    visit(field("batch_per_gpu", &Measured::batch_per_gpu));
    visit(field("requests", &Measured::requests, "in flight on a copy of a network that serves").omitted());
    visit(field("precision", &Measured::precision));
    visit(field("metric", &Measured::metric)
              .of("samples_per_s tokens_per_s step_time output_tokens_per_s time_per_output_token "
                  "time_to_first_token"));
    visit(field("measured", &Measured::measured, "in the unit of the predictions"));
    visit(field("spread", &Measured::spread, "relative standard deviation of the measurement"));
    visit(field("before", &Measured::before, "predicted without any measurement").unit(""));
    visit(field("after", &Measured::after, "predicted with all measurements").unit(""));
    visit(field("deviation", &Measured::deviation,
                "of ln(measured) from ln(before), in standard deviations of the model and the measurement "
                "together")
              .signed_number());
    visit(field("contradicts", &Measured::contradicts,
                "the measurement lies outside of the 99 % predictive interval of the model"));
    visit(
        field("conflicts", &Measured::conflicts,
              "rows, from 1, of the same run whose figures differ by more than both spreads explain (99 %)"));
    visit(field("moved", &Measured::moved,
                "change of the answer's time to train by this row beside the other rows: with it over "
                "without it, "
                "less 1. Of a fleet that serves, of the load that a node takes")
              .signed_number());
  }
};

}  // namespace rackcast::doc
