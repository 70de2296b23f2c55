#include "scenarios/answer/describe.hpp"

#include <algorithm>
#include <numeric>

#include "models/collectives/cluster.hpp"
#include "models/memory/memory.hpp"
#include "models/networks/workload.hpp"
#include "scenarios/answer/collisions.hpp"
#include "scenarios/answer/sensitivity.hpp"
#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/evaluate/step_timeline.hpp"
#include "scenarios/evidence/evidence.hpp"
#include "scenarios/result/reliability_report.hpp"
#include "scenarios/result/superlinear.hpp"
#include "scenarios/result/utilisation_report.hpp"
#include "sim/engine/trace.hpp"

namespace rackcast {

namespace {

std::vector<ScalingRow> scaling(Evaluator& evaluator, Question q, int nodes) {
  std::vector<int> counts;
  for (int n = 1; n < nodes; n *= 2) counts.push_back(n);
  counts.push_back(nodes);
  if (evaluator.cluster(q).node.nics > 0) counts.push_back(2 * nodes);
  if (q.gpus) counts = {nodes};  // of a job of so many GPUs there is one size
  const int per_node = used_in_node(q.cluster, evaluator.node(q.cluster).gpus);
  std::erase_if(counts, [&](int n) { return n != nodes && !evaluator.takes(q, n * per_node); });
  const auto all = static_cast<std::size_t>(std::accumulate(counts.begin(), counts.end(), 0));
  std::size_t done = 0;
  std::vector<ScalingRow> rows;
  for (const int n : counts) {
    q.cluster.nodes = n;
    evaluator.give_back(Evaluator::most_held, false);  // clusters of the counts before
    const TrainingRun& run = evaluator.run(q);
    rows.push_back({n, run.ranks, evaluator.predict(q), run.binds});
    done += static_cast<std::size_t>(n);
    if (evaluator.control().on_nodes) evaluator.control().on_nodes(done, all);
  }
  return rows;
}

std::vector<PublishedComparison> compare(Evaluator& evaluator, const Scenario& s, const WorkloadSpec& w) {
  std::vector<PublishedComparison> rows;
  for (const PublishedRow& published : s.published) {
    if (published.model != w.model) continue;
    Question q = question(s, w);
    q.failures.reset();  // published times of short runs are without
    q.cluster = published.cluster;
    q.gpus = published.gpus;
    if (published.precision) q.workload.precision = *published.precision;
    PublishedComparison& row = rows.emplace_back();
    row.published = published;
    // The question's own precision may be one that the published GPUs lack; one that the row states is an
    // error.
    const auto refused =
        published.precision ? std::nullopt : evaluator.precision_refusal(q.cluster, q.workload);
    if (refused) {
      row.published.note = "Not compared: " + refused->message() + ".";
      continue;
    }
    const Prediction p = evaluator.predict(q);
    row.predicted = p.time_to_train;
    row.ratio = p.time_to_train.value / published.time.base();
    row.efficiency = p.scaling_efficiency.value;
    row.gpus = evaluator.run(q).ranks;
    row.global_batch = evaluator.run(q).samples_per_step;
  }
  return rows;
}

/// How predictions of measured systems like this one have turned out.
Evidence evidence(Evaluator& evaluator, const Question& q) {
  const Workload& workload = evaluator.workload(q.workload);
  const Cluster& cluster = evaluator.cluster(q);
  TrainingTraits asked;
  asked.gpu = evaluator.node(q.cluster).gpu_id;
  asked.gpus = static_cast<int>(cluster.ranks.size());
  asked.nodes = cluster.used_nodes();
  if (asked.nodes > 1 && cluster.node.nic_link)
    asked.node_gbit = cluster.node.nics * cluster.node.nic_link->raw.value.base() * 8e-9;
  asked.model = workload.name;
  asked.kind = network_kind(workload);
  asked.flop_per_parameter = workload.forward_flop().base() / workload.parameters();
  asked.precision = to_string(q.workload.precision);
  asked.framework = q.workload.framework;
  return nearest_runs(evaluator.catalog(), shipped_evidence(), asked);
}

/// A prediction without intervals, as long as nothing has been varied.
Prediction point_prediction(Evaluator& evaluator, const Question& q) {
  const TrainingRun& run = evaluator.run(q);
  const double time = evaluator.time_to_train(q).base();
  const double step = run.parts.total.base();
  const double rate = run.samples_per_step / step;
  Prediction p;
  p.time_to_train = {time, time, time, "s"};
  p.samples_per_s = {rate, rate, rate, "1/s"};
  p.step_time = {step, step, step, "s"};
  return p;
}

}  // namespace

void describe(Evaluator& evaluator, const Scenario& s, const WorkloadSpec& spec, int nodes,
              WorkloadResult& w) {
  w.spec = spec;
  const Workload& workload = evaluator.workload(spec);
  w.title = workload.title;
  w.parameters = workload.parameters();
  w.forward_flop = workload.forward_flop();
  w.samples = s.data.samples;
  Question q = question(s, spec);
  q.cluster.nodes = nodes;
  const NodeFacts node = evaluator.node(q.cluster);
  w.run = evaluator.run(q);
  w.global_batch = w.run.samples_per_step;
  w.split = evaluator.split_choice(q);
  const WorkloadSpec chosen = evaluator.with_split(q).workload;
  w.spec = on_gpus(chosen, workload, w.run.ranks);
  w.batch = {batch_reason(chosen, workload, w.global_batch, w.run.ranks), largest_useful_batch(spec),
             spec.global_batch.has_value()};
  w.steps = evaluator.steps(q);
  w.answer.nodes = nodes;
  w.answer.gpus = w.run.ranks;
  w.answer.gpus_in_nodes = nodes * node.gpus;
  w.answer.node = node.id;
  w.answer.node_title = node.title;
  w.answer.workload = spec.model;
  w.answer.spares = evaluator.spares(q);
  w.answer.rack_units = units_of(node, nodes + w.answer.spares);
  w.answer.power_kw = kilowatts_of(node, nodes + w.answer.spares);
  w.prediction = point_prediction(evaluator, q);
  w.prediction = evaluator.predict(q);
  w.utilisation = utilisation(evaluator, q, w.prediction);
  w.memory_per_gpu = evaluator.memory_use(q).total();
  if (q.workload.parallelism) w.memory_fits_odds = odds_of_fit(w.memory_per_gpu, node.gpu_memory);
  w.scaling = scaling(evaluator, q, nodes);
  w.published = compare(evaluator, s, w.spec);
  if (!q.workload.graph) w.evidence = evidence(evaluator, q);  // nothing of the step is modelled otherwise
  Tracer tracer{Clock{TickLength::picosecond}};
  w.no_timeline = evaluator.trace(q, tracer);
  w.timeline = step_timeline(tracer);
  w.links = evaluator.link_shares(q);
  w.ladder = ladder(s, w, evaluator);
  w.input = evaluator.input(q);
  w.reliability = reliability_report(evaluator, q);
  w.collisions = collision_note(evaluator, q);
  w.superlinear = superlinear_note(evaluator, q, w.scaling);
  if (!s.adds_up()) w.sensitivity = sensitivity(evaluator, s, q);
}

}  // namespace rackcast
