#include <string>
#include <utility>

#include "reports/blocks/format.hpp"
#include "reports/result/result.hpp"
#include "scenarios/document/fields/answer.hpp"
#include "scenarios/document/whole.hpp"
#include "sim/json/reader.hpp"

namespace rackcast::reports {
namespace {

void take_head(const Json& json, const doc::Head& head, ResultDocument& out) {
  out.kind = head.kind == "size" ? ResultDocument::Kind::size : ResultDocument::Kind::simulate;
  out.program = head.program;
  out.version = head.program_version;
  out.commit = head.commit;
  out.command = head.command;
  out.scenario.file = head.file;
  out.scenario.name = head.name;
  out.scenario.description = head.description;
  out.scenario.text = text_of(head.text, 2);
  if (const Json* seed = json.require("scenario").find("seed"); seed && !seed->is_null())
    out.scenario.seed = seed->kind() == JsonKind::string ? seed->string() : std::to_string(seed->integer());
  if (!head.start) return;
  out.scenario.start = calendar_day(*head.start);
  if (!out.scenario.start)
    json.require("scenario").require("start").fail("this is no date", "write it as \"2019-06-01\"");
}

}  // namespace

std::string_view to_string(Assumption::Confidence confidence) {
  std::string_view words = doc::Words<Assumption::Confidence>::list;
  for (auto place = static_cast<std::size_t>(confidence); place > 0; --place)
    words.remove_prefix(words.find(' ') + 1);
  return words.substr(0, words.find(' '));
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
  return load_result(parse_json(text, std::move(name)));
}

ResultDocument load_result(const Json& json) {
  doc::Result result = doc::read_document<doc::Result>(json);
  ResultDocument out;
  take_head(json, result.head, out);
  out.deadline_s = result.deadline_s;
  out.premise.stated = !result.workloads_run.empty();
  out.premise.times_s = std::move(result.times_s);
  out.premise.adds_up = result.workloads_run == "one-after-another";
  out.answer = std::move(result.answer);
  out.performance = std::move(result.performance);
  out.workloads = std::move(result.workloads);
  for (WorkloadResult& workload : out.workloads)
    if (workload.title.empty()) workload.title = workload.model;
  out.alternatives = std::move(result.alternatives);
  out.sensitivity = std::move(result.sensitivity);
  out.growth = std::move(result.growth);
  out.learning = std::move(result.learning);
  out.site = std::move(result.site);
  out.drawings = std::move(result.drawings);
  out.plan = std::move(result.plan);
  out.serving = std::move(result.serving);
  out.measured = std::move(result.measured);
  out.assumptions = std::move(result.assumptions);
  out.warnings = std::move(result.warnings);
  if (out.site && out.serving) {
    out.site->racks.activity = out.site->power.activity = "serving";
    if (out.site->cost) out.site->cost->activity = "serving";
  }
  return out;
}

}  // namespace rackcast::reports
