// What the members of a document have to keep among each other.
#include "scenarios/document/form/read.hpp"
#include "scenarios/document/plan.hpp"
#include "scenarios/document/training.hpp"

namespace rackcast::doc {

void check(const Answer& answer, const Json& json) {
  if (answer.feasible && !answer.nodes)
    json.require("nodes").fail("an answer has nodes", std::string{damaged_hint});
}

void check(const InputPath::Stage& stage, const Json& json) {
  if (stage.low.value_or(stage.samples_per_s) > stage.samples_per_s ||
      stage.high.value_or(stage.samples_per_s) < stage.samples_per_s)
    json.fail("an interval needs low <= value <= high", std::string{damaged_hint});
}

void check(const Evidence::Run& run, const Json& json) {
  if (run.speed_ratio.low <= 0)
    json.require("speed_ratio").fail("expected a ratio above zero", std::string{damaged_hint});
}

void check(const Plan::WhatIf& what_if, const Json& json) {
  std::size_t combinations = 1;
  for (const Plan::WhatIf::Input& input : what_if.inputs) {
    combinations *= input.values.size();
    if (input.asked < 0 || static_cast<std::size_t>(input.asked) >= input.values.size())
      json.require("inputs").fail("\"asked\" is the place of a value", std::string{damaged_hint});
  }
  if (combinations != what_if.outcomes.size())
    json.require("outcomes")
        .fail("expected an outcome for each combination of values", std::string{damaged_hint});
}

}  // namespace rackcast::doc
