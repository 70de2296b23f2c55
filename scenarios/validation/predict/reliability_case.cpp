/// Figures of failures and goodput, predicted from the rates of other clusters than the one that is asked
/// about.
#include <cmath>

#include "models/data_path/checkpoint.hpp"
#include "models/reliability/failure_rates.hpp"
#include "models/reliability/goodput.hpp"
#include "scenarios/validation/predict/predictor.hpp"
#include "scenarios/validation/settings/publications.hpp"
#include "sim/base/normal.hpp"
#include "topologies/hardware/link_spec.hpp"

namespace rackcast {

namespace {

constexpr Duration kHour{3600}, day_length{86400};

double nodes_of(const ValidationCase& c) {
  if (c.system.nodes) return *c.system.nodes;
  if (!c.system.gpus) throw Unpredictable{"number of GPUs not stated", "gpus"};
  return *c.system.gpus / 8;
}

PublishedRate rate_for(PredictionContext& context, const ValidationCase& c) {
  if (const auto stated = number_in(c.workload.extra, "failures_per_1000_node_days"))
    return {*stated / (1000 * day_length), 0};
  return published_interruptions(context.catalog(), publication_of(c).study);
}

PredictedFigure scaled(const PublishedRate& rate, double value) {
  return figure_of(value, rate.log_sigma);
}

/// Goodput of the case but for its rate and interval.
GoodputSpec job_of(PredictionContext& context, const ValidationCase& c) {
  const RepairDefaults defaults = repair_defaults(context.catalog());
  GoodputSpec spec;
  const auto restart = number_in(c.workload.extra, "restart_s");
  spec.restart = restart ? Duration{*restart} : defaults.detection + defaults.restart;
  spec.restart += Duration{number_in(c.workload.extra, "queue_s").value_or(0)};
  return spec;
}

/// A transformer's state, each node writing its part over one of its ports.
Duration save_time(PredictionContext& context, const ValidationCase& c) {
  const auto billions = number_in(c.workload.transformer, "params_b");
  const auto link = text_in(c.system.fabric, "link");
  if (!billions || !link)
    throw Unpredictable{"neither checkpoint interval nor network size and storage stated"};
  const Bytes state = checkpoint_bytes(*billions * 1e9, Precision::bf16, Optimizer::adam);
  return state / (nodes_of(c) * link_spec(context.catalog(), *link).achievable.value);
}

double causes_per_year(PredictionContext& context, const std::string& cause) {
  // The nodes of the one run whose causes are published have the parts of a DGX H100: 8 GPUs, 8 ports, 2
  // CPUs.
  const NodeReliability node = node_reliability(context.catalog(), node_spec(context.catalog(), "dgx_h100"));
  const auto of = [&node](std::string_view name) {
    for (const ComponentRate& part : node.components)
      if (part.name == name) return part.count * part.per_year;
    return 0.0;
  };
  if (cause == "faulty-gpu") return of("GPU");
  if (cause == "cpu") return of("CPU");
  if (cause == "nic") return of("network adapter");
  if (cause == "network-switch-cable") return of("optical transceiver");
  throw Unpredictable{"no failure rate of this cause in the catalogue"};
}

}  // namespace

PredictedFigure predict_mttf(PredictionContext& context, const ValidationCase& c) {
  const PublishedRate rate = rate_for(context, c);
  return scaled(rate, 1 / (nodes_of(c) * rate.per_node) / kHour);
}

PredictedFigure predict_interruptions(PredictionContext& context, const ValidationCase& c) {
  const std::string cause = text_in(c.workload.extra, "cause").value_or("");
  const PublishedRate rate = rate_for(context, c);
  const Duration window = 54 * day_length;
  if (cause == "unexpected-total") return scaled(rate, nodes_of(c) * rate.per_node * window);
  if (cause == "planned" || cause == "total")
    throw Unpredictable{"planned interruptions are a decision, not a failure"};
  return scaled(rate, nodes_of(c) * causes_per_year(context, cause) * (window / (365.25 * day_length)));
}

PredictedFigure predict_failure_rate(PredictionContext& context, const ValidationCase& c) {
  const PublishedRate rate = published_interruptions(context.catalog(), publication_of(c).study);
  return scaled(rate, rate.per_node * (1000 * day_length));
}

PredictedFigure predict_machine_failures(PredictionContext& context, const ValidationCase& c) {
  const PublishedRate rate = rate_for(context, c);
  return scaled(rate, nodes_of(c) * rate.per_node * day_length);
}

PredictedFigure predict_effective_time(PredictionContext& context, const ValidationCase& c) {
  const PublishedRate rate = rate_for(context, c);
  GoodputSpec spec = job_of(context, c);
  const auto interval = number_in(c.workload.extra, "checkpoint_interval_s");
  if (!interval) spec.stall = save_time(context, c);
  const auto at = [&](double sigmas) {
    spec.mttf = 1 / (nodes_of(c) * rate.per_node * std::exp(sigmas * rate.log_sigma));
    spec.interval = interval ? Duration{*interval} : daly_interval(spec.stall, spec.mttf);
    return goodput(spec).useful;
  };
  return {at(0), at(half_of_90_percent), at(-half_of_90_percent)};
}

PredictedFigure predict_checkpoint_interval(PredictionContext& context, const ValidationCase& c) {
  const auto target = number_in(c.workload.extra, "for_effective_training_fraction");
  if (!target) throw Unpredictable{"an interval that somebody chose, not one that follows from a target"};
  const PublishedRate rate = rate_for(context, c);
  GoodputSpec spec = job_of(context, c);
  spec.mttf = 1 / (nodes_of(c) * rate.per_node);
  const auto interval = longest_interval(spec, *target);
  if (!interval) throw Unpredictable{"no interval gives this with the default time of detection and restart"};
  return figure_of(interval->base(), 0);
}

}  // namespace rackcast
