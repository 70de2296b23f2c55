#include "reports/load_evidence.hpp"

#include "reports/load_members.hpp"

namespace rackcast::reports {
namespace {

Evidence::Tally read_tally(const Json& owner, std::string_view key) {
  const Json* json = optional_member(owner, key);
  if (json == nullptr) {
    return {};
  }
  return {count(json->require("rows")), count(json->require("cases")), count(json->require("covered")),
          optional_amount(*json, "median_error").value_or(0)};
}

std::vector<std::string> read_words(const Json& json, std::string_view key) {
  return read_list(json, key, [](const Json& word) { return word.string(); });
}

Evidence::Run read_run(const Json& json) {
  Evidence::Run run;
  run.id = text_or_empty(json, "id");
  run.system = json.require("system").string();
  run.model = json.require("model").string();
  run.framework = title_or_key(json, "framework");
  run.framework_version = text_or_empty(json, "framework_version");
  run.precision = text_or_empty(json, "precision");
  run.data = text_or_empty(json, "data");
  run.metric = text_or_empty(json, "metric");
  run.source = text_or_empty(json, "source");
  run.batch_per_gpu = optional_amount(json, "batch_per_gpu");
  run.distance = optional_amount(json, "distance").value_or(0);
  run.measured = json.require("measured").number();
  run.predicted = read_prediction(json.require("predicted"));
  run.speed_ratio = read_prediction(json.require("speed_ratio"));
  if (run.speed_ratio.low <= 0) {
    json.require("speed_ratio").fail("expected a ratio above zero", std::string(damaged_hint));
  }
  run.same = read_words(json, "same");
  run.differs = read_words(json, "differs");
  const Json* assumed = optional_member(json, "system_assumed");
  run.system_assumed = assumed != nullptr && assumed->boolean();
  run.like = optional_count(json, "like").value_or(1);
  run.covered = optional_count(json, "covered").value_or(0);
  return run;
}

}  // namespace

Evidence read_evidence(const Json& json) {
  return {read_tally(json, "all"), read_tally(json, "same_architecture"), read_tally(json, "same_gpu"),
          read_list(json, "nearest", read_run)};
}

}  // namespace rackcast::reports
