#include "scenarios/sweep/points.hpp"

#include <algorithm>
#include <iterator>

#include "models/memory/memory.hpp"
#include "scenarios/answer/training_demand.hpp"
#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/format/parallelism.hpp"
#include "scenarios/result/utilisation_report.hpp"
#include "scenarios/serving/service_search.hpp"

namespace rackcast {

std::vector<std::string> training_columns() {
  return {"time_to_train_s", "samples_per_s", "step_s", "goodput", "parallelism",
          "memory_bytes",    "tokens_per_s",  "mfu",    "hfu"};
}

namespace {

/// The figures behind "goodput".
std::vector<SweepFigure> shares_of_peak(Evaluator& evaluator, const Question& q, const TrainingRun& run) {
  std::vector<SweepFigure> out(5);
  if (const auto mesh = evaluator.with_split(q).workload.parallelism) out[0] = split_text(*mesh);
  out[1] = evaluator.memory_use(q).total().base();
  const double rate = run.samples_per_step / run.parts.total.base();
  Prediction point;
  point.samples_per_s = {rate, rate, rate, "1/s"};
  const auto shares = utilisation(evaluator, q, point);
  if (!shares) return out;
  out[2] = shares->tokens_per_s.value;
  if (shares->mfu.unit.empty()) return out;
  out[3] = shares->mfu.value;
  out[4] = shares->hfu.value;
  return out;
}

/// The figures of a question; of several workloads one after another there is no common rate and no step.
void add_figures_of(const Question& q, double time, Evaluator& evaluator, SweepRow& row) {
  const TrainingRun& run = evaluator.run(evaluator.longest(q));
  row.figures = {time, {}, {}, {}};
  std::ranges::move(shares_of_peak(evaluator, evaluator.longest(q), run), std::back_inserter(row.figures));
  row.gpus = run.ranks;
  row.binds = run.binds;
  if (q.then.empty()) {
    row.figures[1] = run.samples_per_step / run.parts.total.base();
    row.figures[2] = run.parts.total.base();
  }
  double useful = 0;
  for (const Question& part : one_by_one(q)) {
    const auto failures = evaluator.failures(part);
    if (!failures) return;
    useful += failures->goodput.useful * (evaluator.time_to_train(part, false).base() / time);
  }
  row.figures[3] = useful;
}

}  // namespace

void evaluate_training(const Scenario& s, Evaluator& evaluator, SweepRow& row) {
  double slowest = -1;
  for (const Question& q : questions(s)) {
    if (const auto conflicts = fixed_conflicts(evaluator, q); !conflicts.empty()) {
      row.feasible = false;
      row.binds = kind_of(conflicts.front().limit).title;
      row.figures.assign(training_columns().size(), {});
      if (conflicts.front().limit != Limit::gpu_memory) return;
      const auto mesh = evaluator.with_split(q).workload.parallelism;
      row.figures[4] = mesh ? SweepFigure{split_text(*mesh)} : SweepFigure{};
      row.figures[5] = evaluator.memory_use(q).total().base();
      return;
    }
    const double time = evaluator.time_to_train(q).base();
    if (time <= slowest) continue;
    slowest = time;
    add_figures_of(q, time, evaluator, row);
  }
  row.feasible = true;
}

std::vector<std::string> service_columns() {
  return {"node",     "precision",    "needed",     "latency_s", "requests_per_s",
          "gpu_busy", "availability", "facility_w", "capex_usd", "usd_per_year"};
}

void evaluate_service(const Scenario& asked, const Catalog& catalog, SweepRow& row) {
  const Scenario s = resolve_clusters(asked, catalog);
  GpuModelLibrary kernels = GpuModelLibrary::builtin();
  for (const Json& device : s.calibration.devices) kernels.add(device);
  const ServiceOption o = answer_service(catalog, kernels, s);
  row.feasible = o.feasible();
  row.nodes = o.nodes();
  row.gpus = o.nodes() * o.server->node().gpus;
  row.binds = row.feasible ? o.binds : std::string{kind_of(o.conflicts.front().limit).title};
  row.figures = {o.server->node().id, std::string{to_string(o.server->precision())}};
  row.figures.resize(service_columns().size());
  if (o.needed == 0) return;
  const Frequency each = s.serving->peak_rate() / o.needed / o.server->node().gpus;
  const ServingResult peak = o.server->under(each);
  const Frequency takes = std::ranges::min_element(o.limits, {}, &ServiceLimit::rate)->rate;
  row.figures[2] = static_cast<double>(o.needed);
  if (!peak.saturated) row.figures[3] = peak.asked.base();
  row.figures[4] = (o.needed * takes).base();
  row.figures[5] = o.busy;
  row.figures[6] = o.availability;
  // A sum that leaves something out is no figure of a table.
  if (o.site && o.site->missing.power.empty()) row.figures[7] = o.site->power.facility.base();
  if (!o.site || !o.site->cost) return;
  const CostReport& cost = *o.site->cost;
  if (!cost.lacking.bill()) row.figures[8] = cost.own.capex.base();
  if (cost.lacking.none()) row.figures[9] = (cost.own.total(cost.utilisation) * hours_of_year).base();
}

}  // namespace rackcast
