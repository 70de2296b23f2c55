#pragma once
/// Keys, units and meanings of the structs of scenarios/document/result.hpp.
#include "scenarios/document/fields/head.hpp"
#include "scenarios/document/fields/measured.hpp"
#include "scenarios/document/fields/plan.hpp"
#include "scenarios/document/fields/serving.hpp"
#include "scenarios/document/fields/site.hpp"
#include "scenarios/document/fields/training.hpp"
#include "scenarios/document/result.hpp"

namespace rackcast::doc {

template <>
struct Fields<Result> {
  static constexpr std::string_view name = "result";
  static constexpr std::string_view meaning =
      "What rackcast size and rackcast simulate write with --json and what the reports are made of. A later "
      "program may add "
      "keys; a changed meaning gets a new version.";
  static void each(const auto& visit) {
    visit(field("", &Result::head));
    visit(field("goal.deadline_s", &Result::deadline_s).omitted());
    visit(field("goal.max_nodes", &Result::max_nodes).omitted());
    visit(field("partial", &Result::partial,
                "a limit (--limit) ended the simulation: the document holds what was known by then. A figure "
                "whose low, value and "
                "high are equal then has no interval")
              .omitted());
    visit(field("premise.workloads_run", &Result::workloads_run,
                "how several workloads share the cluster and the deadline; absent of one")
              .of("one-after-another each-on-its-own")
              .omitted());
    visit(field("premise.times_s", &Result::times_s, "of each workload, on the cluster of the answer")
              .omitted());
    visit(field(
        "answer", &Result::answer,
        "for the cluster as a whole: what does for every workload. Its figures, and those of prediction, "
        "are of one "
        "cluster"));
    visit(
        field("prediction", &Result::performance,
              "on the cluster of the answer: of all workloads where they run one after another (there is no "
              "common step and no "
              "common rate then), else of the slowest")
            .optional());
    visit(field("plan", &Result::plan).omitted());
    visit(field("workloads", &Result::workloads));
    visit(field("serving", &Result::serving).omitted());
    visit(field("alternatives", &Result::alternatives,
                "of all workloads together, where they run one after another; else each workload has its own")
              .omitted());
    visit(field("sensitivity", &Result::sensitivity, "likewise").omitted());
    visit(field("drawings", &Result::drawings).omitted());
    visit(field("growth", &Result::growth).omitted());
    visit(field("site", &Result::site).omitted());
    visit(field("learning_curve", &Result::learning).omitted());
    visit(field("measured", &Result::measured, "what the owner measured, in the order of the scenario")
              .omitted());
    visit(field("assumptions", &Result::assumptions));
    visit(field("warnings", &Result::warnings));
  }
};

}  // namespace rackcast::doc
