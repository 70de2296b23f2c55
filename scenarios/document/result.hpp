#pragma once
/// The whole result document: "format": "rackcast-result" (whole.hpp writes and reads it).
#include "scenarios/document/head.hpp"
#include "scenarios/document/measured.hpp"
#include "scenarios/document/plan.hpp"
#include "scenarios/document/serving.hpp"
#include "scenarios/document/site.hpp"
#include "scenarios/document/training.hpp"

namespace rackcast::doc {

struct Result {
  static constexpr std::string_view format_name = "rackcast-result";
  static constexpr std::int64_t current_version = 4;

  Head head;
  std::optional<double> deadline_s;
  std::optional<std::int64_t> max_nodes;
  bool partial = false;
  std::string workloads_run;
  std::vector<double> times_s;
  Answer answer;
  Performance performance;
  std::optional<Plan> plan;
  std::vector<WorkloadResult> workloads;
  std::optional<Serving> serving;
  std::vector<Alternative> alternatives;
  std::vector<Sensitivity> sensitivity;
  std::vector<MachineDrawing> drawings;
  std::optional<DataGrowth> growth;
  std::optional<Site> site;
  std::optional<LearningNeed> learning;
  std::vector<Measured> measured;
  std::vector<Assumption> assumptions;
  std::vector<Reason> warnings;
};

template <>
struct Fields<Result> {
  static constexpr std::string_view name = "result";
  static constexpr std::string_view meaning =
      "What rackcast size and rackcast simulate write with --json and what the reports are made of. A later "
      "program may add "
      "keys; a changed meaning gets a new version.";
  static constexpr auto list = std::tuple{
      field("", &Result::head),
      field("goal.deadline_s", &Result::deadline_s).omitted(),
      field("goal.max_nodes", &Result::max_nodes).omitted(),
      field("partial", &Result::partial,
            "a limit (--limit) ended the simulation: the document holds what was known by then. A figure "
            "whose low, value and "
            "high are equal then has no interval")
          .omitted(),
      field("premise.workloads_run", &Result::workloads_run,
            "how several workloads share the cluster and the deadline; absent of one")
          .of("one-after-another each-on-its-own")
          .omitted(),
      field("premise.times_s", &Result::times_s, "of each workload, on the cluster of the answer").omitted(),
      field("answer", &Result::answer,
            "for the cluster as a whole: what does for every workload. Its figures, and those of prediction, "
            "are of one "
            "cluster"),
      field("prediction", &Result::performance,
            "on the cluster of the answer: of all workloads where they run one after another (there is no "
            "common step and no "
            "common rate then), else of the slowest")
          .optional(),
      field("plan", &Result::plan).omitted(),
      field("workloads", &Result::workloads),
      field("serving", &Result::serving).omitted(),
      field("alternatives", &Result::alternatives,
            "of all workloads together, where they run one after another; else each workload has its own")
          .omitted(),
      field("sensitivity", &Result::sensitivity, "likewise").omitted(),
      field("drawings", &Result::drawings).omitted(),
      field("growth", &Result::growth).omitted(),
      field("site", &Result::site).omitted(),
      field("learning_curve", &Result::learning).omitted(),
      field("measured", &Result::measured, "what the owner measured, in the order of the scenario").omitted(),
      field("assumptions", &Result::assumptions),
      field("warnings", &Result::warnings),
  };
};

}  // namespace rackcast::doc
