#pragma once
/// What the owner measured beside the model, in a result document.
#include "scenarios/document/form/figures.hpp"

namespace rackcast::doc {

struct Measured {
  std::string workload, node, metric, precision, source;
  std::int64_t nodes = 1, gpus = 1;
  std::optional<double> batch_per_gpu, requests;
  double measured = 0, spread = 0, deviation = 0;
  Prediction before, after;
  std::optional<double> moved;
  bool contradicts = false;
  std::vector<std::int64_t> conflicts;
};

template <>
struct Fields<Measured> {
  static constexpr std::string_view name = "measured";
  static constexpr std::string_view meaning =
      "A run that the owner of the scenario measured. All predictions of the document are conditioned on "
      "these "
      "rows.";
  static constexpr auto list = std::tuple{
      field("workload", &Measured::workload, "model").needed(),
      field("node", &Measured::node, "title"),
      field("nodes", &Measured::nodes),
      field("gpus", &Measured::gpus, "of all nodes"),
      field("batch_per_gpu", &Measured::batch_per_gpu),
      field("requests", &Measured::requests, "in flight on a copy of a network that serves").omitted(),
      field("precision", &Measured::precision),
      field("metric", &Measured::metric)
          .of("samples_per_s tokens_per_s step_time output_tokens_per_s time_per_output_token "
              "time_to_first_token"),
      field("measured", &Measured::measured, "in the unit of the predictions"),
      field("spread", &Measured::spread, "relative standard deviation of the measurement"),
      field("before", &Measured::before, "predicted without any measurement").unit(""),
      field("after", &Measured::after, "predicted with all measurements").unit(""),
      field(
          "deviation", &Measured::deviation,
          "of ln(measured) from ln(before), in standard deviations of the model and the measurement together")
          .signed_number(),
      field("contradicts", &Measured::contradicts,
            "the measurement lies outside of the 99 % predictive interval of the model"),
      field("conflicts", &Measured::conflicts,
            "rows, from 1, of the same run whose figures differ by more than both spreads explain (99 %)"),
      field(
          "moved", &Measured::moved,
          "change of the answer's time to train by this row beside the other rows: with it over without it, "
          "less 1. Of a fleet that serves, of the load that a node takes")
          .signed_number(),
  };
};

}  // namespace rackcast::doc
