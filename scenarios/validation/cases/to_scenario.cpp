#include "scenarios/validation/cases/to_scenario.hpp"

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "scenarios/validation/cases/input_of_case.hpp"
#include "scenarios/validation/cases/software_of_case.hpp"
#include "scenarios/validation/cases/unpredictable.hpp"
#include "scenarios/validation/cases/workload_of_case.hpp"
#include "topologies/hardware/node_spec.hpp"

namespace rackcast {
namespace {

using ScenarioDocument = nlohmann::ordered_json;

/// Rates hardly depend on how much data there is, so cases of rates mostly do not say.
constexpr double any_number_of_samples = 1e6;
/// The node of the catalogue that takes any GPU.
constexpr const char* one_gpu_node = "workstation";

struct MetricOfAnswer {
  std::string_view metric;
  Estimate Prediction::*figure;
};
constexpr std::array metrics_of_answers{
    MetricOfAnswer{"images_per_s", &Prediction::samples_per_s},
    MetricOfAnswer{"samples_per_s", &Prediction::samples_per_s},
    MetricOfAnswer{"sequences_per_s", &Prediction::samples_per_s},
    MetricOfAnswer{"samples_per_s_per_gpu", &Prediction::samples_per_s},
    MetricOfAnswer{"tokens_per_s", &Prediction::samples_per_s},
    MetricOfAnswer{"tokens_per_s_per_gpu", &Prediction::samples_per_s},
    MetricOfAnswer{"step_time_s", &Prediction::step_time},
    MetricOfAnswer{"epoch_time_s", &Prediction::time_to_train},
    MetricOfAnswer{"time_to_train_s", &Prediction::time_to_train},
};

/// Whole numbers without a point.
ScenarioDocument number(double value) {
  if (std::floor(value) == value && std::abs(value) < 1e15) return static_cast<std::int64_t>(value);
  return value;
}

void require_sayable(const ValidationCase& c) {
  if (c.workload.task != "training")
    throw Unsayable{"a scenario asks for training, and this is task \"" + c.workload.task + "\""};
  if (!c.system.gpus) throw Unpredictable{"number of GPUs not stated"};
  if (!c.one_gpu())
    throw Unsayable{"several GPUs: a scenario cannot yet describe every machine that cases ran on"};
  if (transformer_of_case(c))
    throw Unsayable{"a network given by the shape of its transformer: a scenario names networks"};
  if (reads_imagenet(c) && c.system.node)
    throw Unsayable{"images from a storage that the catalogue lacks: a scenario needs its rates"};
  if (recomputation_of_case(c) != Recomputation::none)
    throw Unsayable{"activations computed again on one GPU: a scenario says that of split networks"};
}

ScenarioDocument cluster_document(const Catalog& catalog, const ValidationCase& c) {
  if (!c.system.gpu) throw Unpredictable{"GPU not stated"};
  ScenarioDocument out;
  const std::string node = c.system.node.value_or(one_gpu_node);
  out["node"] = node;
  if (!c.system.node || node_spec(catalog, node).gpu.id != *c.system.gpu) out["gpu"] = *c.system.gpu;
  out["nodes"] = 1;
  out["gpus_per_job"] = 1;
  return out;
}

ScenarioDocument software_document(const ValidationCase& c) {
  const FrameworkQuery query = software_of_case(c);
  ScenarioDocument out{{"name", query.name}};
  if (!query.version.empty()) out["version"] = query.version;
  if (!query.script.empty()) out["script"] = query.script;
  if (!query.cudnn.empty()) out["cudnn"] = query.cudnn;
  if (!query.kernels.empty()) out["convolutions"] = query.kernels;
  if (query.channels_last) out["channels_last"] = true;
  if (query.compiled) out["compiled"] = true;
  return out;
}

/// What a GPU takes in a step, and of several passes their sum.
void set_batch(const ValidationCase& c, ScenarioDocument& out) {
  const double batch = batch_of_case(c), passes = accumulation_of_case(c);
  out["batch_per_gpu"] = number(batch);
  if (passes == 1) return;
  const double all = batch * passes;
  if (std::floor(all) != all) throw Unsayable{"passes that add up to a part of a sample"};
  out["global_batch"] = static_cast<std::int64_t>(all);
}

ScenarioDocument workload_document(const ValidationCase& c, double epochs) {
  ScenarioDocument out{{"model", network_name_of_case(c)}, {"epochs", number(epochs)}};
  set_batch(c, out);
  out["precision"] = std::string{to_string(precision_of(c))};
  if (!flag_in(c.workload.extra, "includes_optimizer").value_or(true))
    out["optimizer"] = "none";
  else if (const auto stated = states_adam(c))
    out["optimizer"] = *stated ? "adam" : "momentum";
  if (const auto image = image_of_case(c)) {
    out["sample"] = {{"image", *image}};
  } else if (const auto tokens = sequence_length(c)) {
    out["sample"] = {{"tokens", static_cast<std::int64_t>(*tokens)}};
  }
  out["framework"] = software_document(c);
  return out;
}

}  // namespace

AskedFigure asked_figure(const ValidationCase& c) {
  for (const MetricOfAnswer& m : metrics_of_answers) {
    if (m.metric != c.metric) continue;
    return {m.figure, c.metric.starts_with("tokens") ? counted_tokens(c) : 1};
  }
  throw Unsayable{"the answer to a scenario has no figure \"" + c.metric + "\""};
}

std::string to_scenario(const Catalog& catalog, const ValidationCase& c) {
  require_sayable(c);
  const AskedFigure asked = asked_figure(c);
  RunLength length{number_in(c.workload.extra, "samples_per_epoch").value_or(any_number_of_samples), 1};
  if (asked.figure == &Prediction::time_to_train) length = length_of_run(c);
  ScenarioDocument out;
  out["name"] = c.id;
  out["description"] = "published: " + c.citation;
  out["data"] = {{"samples", static_cast<std::int64_t>(std::max(1.0, std::round(length.samples)))}};
  out["workloads"] = ScenarioDocument::array({workload_document(c, length.epochs)});
  out["cluster"] = cluster_document(catalog, c);
  return out.dump(2, ' ', false, ScenarioDocument::error_handler_t::replace) + "\n";
}

}  // namespace rackcast
