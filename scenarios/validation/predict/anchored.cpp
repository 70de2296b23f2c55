#include "scenarios/validation/predict/anchored.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "scenarios/evaluate/measured_run.hpp"
#include "scenarios/measured/posterior.hpp"
#include "scenarios/validation/cases/to_scenario.hpp"
#include "scenarios/validation/predict/scenario_run.hpp"
#include "scenarios/validation/settings/open_settings.hpp"
#include "sim/base/error.hpp"
#include "sim/json/plain_json.hpp"

namespace rackcast {
namespace {

/// Metrics that the same runs have, up to a known factor.
struct MetricFamily {
  std::string_view task, metric, family;
  double direction = 1;  ///< of ln(metric) with ln(speed)
};
constexpr std::array metric_families{
    MetricFamily{"training", "images_per_s", "rate"},
    MetricFamily{"training", "samples_per_s", "rate"},
    MetricFamily{"training", "sequences_per_s", "rate"},
    MetricFamily{"training", "samples_per_s_per_gpu", "rate"},
    MetricFamily{"training", "tokens_per_s", "rate"},
    MetricFamily{"training", "tokens_per_s_per_gpu", "rate"},
    MetricFamily{"training", "steps_per_s", "rate"},
    MetricFamily{"training", "step_time_s", "rate", -1},
    MetricFamily{"training", "tflops_per_gpu", "rate"},
    MetricFamily{"training", "gpu_tflop_per_s", "rate"},
    MetricFamily{"training", "mfu", "rate"},
    MetricFamily{"training", "hfu", "rate"},
    MetricFamily{"training", "fraction_of_peak", "rate"},
    MetricFamily{"training", "epoch_time_s", "length", -1},
    MetricFamily{"training", "time_to_train_s", "length", -1},
    MetricFamily{"training", "forward_time_s", "forward", -1},
    MetricFamily{"training", "backward_time_s", "backward", -1},
    MetricFamily{"forward", "forward_time_s", "forward", -1},
    MetricFamily{"backward", "backward_time_s", "backward", -1},
    MetricFamily{"inference", "images_per_s", "rate"},
    MetricFamily{"inference", "samples_per_s", "rate"},
    MetricFamily{"inference", "sequences_per_s", "rate"},
    MetricFamily{"inference", "forward_time_s", "rate", -1},
    MetricFamily{"inference", "output_tokens_per_s", "tokens"},
    MetricFamily{"inference", "output_tokens_per_s_per_gpu", "tokens"},
    MetricFamily{"inference", "tpot_ms", "token", -1},
    MetricFamily{"inference", "itl_ms_median", "token", -1},
    MetricFamily{"inference", "ttft_ms", "first token", -1},
    MetricFamily{"collective", "all_reduce_time_s", "time", -1},
    MetricFamily{"collective", "collective_time_us", "time", -1},
    MetricFamily{"collective", "all_reduce_total_time_s", "total", -1},
    MetricFamily{"collective", "busbw_gb_per_s", "bandwidth"},
};

const MetricFamily* family_of(const ValidationCase& c) {
  const auto found = std::ranges::find_if(metric_families, [&c](const MetricFamily& f) {
    return f.task == c.workload.task && f.metric == c.metric;
  });
  return found == metric_families.end() ? nullptr : &*found;
}

/// Samples of one GPU in a pass, or requests in flight; 0: not stated.
double batch_of(const ValidationCase& c) {
  if (const auto open = number_in(c.workload.extra, "concurrency")) return *open;
  if (c.workload.micro_batch) return *c.workload.micro_batch;
  if (c.workload.batch_per_gpu) return *c.workload.batch_per_gpu;
  return c.workload.global_batch.value_or(0) / std::max(1.0, c.system.gpus.value_or(1));
}

std::string text_of(const Json& json) {
  return json.kind() == JsonKind::null ? std::string{} : plain_json(json).dump();
}

std::string machine_of(const ValidationCase& c) {
  return c.system.node.value_or("") + "|" + c.system.cluster.value_or("") + "|" + c.system.intra_node;
}

/// What decides on the shapes of a run's operations, beside network and batch.
std::string shapes_of(const ValidationCase& c) {
  std::string out = text_of(c.workload.input);
  for (const std::string_view key : {"input_len", "output_len", "bytes", "size_bytes", "message_bytes"})
    if (const auto number = number_in(c.workload.extra, key)) out += fmt::format(" {:g}", *number);
  return out;
}

/// Framework and version, where the samples came from, and every setting that the case states in words.
std::string software_of_run(const ValidationCase& c) {
  std::string out = c.workload.framework + " " + c.workload.framework_version + " " + c.workload.data;
  if (c.workload.extra.kind() != JsonKind::object) return out;
  for (const auto& [key, value] : c.workload.extra.object())
    if (value.kind() == JsonKind::string || value.kind() == JsonKind::boolean)
      out += " " + key + "=" + text_of(value);
  return out;
}

std::string split_of(const ValidationCase& c) {
  std::string out;
  for (const std::string_view key : {"tp", "pp", "cp", "ep", "vpp", "zero_stage"})
    if (const auto ways = number_in(c.workload.parallelism, key)) out += fmt::format("{} {:g} ", key, *ways);
  return out;
}

RunTraits traits_of(const ValidationCase& c) {
  RunTraits out;
  out.gpu = c.system.gpu.value_or("");
  out.machine = machine_of(c);
  out.network = c.workload.model;
  out.software = software_of_run(c);
  out.precision = c.workload.precision.value_or("");
  out.split = split_of(c);
  out.shapes = shapes_of(c);
  (number_in(c.workload.extra, "concurrency") ? out.requests : out.batch) = batch_of(c);
  out.gpus = static_cast<int>(c.system.gpus.value_or(1));
  const double local = std::max(1.0, c.system.gpus_per_node.value_or(8));
  out.nodes = static_cast<int>(c.system.nodes.value_or(std::ceil(out.gpus / local)));
  return out;
}

/// Of ln(figure), from the interval.
double spread_of_figure(const PredictedFigure& f) {
  return f.low > 0 ? std::log(f.high / f.low) / (2 * half_of_90_percent) : 0;
}

/// An evaluator that has learnt a run, until the end of the scope.
class Learned {
 public:
  Learned(Evaluator& evaluator, MeasuredRun run) : evaluator_{evaluator} {
    std::vector<MeasuredRun> runs;
    runs.push_back(std::move(run));
    evaluator_.learn(std::move(runs));
  }
  ~Learned() { evaluator_.learn({}); }
  Learned(const Learned&) = delete;
  Learned& operator=(const Learned&) = delete;

 private:
  Evaluator& evaluator_;
};

/// By the scenarios of both; nothing where there is none of one of them.
std::optional<PredictedFigure> predict_with_measured(PredictionContext& context, const ValidationCase& c,
                                                     const ValidationCase& anchor,
                                                     const PredictedFigure& of_anchor) {
  // A run has the software of its scenario; settings that no scenario says differ unseen.
  if (c.workload.task != "training" || software_of_run(c) != software_of_run(anchor)) return std::nullopt;
  try {
    if (usual_variants(anchor).size() > 1) return std::nullopt;
    MeasuredRun run;
    run.question = question_of_case(context, anchor);
    (void)question_of_case(context, usual_variants(c).front());
    const double faster = std::pow(*anchor.measured / of_anchor.value, family_of(anchor)->direction);
    run.row.value = faster * context.evaluator().predict(run.question, false).samples_per_s.value;
    const Learned learned{context.evaluator(), std::move(run)};
    return predict_case(context, c).figure;
  } catch (const Unsayable&) {
  } catch (const Unpredictable&) {
  } catch (const Error&) {
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::optional<std::size_t>> choose_anchors(std::span<const ValidationCase> cases,
                                                       const std::vector<bool>& usable) {
  using Group = std::tuple<std::string, std::string, std::string, std::string, std::string, std::string,
                           std::string, std::string>;
  const auto group = [](const ValidationCase& c, const MetricFamily& family) {
    return Group{c.series,         c.system.gpu.value_or(""), machine_of(c),
                 c.workload.model, c.workload.framework,      c.workload.precision.value_or(""),
                 c.workload.task,  std::string{family.family}};
  };
  const auto size = [](const ValidationCase& c) {
    return std::tuple{c.system.gpus.value_or(1e9), batch_of(c), c.id};
  };
  std::map<Group, std::size_t> smallest;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const MetricFamily* family = family_of(cases[i]);
    if (!family || !usable[i] || cases[i].series.empty()) continue;
    const auto [it, fresh] = smallest.try_emplace(group(cases[i], *family), i);
    if (!fresh && size(cases[i]) < size(cases[it->second])) it->second = i;
  }
  std::vector<std::optional<std::size_t>> out(cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const MetricFamily* family = family_of(cases[i]);
    if (!family) continue;
    const auto found = smallest.find(group(cases[i], *family));
    if (found != smallest.end()) out[i] = found->second;
  }
  return out;
}

PredictedFigure predict_anchored(PredictionContext& context, const ValidationCase& c,
                                 const PredictedFigure& figure, const ValidationCase& anchor,
                                 const PredictedFigure& of_anchor) {
  if (auto asked = predict_with_measured(context, c, anchor, of_anchor)) return *asked;
  constexpr std::size_t whole = index_of(Factor::whole);
  Observation seen;
  seen.run = traits_of(anchor);
  seen.log_sigma[whole] = spread_of_figure(of_anchor);
  seen.sensitivity[whole] = 1;
  seen.log_ratio = family_of(anchor)->direction * std::log(*anchor.measured / of_anchor.value);
  seen.error = default_measured_spread;
  FactorVector prior{};
  prior[whole] = spread_of_figure(figure);
  const FactorBelief belief = Posterior{{seen}}.at(traits_of(c), prior);
  const double moved = std::exp(family_of(c)->direction * belief.mean[whole]);
  PredictedFigure out = figure;
  out.value *= moved;
  out.least *= moved;
  out.most *= moved;
  const double narrower = prior[whole] > 0 ? belief.log_sigma(Factor::whole) / prior[whole] : 1;
  out.low = out.value * std::pow(figure.low / figure.value, narrower);
  out.high = out.value * std::pow(figure.high / figure.value, narrower);
  return out;
}

}  // namespace rackcast
