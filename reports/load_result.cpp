#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "reports/format.hpp"
#include "reports/load_drawings.hpp"
#include "reports/load_evidence.hpp"
#include "reports/load_input.hpp"
#include "reports/load_members.hpp"
#include "reports/load_plan.hpp"
#include "reports/load_reliability.hpp"
#include "reports/load_serving.hpp"
#include "reports/load_site.hpp"
#include "reports/result.hpp"
#include "sim/json_reader.hpp"

namespace rackcast::reports {
namespace {

constexpr std::int64_t supported_version = 1;
constexpr std::array<std::string_view, 6> confidence_names{"verified", "fit",    "scenario",
                                                           "default",  "memory", "low"};

Performance read_performance(const Json& owner) {
  const Json* json = optional_member(owner, "prediction");
  if (json == nullptr) {
    return {};
  }
  return {
      optional_prediction(*json, "time_to_train_s", "s"), optional_prediction(*json, "samples_per_s", "1/s"),
      optional_prediction(*json, "scaling_efficiency", "1"), optional_prediction(*json, "step_time_s", "s")};
}

Answer::WhyNotFewer read_why_not_fewer(const Json& json) {
  return {count(json.require("nodes")), text_or_empty(json, "fails"), text_or_empty(json, "statement"),
          optional_prediction(json, "time_to_train_s", "s")};
}

Answer::Conflict read_conflict(const Json& json) {
  return {json.require("constraint").string(), text_or_empty(json, "required"), text_or_empty(json, "best"),
          text_or_empty(json, "statement")};
}

Answer::Change read_change(const Json& json) {
  return {json.require("input").string(), json.require("change").string(), text_or_empty(json, "statement"),
          optional_count(json, "nodes")};
}

Answer read_answer(const Json& json) {
  Answer answer;
  answer.feasible = json.require("feasible").boolean();
  answer.nodes = answer.feasible ? count(json.require("nodes")) : optional_count(json, "nodes");
  answer.gpus = optional_count(json, "gpus");
  answer.spares = optional_count(json, "spares").value_or(0);
  answer.node = text_or_empty(json, "node");
  answer.node_title = text_or_empty(json, "node_title");
  answer.workload = text_or_empty(json, "workload");
  answer.binding_constraint = text_or_empty(json, "binding_constraint");
  answer.statement = text_or_empty(json, "statement");
  answer.rack_units = optional_amount(json, "rack_units");
  answer.power_kw = optional_amount(json, "power_kw");
  answer.deadline_probability = optional_amount(json, "deadline_probability");
  if (const Json* why = optional_member(json, "why_not_fewer")) {
    answer.why_not_fewer = read_why_not_fewer(*why);
  }
  answer.conflicts = read_list(json, "conflicts", read_conflict);
  answer.changes = read_list(json, "changes", read_change);
  return answer;
}

LadderRung read_rung(const Json& json) {
  return {json.require("label").string(), text_or_empty(json, "unit"), json.require("text").string(),
          text_or_empty(json, "how"), optional_number(json, "value")};
}

StepBreakdown read_step(const Json& json) {
  StepBreakdown step;
  step.parts = read_list(json, "parts", [](const Json& part) {
    const Json& seconds = part.require("seconds");
    if (seconds.number() < 0) {
      seconds.fail("a part of a step cannot take less than no time", std::string(damaged_hint));
    }
    return StepBreakdown::Part{part.require("name").string(), seconds.number()};
  });
  step.total_s = optional_amount(json, "total_s").value_or(0);
  step.binds = text_or_empty(json, "binds");
  step.statement = text_or_empty(json, "statement");
  return step;
}

ScalingPoint read_scaling_point(const Json& json) {
  return {count(json.require("nodes")),
          count(json.require("gpus")),
          optional_prediction(json, "samples_per_s", "1/s"),
          optional_prediction(json, "time_to_train_s", "s"),
          optional_amount(json, "efficiency"),
          text_or_empty(json, "binds")};
}

PublishedComparison read_published(const Json& json) {
  return {json.require("label").string(),       text_or_empty(json, "published_text"),
          text_or_empty(json, "source"),        text_or_empty(json, "note"),
          json.require("published_s").number(), optional_prediction(json, "predicted_s", "s"),
          optional_amount(json, "ratio"),       optional_amount(json, "perfect_s")};
}

Alternative read_alternative(const Json& json) {
  Alternative alternative;
  alternative.node = text_or_empty(json, "node");
  alternative.title = json.require("title").string();
  alternative.binding_constraint = text_or_empty(json, "binding_constraint");
  alternative.statement = text_or_empty(json, "statement");
  alternative.feasible = json.require("feasible").boolean();
  alternative.nodes = optional_count(json, "nodes");
  alternative.gpus = optional_count(json, "gpus");
  alternative.spares = optional_count(json, "spares").value_or(0);
  alternative.time_to_train = optional_prediction(json, "time_to_train_s", "s");
  alternative.rack_units = optional_amount(json, "rack_units");
  alternative.power_kw = optional_amount(json, "power_kw");
  return alternative;
}

Sensitivity read_sensitivity(const Json& json) {
  const auto time = [&json](std::string_view key) {
    const Json& seconds = json.require(key);
    if (seconds.number() <= 0) seconds.fail("a training takes some time", std::string(damaged_hint));
    return seconds.number();
  };
  return {json.require("input").string(),
          text_or_empty(json, "kind"),
          text_or_empty(json, "low_text"),
          text_or_empty(json, "high_text"),
          time("low_s"),
          time("high_s")};
}

Utilisation read_utilisation(const Json& json) {
  return {optional_prediction(json, "tokens_per_s", "1/s"),
          optional_prediction(json, "tokens_per_s_per_gpu", "1/s"), optional_prediction(json, "mfu", "1"),
          optional_prediction(json, "hfu", "1")};
}

WorkloadResult read_workload(const Json& json) {
  WorkloadResult workload;
  workload.parallelism = text_or_empty(json, "parallelism");
  workload.memory_bytes_per_gpu = optional_amount(json, "memory_bytes_per_gpu");
  if (const Json* utilisation = optional_member(json, "utilisation")) {
    workload.utilisation = read_utilisation(*utilisation);
  }
  workload.model = json.require("model").string();
  workload.title = text_or_empty(json, "title");
  workload.title = workload.title.empty() ? workload.model : workload.title;
  workload.precision = text_or_empty(json, "precision");
  workload.parameters = optional_amount(json, "parameters");
  workload.forward_flop_per_sample = optional_amount(json, "forward_flop_per_sample");
  workload.samples = optional_amount(json, "samples");
  workload.epochs = optional_amount(json, "epochs");
  workload.batch_per_gpu = optional_amount(json, "batch_per_gpu");
  workload.global_batch = optional_amount(json, "global_batch");
  workload.steps = optional_amount(json, "steps");
  workload.answer = read_answer(json.require("answer"));
  workload.performance = read_performance(json);
  workload.ladder = read_list(json, "ladder", read_rung);
  if (const Json* step = optional_member(json, "step")) {
    workload.step = read_step(*step);
  }
  if (const Json* input = optional_member(json, "input")) {
    workload.input = read_input_path(*input);
  }
  if (const Json* reliability = optional_member(json, "reliability")) {
    workload.reliability = read_reliability(*reliability);
  }
  workload.scaling = read_list(json, "scaling", read_scaling_point);
  workload.published = read_list(json, "published", read_published);
  if (const Json* evidence = optional_member(json, "evidence")) {
    workload.evidence = read_evidence(*evidence);
  }
  if (const Json* timeline = optional_member(json, "timeline")) {
    workload.timeline = read_timeline(*timeline);
  }
  workload.alternatives = read_list(json, "alternatives", read_alternative);
  workload.sensitivity = read_list(json, "sensitivity", read_sensitivity);
  return workload;
}

Assumption read_assumption(const Json& json) {
  const Json& confidence = json.require("confidence");
  const auto* name = std::ranges::find(confidence_names, confidence.string());
  if (name == confidence_names.end()) {
    confidence.fail("unknown confidence \"" + confidence.string() + "\"",
                    "one of verified, fit, scenario, default, memory");
  }
  return {json.require("name").string(), json.require("value").string(), text_or_empty(json, "source"),
          text_or_empty(json, "where"), static_cast<Assumption::Confidence>(name - confidence_names.begin())};
}

void check_header(const Json& json) {
  const Json* format = json.kind() == JsonKind::object ? json.find("format") : nullptr;
  if (format == nullptr || format->kind() != JsonKind::string || format->string() != "rackcast-result") {
    (format == nullptr ? json : *format)
        .fail("this is not a rackcast result", R"(a result starts with "format": "rackcast-result")");
  }
  const Json& version = json.require("version");
  if (version.integer() != supported_version) {
    version.fail("a result of version " + std::to_string(version.integer()) +
                     "; this program reads version " + std::to_string(supported_version),
                 "write the result again with this program");
  }
}

ResultDocument::Kind read_kind(const Json& kind) {
  if (kind.string() == "size") {
    return ResultDocument::Kind::size;
  }
  if (kind.string() == "simulate") {
    return ResultDocument::Kind::simulate;
  }
  kind.fail("unknown kind of result \"" + kind.string() + "\"", "one of size, simulate");
}

void read_scenario(const Json& json, ResultDocument& document) {
  auto& scenario = document.scenario;
  scenario.file = text_or_empty(json, "file");
  scenario.name = text_or_empty(json, "name");
  scenario.description = text_or_empty(json, "description");
  if (const Json* start = optional_member(json, "start")) {
    scenario.start = calendar_day(start->string());
    if (!scenario.start) start->fail("this is no date", "write it as \"2019-06-01\"");
  }
  if (const Json* seed = optional_member(json, "seed")) {
    scenario.seed = seed->kind() == JsonKind::string ? seed->string() : std::to_string(seed->integer());
  }
}

/// The scenario as it was written into the result, indented; empty if it is not there.
std::string scenario_text(const std::string& text) {
  // Only this member is built: a result may be large.
  using Event = nlohmann::ordered_json::parse_event_t;
  const auto wanted = [](int depth, Event event, const nlohmann::ordered_json& parsed) {
    return event != Event::key || depth != 1 || parsed == "scenario";
  };
  const auto json = nlohmann::ordered_json::parse(text, wanted, false, true);
  if (!json.is_object() || !json.contains("scenario") || !json["scenario"].is_object() ||
      !json["scenario"].contains("text") || json["scenario"]["text"].is_null()) {
    return {};
  }
  const auto& scenario = json["scenario"]["text"];
  return scenario.is_string() ? scenario.get<std::string>() : scenario.dump(2);
}

}  // namespace

std::string_view to_string(Assumption::Confidence confidence) {
  return confidence_names.at(static_cast<std::size_t>(confidence));
}

std::vector<WorkloadResult> ResultDocument::asked() const {
  if (!premise.adds_up) {
    return workloads;
  }
  WorkloadResult all;
  all.title = "All, one after another";
  all.answer = answer;
  all.performance = performance;
  all.alternatives = alternatives;
  all.sensitivity = sensitivity;
  return {all};
}

ResultDocument load_result(const std::string& text, std::string name) {
  return load_result(parse_json(text, std::move(name)), text);
}

ResultDocument load_result(const Json& json, const std::string& text) {
  ResultDocument document;
  check_header(json);
  document.kind = read_kind(json.require("kind"));
  if (const Json* generator = optional_member(json, "generator")) {
    document.program = text_or_empty(*generator, "name");
    document.version = text_or_empty(*generator, "version");
    document.commit = text_or_empty(*generator, "commit");
  }
  document.command = text_or_empty(json, "command");
  read_scenario(json.require("scenario"), document);
  document.scenario.text = scenario_text(text);  // parsed before, which bounds size and depth
  if (const Json* goal = optional_member(json, "goal")) {
    document.deadline_s = optional_amount(*goal, "deadline_s");
  }
  if (const Json* premise = optional_member(json, "premise")) {
    document.premise.statement = text_or_empty(*premise, "statement");
    document.premise.adds_up = text_or_empty(*premise, "workloads_run") == "one-after-another";
  }
  document.answer = read_answer(json.require("answer"));
  document.performance = read_performance(json);
  document.alternatives = read_list(json, "alternatives", read_alternative);
  document.sensitivity = read_list(json, "sensitivity", read_sensitivity);
  document.workloads = read_list(json, "workloads", read_workload);
  document.method = read_list(json, "method", [](const Json& step) {
    return MethodStep{step.require("quantity").string(), step.require("formula").string(),
                      text_or_empty(step, "source")};
  });
  if (const Json* growth = optional_member(json, "growth")) {
    document.growth = read_growth(*growth);
  }
  if (const Json* learning = optional_member(json, "learning_curve")) {
    document.learning = read_learning(*learning);
  }
  if (const Json* plan = optional_member(json, "plan")) {
    document.plan = read_plan(*plan);
  }
  if (const Json* serving = optional_member(json, "serving")) {
    document.serving = read_serving(*serving);
  }
  document.drawings = read_list(json, "drawings", read_drawing);
  if (const Json* site = optional_member(json, "site")) {
    document.site = read_site(*site);
    if (document.serving) {
      document.site->racks.activity = document.site->power.activity = "serving";
      if (document.site->cost) {
        document.site->cost->activity = "serving";
      }
    }
  }
  document.assumptions = read_list(json, "assumptions", read_assumption);
  document.warnings = read_list(json, "warnings", [](const Json& warning) { return warning.string(); });
  return document;
}

}  // namespace rackcast::reports
