/// How an evaluator learns from runs that the owner of a scenario has measured.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "models/networks/transformer.hpp"
#include "models/networks/workload.hpp"
#include "scenarios/evaluate/evaluator_impl.hpp"
#include "scenarios/evaluate/measured_run.hpp"
#include "scenarios/format/parallelism.hpp"
#include "scenarios/format/workload_choice.hpp"

namespace rackcast {

namespace {

/// The rate is linearised where the factors are believed to be, so it takes a few rounds.
constexpr int kRounds = 3;

Scales scales_of(const FactorVector& log_factors) {
  Scales out;
  out.compute = std::exp(log_factors[index_of(Factor::kernels)] + log_factors[index_of(Factor::pace)]);
  out.network = std::exp(log_factors[index_of(Factor::exchange)]);
  out.input = std::exp(log_factors[index_of(Factor::input)]);
  out.absolute = true;
  return out;
}

/// Samples of one unit of the row's figure at a rate of one sample per second.
double figure_per_rate(const MeasuredSpec& row, const Workload& network) {
  if (row.metric != MeasuredMetric::tokens_per_s) return 1;
  if (!network.transformer)
    throw Error{network.title + " takes no tokens", row.where, "write \"samples_per_s\""};
  return static_cast<double>(network.transformer->seq_len);
}

/// The row's figure at this rate, from samples per second.
double figure_at(const MeasuredSpec& row, double rate, double samples_per_step, double units) {
  return row.metric == MeasuredMetric::step_time ? samples_per_step / rate : rate * units;
}

Estimate figure_of_belief(const MeasuredRun& run, double rate, double sigma, double samples_per_step,
                          double units) {
  const auto at = [&](double z) {
    return figure_at(run.row, rate * std::exp(z * half_of_90_percent * sigma), samples_per_step, units);
  };
  Estimate out{at(0), at(-1), at(1), run.row.metric == MeasuredMetric::step_time ? "s" : "1/s"};
  if (out.low > out.high) std::swap(out.low, out.high);
  return out;
}

/// Throws Error where the nodes of the row cannot have so many GPUs.
void check_counts(const MeasuredRun& run, const NodeFacts& node) {
  const MeasuredSpec& row = run.row;
  if (!row.gpus) return;
  const int most = row.nodes * node.gpus, least = (row.nodes - 1) * node.gpus + 1;
  if (*row.gpus > most)
    throw Error{
        fmt::format("{} GPUs do not fit {} of {} with {} each", *row.gpus,
                    row.nodes == 1 ? "one node" : fmt::format("{} nodes", row.nodes), node.title, node.gpus),
        row.count_where, "\"gpus\" counts the GPUs of all nodes together; state the \"nodes\""};
  if (*row.gpus < least)
    throw Error{fmt::format("{} GPUs fill {} of {} nodes of {} with {} GPUs each", *row.gpus,
                            (*row.gpus - 1) / node.gpus + 1, row.nodes, node.title, node.gpus),
                row.count_where, "a job fills node after node: state fewer \"nodes\""};
}

}  // namespace

MeasuredRun measured_run(const Scenario& s, const MeasuredSpec& row) {
  WorkloadSpec w = workload_of(s, row);
  w.where = row.where;
  if (w.split_search)
    throw Error{"a measured run had a split of its own, and the workload has it searched", row.where,
                "write the split of the run in \"parallelism\", or leave this row out"};
  if (w.parallelism && row.batch_per_gpu)
    throw Error{"a network split over GPUs has no batch of one GPU", row.where,
                "write the \"global_batch\" of the measured run"};
  if (row.batch_per_gpu) {
    w.batch_per_gpu = *row.batch_per_gpu;
    w.batch_is_default = false;
    w.global_batch.reset();
  }
  if (row.global_batch) w.global_batch = row.global_batch;
  if (w.global_batch) w.global_batch->where = row.where;
  if (row.precision) w.precision = *row.precision;
  w.precision_where = row.where;
  if (!row.exchange.empty()) w.exchange = row.exchange;
  MeasuredRun out{row, question(s, w)};
  Question& q = out.question;
  q.gpus = row.gpus;
  q.failures.reset();
  q.input.checkpoint_every = Duration{0};
  if (row.synthetic) q.storage.array = "none";
  ClusterSpec& c = q.cluster;
  c.where = row.where;
  c.nodes = row.nodes;
  c.nodes_given = true;
  c.stragglers.clear();
  c.fabric.choice.gang.clear();
  if (!row.node.empty() && row.node != c.node) {
    c.node = row.node;
    c.gpu.clear();
    c.fabric = c.fabric.for_another_node();
  }
  if (!row.gpu.empty()) c.gpu = row.gpu;
  return out;
}

std::vector<MeasuredRun> measured_runs(const Scenario& s) {
  std::vector<MeasuredRun> out;
  for (const MeasuredSpec& row : s.measured) out.push_back(measured_run(s, row));
  return out;
}

RunTraits Evaluator::Impl::traits(const Question& q) {
  const NodeSpec& spec = node(q.cluster);
  const WorkloadSpec& w = q.workload;
  RunTraits out;
  out.gpu = spec.gpu.id;
  out.machine = spec.id;
  out.fabric = q.cluster.fabric;
  out.fabric.choice.gang.clear();
  out.network = w.model;
  if (w.image) out.network += fmt::format(" {}x{}", (*w.image)[0], (*w.image)[1]);
  if (w.tokens) out.network += fmt::format(" {}", *w.tokens);
  const FrameworkQuery software = software_of(w, spec.gpu);
  out.software = fmt::format("{} {} {} {} {} {} {}", software.name, software.version, software.script,
                             software.cudnn, software.kernels, software.channels_last, software.compiled);
  out.precision = to_string(w.precision);
  out.batch = w.batch_per_gpu;
  if (w.parallelism) {
    Mesh replica = *w.parallelism;
    replica.data = 1;
    out.batch = replica.micro_batch;
    replica.micro_batches = 1;
    out.split = split_text(replica);
  }
  out.gpus = ranks(q);
  out.nodes = used_nodes(q, spec);
  return out;
}

FactorBelief Evaluator::Impl::belief(const Question& q, const TrainingRun& modelled) {
  const FactorVector prior = prior_spread(q, modelled);
  return posterior ? posterior->at(traits(q), prior) : prior_belief(prior);
}

FactorBelief Evaluator::Impl::belief(const Question& q) {
  return belief(q, steady(q, Scales{.absolute = true}));
}

Scales Evaluator::Impl::learned(const Question& q, const EpochHits& hits, const Scales& scales) {
  const TrainingRun& modelled = run(q, hits, Scales{.absolute = true});
  const Scales mean = scales_of(belief(q, modelled).mean);
  return {scales.compute * mean.compute, scales.network * mean.network, scales.input * mean.input,
          scales.failures, true};
}

Spread Evaluator::Impl::spread(const Question& q) {
  const FactorBelief now = belief(q);
  return {.compute = now.log_sigma(Factor::kernels),
          .network = now.log_sigma(Factor::exchange),
          .input = now.log_sigma(Factor::input),
          .scaling = now.log_sigma(Factor::pace)};
}

double Evaluator::Impl::log_rate(const Question& q, const FactorVector& log_factors) {
  const TrainingRun& at = steady(q, scales_of(log_factors));
  return std::log(at.samples_per_step / at.parts.total.base());
}

Observation Evaluator::Impl::observe(const MeasuredRun& run) {
  std::optional<Question> kept;
  const Question& q = sized(run.question, kept);
  Observation out;
  out.run = traits(q);
  const TrainingRun& modelled = steady(q, Scales{.absolute = true});
  out.log_sigma = prior_spread(q, modelled);
  const FactorVector at = belief(q, modelled).mean;
  double linear = 0;
  for (std::size_t k = 0; k < factor_count; ++k) {
    const double reach = out.log_sigma[k];
    if (reach <= 0) continue;
    FactorVector faster = at, slower = at;
    faster[k] += reach;
    slower[k] -= reach;
    out.sensitivity[k] = (log_rate(q, faster) - log_rate(q, slower)) / (2 * reach);
    linear += out.sensitivity[k] * at[k];
  }
  const double units = figure_per_rate(run.row, workload(q.workload));
  const double rate = run.row.metric == MeasuredMetric::step_time ? modelled.samples_per_step / run.row.value
                                                                  : run.row.value / units;
  out.log_ratio = std::log(rate) - log_rate(q, at) + linear;
  out.error = run.row.spread;
  return out;
}

void Evaluator::learn(std::vector<MeasuredRun> runs) {
  Impl& own = *impl_;
  own.posterior.reset();
  own.workers.clear();  // they believe what this one believed
  own.measured = std::move(runs);
  if (own.measured.empty()) return;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<Observation>& seen = own.observed;
    seen.clear();
    for (const MeasuredRun& run : own.measured) {
      try {
        check_counts(run, node(run.question.cluster));
        check_split(run.question.workload, own.ranks(run.question));
        seen.push_back(own.observe(run));
      } catch (const LimitReached&) {
        throw;
      } catch (const Error& e) {
        const Where& where = e.where().line ? e.where() : run.row.where;
        throw Error{"the measured run cannot be built: " + e.message(), where, e.hint(),
                    ErrorKind::invalid_input};
      }
    }
    own.posterior = std::make_shared<const Posterior>(seen);
  }
}

std::vector<MeasuredComparison> Evaluator::compare_measured(const std::vector<Question>& answer) {
  Impl& own = *impl_;
  std::vector<MeasuredComparison> out;
  const auto time = [&] {
    double sum = 0;
    for (const Question& q : answer) sum += time_to_train(q, false).base();
    return sum;
  };
  std::vector<MeasuredSpec> rows;
  for (const MeasuredRun& run : own.measured) rows.push_back(run.row);
  const double with_all = own.measured.empty() || answer.empty() ? 0 : time();
  for (std::size_t i = 0; i < own.measured.size(); ++i) {
    MeasuredComparison& one = out.emplace_back();
    one.run = own.measured[i];
    std::optional<Question> kept;
    const Question& q = own.sized(one.run.question, kept);
    const Observation& seen = own.observed[i];
    const double units = figure_per_rate(one.run.row, workload(q.workload));
    const double step = own.steady(q, Scales{.absolute = true}).samples_per_step;
    const auto figure = [&](const FactorBelief& belief) {
      return figure_of_belief(one.run, std::exp(own.log_rate(q, belief.mean)),
                              std::sqrt(belief.variance_of(seen.sensitivity)), step, units);
    };
    const FactorBelief before = prior_belief(seen.log_sigma);
    one.before = figure(before);
    one.after = figure(own.belief(q));
    one.node = node(q.cluster).title;
    one.gpus = own.ranks(q);
    one.batch_per_gpu = q.workload.batch_per_gpu;
    const double sigma = std::hypot(std::sqrt(before.variance_of(seen.sensitivity)), seen.error);
    one.deviation = std::log(one.run.row.value / one.before.value) / sigma;
    one.contradicts = std::abs(one.deviation) > half_of_99_percent;
    one.conflicts = conflicting_rows(rows, i);
    if (!(with_all > 0)) continue;
    std::vector<Observation> others = own.observed;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    const auto all = std::exchange(own.posterior, std::make_shared<const Posterior>(std::move(others)));
    one.moved = with_all / time() - 1;
    own.posterior = all;
  }
  return out;
}

}  // namespace rackcast
