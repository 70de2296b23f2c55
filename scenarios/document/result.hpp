#pragma once
/// The whole result document: "format": "rackcast-result" (whole.hpp writes and reads it).
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

}  // namespace rackcast::doc
