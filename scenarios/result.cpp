#include "scenarios/result.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "scenarios/evidence/evidence_document.hpp"
#include "scenarios/method.hpp"
#include "scenarios/plain_json.hpp"
#include "scenarios/plan/plan_document.hpp"
#include "scenarios/reliability_report.hpp"
#include "scenarios/result_document.hpp"
#include "scenarios/result_input.hpp"
#include "scenarios/site/result_site.hpp"
#include "sim/version.hpp"

namespace rackcast {

using Document = nlohmann::ordered_json;

namespace {

Document amount_or_null(const std::optional<double>& amount) {
  return amount ? Document(*amount) : Document(nullptr);
}

}  // namespace

Document estimate_document(const Estimate& e) {
  if (e.unit.empty()) return nullptr;
  return {{"value", e.value}, {"low", e.low}, {"high", e.high}, {"unit", e.unit}};
}

Document missing_document(const MissingFacts& m) {
  return {{"prices", m.prices}, {"power", m.power}, {"units", m.units}};
}

Document answer_document(const Answer& a) {
  Document out = {{"feasible", a.feasible},     {"nodes", nullptr},
                  {"spares", a.spares},         {"node", a.node},
                  {"node_title", a.node_title}, {"gpus", nullptr},
                  {"workload", a.workload},     {"binding_constraint", a.binding_constraint},
                  {"statement", a.statement},   {"rack_units", nullptr},
                  {"power_kw", nullptr}};
  if (a.feasible || a.nodes > 0)  // else it speaks of no cluster
    out.update({{"nodes", a.nodes},
                {"gpus", a.gpus},
                {"rack_units", amount_or_null(a.rack_units)},
                {"power_kw", amount_or_null(a.power_kw)}});
  if (a.deadline_probability) out["deadline_probability"] = *a.deadline_probability;
  if (a.why_not_fewer) {
    const Smaller& s = *a.why_not_fewer;
    out["why_not_fewer"] = {{"nodes", s.nodes},
                            {"fails", s.fails},
                            {"statement", s.statement},
                            {"time_to_train_s", estimate_document(s.time_to_train)}};
  }
  out["conflicts"] = Document::array();
  for (const Conflict& c : a.conflicts) {
    out["conflicts"].push_back({{"constraint", c.constraint},
                                {"required", c.required},
                                {"best", c.best},
                                {"statement", c.statement}});
  }
  out["changes"] = Document::array();
  for (const Change& c : a.changes) {
    Document row = {{"input", c.input}, {"change", c.change}};
    row["nodes"] = c.nodes ? Document(*c.nodes) : Document(nullptr);
    row["statement"] = c.statement;
    out["changes"].push_back(row);
  }
  return out;
}

Document head_document(const std::string& kind, const std::string& command, const Scenario& s) {
  return {{"format", "rackcast-result"},
          {"version", 1},
          {"kind", kind},
          {"generator", {{"name", "rackcast"}, {"version", version()}, {"commit", commit()}}},
          {"command", command},
          {"scenario",
           {{"file", s.file},
            {"name", s.name},
            {"description", s.description},
            {"start", s.start.empty() ? Document(nullptr) : Document(s.start)},
            {"seed", s.seed},
            {"text", plain_json(s.text)}}}};
}

Document assumptions_document(const std::vector<Assumption>& assumptions) {
  Document out = Document::array();
  for (const Assumption& a : assumptions) {
    out.push_back({{"name", a.name},
                   {"value", a.value},
                   {"source", a.source},
                   {"confidence", a.confidence},
                   {"where", a.where}});
  }
  return out;
}

Document method_document(const std::vector<MethodRow>& rows) {
  Document out = Document::array();
  for (const MethodRow& m : rows)
    out.push_back({{"quantity", m.quantity}, {"formula", m.formula}, {"source", m.source}});
  return out;
}

namespace {

Document document(const Estimate& e) {
  return estimate_document(e);
}

Document document(const Prediction& p) {
  return {{"time_to_train_s", document(p.time_to_train)},
          {"samples_per_s", document(p.samples_per_s)},
          {"scaling_efficiency", document(p.scaling_efficiency)},
          {"step_time_s", document(p.step_time)}};
}

Document document(const Answer& a) {
  return answer_document(a);
}

Document document(const TrainingRun& run, const std::string& statement) {
  const StepParts& p = run.parts;
  Document parts = Document::array();
  for (const StepPart& part : step_part_list)
    if (part.always || p.*part.time > Duration{0})
      parts.push_back({{"name", part.name}, {"seconds", (p.*part.time).base()}});
  Document out = {
      {"parts", parts},
      {"total_s", p.total.base()},
      {"all_reduce_busy_s", p.exchange_busy.base()},
      // Where the first steps are faster than those after them (filled buffers), nothing is added.
      {"warm_up_s", std::max(0.0, run.warm_up.base())},
      {"binds", run.binds},
      {"statement", statement}};
  if (run.period != 1) out["cycle_steps"] = run.period > 0 ? Document(run.period) : Document(nullptr);
  return out;
}

Document batch_document(const WorkloadResult& w) {
  Document out = {{"text", w.batch.text}, {"origin", w.batch.origin}, {"grows_with_gpus", !w.batch.stated}};
  if (w.batch.largest_useful) out["largest_useful"] = *w.batch.largest_useful;
  if (w.spec.accumulation > 1) out["passes"] = w.spec.accumulation;
  return out;
}

Document document(const std::vector<Alternative>& alternatives) {
  Document out = Document::array();
  for (const Alternative& a : alternatives) {
    out.push_back({{"node", a.node},
                   {"title", a.title},
                   {"feasible", a.feasible},
                   {"nodes", a.nodes},
                   {"spares", a.spares},
                   {"gpus", a.gpus},
                   {"time_to_train_s", document(a.time_to_train)},
                   {"rack_units", amount_or_null(a.rack_units)},
                   {"power_kw", amount_or_null(a.power_kw)},
                   {"binding_constraint", a.binding_constraint},
                   {"statement", a.statement}});
  }
  return out;
}

Document document(const std::vector<SensitivityRow>& rows) {
  Document out = Document::array();
  for (const SensitivityRow& r : rows) {
    out.push_back({{"input", r.input},
                   {"kind", r.kind},
                   {"low_text", r.low_text},
                   {"high_text", r.high_text},
                   {"low_s", r.low.base()},
                   {"high_s", r.high.base()}});
  }
  return out;
}

Document document(const Utilisation& u) {
  return {{"tokens_per_s", document(u.tokens_per_s)},
          {"tokens_per_s_per_gpu", document(u.tokens_per_s_per_gpu)},
          {"mfu", document(u.mfu)},
          {"hfu", document(u.hfu)},
          {"tokens_per_sample", u.tokens_per_sample},
          {"model_flop_per_token", u.model_flop_per_token.base()},
          {"hardware_flop_per_token", u.hardware_flop_per_token.base()},
          {"peak_flop_per_s_per_gpu", u.peak.base()}};
}

Document document(const WorkloadResult& w) {
  Document out = {{"model", w.spec.model},
                  {"title", w.title},
                  {"parameters", w.parameters},
                  {"forward_flop_per_sample", w.forward_flop.base()},
                  {"samples", w.samples},
                  {"epochs", w.spec.epochs},
                  {"batch_per_gpu", w.spec.batch_per_gpu},
                  {"global_batch", w.global_batch},
                  {"batch", batch_document(w)},
                  {"precision", to_string(w.spec.precision)},
                  {"steps", w.steps},
                  {"answer", document(w.answer)},
                  {"prediction", document(w.prediction)}};
  if (w.spec.parallelism) out["parallelism"] = split_text(*w.spec.parallelism);
  out["memory_bytes_per_gpu"] = w.memory_per_gpu.base();
  if (w.utilisation) out["utilisation"] = document(*w.utilisation);
  out["ladder"] = Document::array();
  for (const LadderRow& r : w.ladder) {
    out["ladder"].push_back(
        {{"label", r.label}, {"value", r.value}, {"unit", r.unit}, {"text", r.text}, {"how", r.how}});
  }
  out["step"] = document(w.run, w.step_statement);
  if (w.input) out["input"] = input_document(*w.input);
  if (w.reliability) out["reliability"] = reliability_document(*w.reliability);
  out["scaling"] = Document::array();
  for (const ScalingRow& r : w.scaling) {
    out["scaling"].push_back({{"nodes", r.nodes},
                              {"gpus", r.gpus},
                              {"samples_per_s", document(r.prediction.samples_per_s)},
                              {"time_to_train_s", document(r.prediction.time_to_train)},
                              {"efficiency", r.prediction.scaling_efficiency.value},
                              {"binds", r.binds}});
  }
  out["published"] = Document::array();
  for (const PublishedComparison& r : w.published) {
    out["published"].push_back({{"label", r.published.label},
                                {"published_s", r.published.time.base()},
                                {"published_text", r.published.text},
                                {"predicted_s", document(r.predicted)},
                                {"ratio", r.ratio},
                                {"efficiency", r.efficiency},
                                {"gpus", r.gpus},
                                {"perfect_s", r.predicted.value * r.efficiency},
                                {"source", r.published.source},
                                {"note", r.published.note}});
  }
  out["evidence"] = evidence_document(w.evidence);
  if (w.timeline.length > Duration{0}) out["timeline"] = timeline_document(w.timeline);
  out["alternatives"] = document(w.alternatives);
  out["sensitivity"] = document(w.sensitivity);
  return out;
}

}  // namespace

std::string to_json_text(const Result& result) {
  const Scenario& s = result.scenario;
  Document out = head_document(result.kind, result.command, s);
  if (s.goal) out["goal"] = {{"deadline_s", s.goal->deadline.base()}, {"max_nodes", s.goal->max_nodes}};
  if (result.partial) out["partial"] = true;
  if (!result.premise.empty())
    out["premise"] = {{"workloads_run", to_string(s.workloads_run)}, {"statement", result.premise}};
  out["answer"] = document(result.answer);
  out["prediction"] = document(result.prediction);
  if (result.plan) out["plan"] = plan_document(*result.plan);
  out["workloads"] = Document::array();
  for (const WorkloadResult& w : result.workloads) out["workloads"].push_back(document(w));
  if (!result.alternatives.empty()) out["alternatives"] = document(result.alternatives);
  if (!result.sensitivity.empty()) out["sensitivity"] = document(result.sensitivity);
  if (!result.drawings.empty()) out["drawings"] = drawings_document(result.drawings);
  out["method"] = method_document(method());
  if (result.growth) out["growth"] = growth_document(*result.growth);
  if (result.site) out["site"] = site_document(*result.site);
  if (s.data.learning) out["learning_curve"] = learning_document(*s.data.learning);
  out["assumptions"] = assumptions_document(result.assumptions);
  out["warnings"] = result.warnings;
  return out.dump(1) + "\n";
}

}  // namespace rackcast
