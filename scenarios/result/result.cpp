#include "scenarios/result/result.hpp"

#include <algorithm>
#include <cmath>

#include "scenarios/document/form/write.hpp"
#include "scenarios/document/whole.hpp"
#include "scenarios/evidence/evidence_document.hpp"
#include "scenarios/result/reliability_report.hpp"
#include "scenarios/result/result_document.hpp"
#include "scenarios/result/result_input.hpp"
#include "scenarios/result/split_document.hpp"
#include "scenarios/site/result_site.hpp"
#include "sim/base/version.hpp"
#include "sim/json/plain_json.hpp"

namespace rackcast {

std::optional<doc::Prediction> to_document(const Estimate& e) {
  if (e.unit.empty()) return std::nullopt;
  doc::Prediction out{e.value, e.low, e.high, e.unit};
  constexpr double alike = 0.01;
  if (e.median && std::abs(*e.median / e.value - 1) > alike) out.median = e.median;
  return out;
}

doc::Answer to_document(const Answer& a) {
  doc::Answer out;
  out.feasible = a.feasible;
  out.spares = a.spares;
  out.node = a.node;
  out.node_title = a.node_title;
  out.workload = a.workload;
  out.binding_constraint = a.binding_constraint;
  out.binds = a.binds;
  if (a.feasible || a.nodes > 0) {  // else it speaks of no cluster
    out.nodes = a.nodes;
    out.gpus = a.gpus;
    if (a.gpus_in_nodes > a.gpus) out.gpus_in_nodes = a.gpus_in_nodes;
    out.rack_units = a.rack_units;
    out.power_kw = a.power_kw;
  }
  out.deadline_probability = a.deadline_probability;
  if (const auto& s = a.why_not_fewer)
    out.why_not_fewer = {s->nodes, s->fails, s->workload, s->why, to_document(s->time_to_train)};
  for (const KnownTime& k : a.known_times) out.known_times.push_back({k.nodes, k.time.base()});
  for (const Conflict& c : a.conflicts)
    out.conflicts.push_back({std::string{to_string(c.limit)}, c.required, c.best, c.why});
  for (const Change& c : a.changes)
    out.changes.push_back({c.input, c.change, c.why, c.nodes, c.most_nodes, c.probability, c.less_memory});
  return out;
}

std::vector<doc::Measured> to_document(const std::vector<MeasuredComparison>& rows) {
  std::vector<doc::Measured> out;
  for (const MeasuredComparison& r : rows) {
    const MeasuredSpec& row = r.run.row;
    doc::Measured& one = out.emplace_back();
    one.workload = r.run.question.workload.model;
    one.node = r.node;
    one.metric = to_string(row.metric);
    one.precision = to_string(r.run.question.workload.precision);
    one.source = row.source;
    one.nodes = row.nodes;
    one.gpus = r.gpus;
    if (r.batch_per_gpu > 0) one.batch_per_gpu = r.batch_per_gpu;
    one.requests = row.requests;
    one.measured = row.value;
    one.spread = row.spread;
    one.deviation = r.deviation;
    one.before = *to_document(r.before);
    one.after = *to_document(r.after);
    one.moved = r.moved;
    one.contradicts = r.contradicts;
    for (const std::size_t other : r.conflicts) one.conflicts.push_back(static_cast<std::int64_t>(other) + 1);
  }
  return out;
}

doc::Head head_document(const std::string& kind, const std::string& command, const Scenario& s) {
  doc::Head out;
  out.format = doc::Result::format_name;
  out.version = doc::Result::current_version;
  out.kind = kind;
  out.program = "rackcast";
  out.program_version = version();
  out.commit = commit();
  out.command = command;
  out.file = s.file;
  out.name = s.name;
  out.description = s.description;
  if (!s.start.empty()) out.start = s.start;
  out.seed = doc::any_of(s.seed);
  out.text = doc::any_of(plain_json(s.text));
  return out;
}

namespace {

doc::Performance performance_document(const Prediction& p) {
  return {to_document(p.time_to_train), to_document(p.samples_per_s), to_document(p.scaling_efficiency),
          to_document(p.step_time)};
}

doc::StepBreakdown step_document(const TrainingRun& run, const std::string& no_timeline) {
  const StepParts& p = run.parts;
  doc::StepBreakdown out;
  for (const StepPart& part : step_part_list)
    if (part.always || p.*part.time > Duration{0})
      out.parts.push_back({std::string{part.name}, (p.*part.time).base()});
  out.total_s = p.total.base();
  out.all_reduce_busy_s = p.exchange_busy.base();
  // Where the first steps are faster than those after them (filled buffers), nothing is added.
  out.warm_up_s = std::max(0.0, run.warm_up.base());
  out.host_wait_s = run.host_share * (p.forward + p.backward + p.optimizer).base();
  out.binds = run.binds;
  out.no_timeline = no_timeline;
  out.repeats = run.period == 1;
  if (run.period > 1) out.cycle_steps = run.period;
  if (run.period == 0 && !run.partial) out.simulated_steps = run.steps;
  return out;
}

doc::Batch batch_document(const WorkloadResult& w) {
  doc::Batch out{w.batch.what, !w.batch.stated, w.batch.largest_useful, {}};
  if (w.spec.accumulation > 1) out.passes = w.spec.accumulation;
  return out;
}

std::vector<doc::Alternative> alternatives_document(const std::vector<Alternative>& alternatives) {
  std::vector<doc::Alternative> out;
  for (const Alternative& a : alternatives)
    out.push_back({.node = a.node,
                   .title = a.title,
                   .binding_constraint = a.binding_constraint,
                   .why = a.why,
                   .feasible = a.feasible,
                   .nodes = a.nodes,
                   .gpus = a.gpus,
                   .spares = a.spares,
                   .time_to_train = to_document(a.time_to_train),
                   .rack_units = a.rack_units,
                   .power_kw = a.power_kw});
  return out;
}

std::vector<doc::Sensitivity> sensitivity_document(const std::vector<SensitivityRow>& rows) {
  std::vector<doc::Sensitivity> out;
  for (const SensitivityRow& r : rows)
    out.push_back({r.input, r.kind, r.low_text, r.high_text, r.low.base(), r.high.base()});
  return out;
}

doc::Utilisation utilisation_document(const Utilisation& u) {
  return {.tokens_per_s = to_document(u.tokens_per_s),
          .tokens_per_s_per_gpu = to_document(u.tokens_per_s_per_gpu),
          .mfu = to_document(u.mfu),
          .hfu = to_document(u.hfu),
          .tokens_per_sample = u.tokens_per_sample,
          .model_flop_per_token = u.model_flop_per_token.base(),
          .hardware_flop_per_token = u.hardware_flop_per_token.base(),
          .peak_flop_per_s_per_gpu = u.peak.base()};
}

doc::PublishedComparison published_document(const PublishedComparison& r) {
  doc::PublishedComparison out;
  out.label = r.published.label;
  out.published_text = r.published.text;
  out.source = r.published.source;
  out.note = r.published.note;
  out.published_s = r.published.time.base();
  out.published_global_batch = r.published.global_batch;
  if (r.predicted.unit.empty()) return out;
  out.predicted = to_document(r.predicted);
  out.ratio = r.ratio;
  out.efficiency = r.efficiency;
  out.perfect_s = r.predicted.value * r.efficiency;
  out.gpus = r.gpus;
  out.global_batch = r.global_batch;
  return out;
}

void fill_tables(const WorkloadResult& w, doc::WorkloadResult& out) {
  out.ladder = w.ladder;
  for (const ScalingRow& r : w.scaling)
    out.scaling.push_back({r.nodes, r.gpus, to_document(r.prediction.samples_per_s),
                           to_document(r.prediction.time_to_train), r.prediction.scaling_efficiency.value,
                           r.binds});
  for (const PublishedComparison& r : w.published) out.published.push_back(published_document(r));
  out.alternatives = alternatives_document(w.alternatives);
  out.sensitivity = sensitivity_document(w.sensitivity);
}

doc::WorkloadResult workload_document(const WorkloadResult& w) {
  doc::WorkloadResult out;
  out.model = w.spec.model;
  out.title = w.title;
  out.parameters = w.parameters;
  out.forward_flop_per_sample = w.forward_flop.base();
  out.samples = w.samples;
  out.epochs = w.spec.epochs;
  out.batch_per_gpu = w.spec.batch_per_gpu;
  out.global_batch = w.global_batch;
  if (!w.batch.what.code().empty()) out.batch = batch_document(w);  // else a limit came before it
  out.precision = to_string(w.spec.precision);
  out.steps = w.steps;
  out.answer = to_document(w.answer);
  out.performance = performance_document(w.prediction);
  if (w.spec.parallelism && !w.spec.split_search) out.parallelism = split_text(*w.spec.parallelism);
  out.memory_bytes_per_gpu = w.memory_per_gpu.base();
  out.memory_fits_odds = w.memory_fits_odds;
  if (w.split) out.split_search = split_search_document(w);
  if (w.utilisation) out.utilisation = utilisation_document(*w.utilisation);
  out.step = step_document(w.run, w.no_timeline);
  if (w.input) out.input = input_document(*w.input);
  if (w.reliability) out.reliability = reliability_document(*w.reliability);
  out.evidence = evidence_document(w.evidence);
  if (w.timeline.length > Duration{0}) out.timeline = timeline_document(w.timeline);
  for (const LinkShare& link : w.links)
    out.links.push_back({std::string{to_string(link.place.kind)}, std::string{to_string(link.place.from)},
                         std::string{to_string(link.place.to)}, static_cast<double>(link.links), link.mean,
                         link.fullest});
  fill_tables(w, out);
  return out;
}

}  // namespace

std::string to_json_text(const Result& result) {
  const Scenario& s = result.scenario;
  doc::Result out;
  out.head = head_document(result.kind, result.command, s);
  if (s.goal) {
    out.deadline_s = s.goal->deadline.base();
    out.max_nodes = s.goal->max_nodes;
  }
  out.partial = result.partial;
  if (result.times) {
    out.workloads_run = to_string(s.workloads_run);
    for (const Duration time : *result.times) out.times_s.push_back(time.base());
  }
  out.answer = to_document(result.answer);
  out.performance = performance_document(result.prediction);
  if (result.plan) out.plan = *result.plan;
  for (const WorkloadResult& w : result.workloads) out.workloads.push_back(workload_document(w));
  out.alternatives = alternatives_document(result.alternatives);
  out.sensitivity = sensitivity_document(result.sensitivity);
  out.drawings = drawings_document(result.drawings);
  if (result.growth) out.growth = growth_document(*result.growth);
  if (result.site) out.site = site_document(*result.site);
  if (s.data.learning) out.learning = learning_document(*s.data.learning);
  out.measured = to_document(result.measured);
  out.assumptions = result.assumptions;
  out.warnings = result.warnings;
  return doc::document_text(out);
}

}  // namespace rackcast
