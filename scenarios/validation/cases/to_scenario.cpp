#include "scenarios/validation/cases/to_scenario.hpp"

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "models/networks/transformer.hpp"
#include "scenarios/validation/cases/cluster_of_case.hpp"
#include "scenarios/validation/cases/exchange_of_case.hpp"
#include "scenarios/validation/cases/input_of_case.hpp"
#include "scenarios/validation/cases/software_of_case.hpp"
#include "scenarios/validation/cases/split_of_case.hpp"
#include "scenarios/validation/cases/unpredictable.hpp"
#include "scenarios/validation/cases/workload_of_case.hpp"
#include "topologies/hardware/node_spec.hpp"

namespace rackcast {
namespace {

using ScenarioDocument = nlohmann::ordered_json;

/// Rates hardly depend on how much data there is, so cases of rates mostly do not say.
constexpr double any_number_of_samples = 1e6;

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
    MetricOfAnswer{"steps_per_s", &Prediction::step_time},
    MetricOfAnswer{"epoch_time_s", &Prediction::time_to_train},
    MetricOfAnswer{"time_to_train_s", &Prediction::time_to_train},
};

/// nullptr where the answer has no such figure.
Estimate Prediction::*figure_of_answer(const std::string& metric) {
  for (const MetricOfAnswer& m : metrics_of_answers)
    if (m.metric == metric) return m.figure;
  return nullptr;
}

bool measures_whole_run(const ValidationCase& c) {
  return figure_of_answer(c.metric) == &Prediction::time_to_train;
}

/// A network that the case gives by the shape of its transformer, as a file would describe it.
ScenarioDocument own_network(const ValidationCase& c, const TransformerShape& s) {
  ScenarioDocument shape{{"layers", s.layers},
                         {"hidden", s.hidden},
                         {"heads", s.heads},
                         {"vocab", s.vocab},
                         {"seq_len", s.seq_len}};
  struct Count {
    const char* key;
    std::int64_t value;
  };
  for (const Count& count :
       std::array{Count{"kv_heads", s.kv_heads}, Count{"head_dim", s.head_dim}, Count{"ffn", s.ffn},
                  Count{"experts", s.experts}, Count{"top_k", s.top_k}, Count{"moe_ffn", s.moe_ffn},
                  Count{"shared_experts", s.shared_experts}, Count{"dense_layers", s.dense_layers},
                  Count{"q_lora_rank", s.q_lora_rank}, Count{"kv_lora_rank", s.kv_lora_rank},
                  Count{"qk_nope_head_dim", s.qk_nope_head_dim},
                  Count{"qk_rope_head_dim", s.qk_rope_head_dim}, Count{"v_head_dim", s.v_head_dim}})
    if (count.value > 0) shape[count.key] = count.value;
  struct Flag {
    const char* key;
    bool value, usual;
  };
  for (const Flag& flag :
       std::array{Flag{"gated_mlp", s.gated_mlp, false}, Flag{"causal", s.causal, true},
                  Flag{"parallel_block", s.parallel_block, false}, Flag{"layer_norm", s.layer_norm, false},
                  Flag{"biases", s.biases, false}, Flag{"tied_output", s.tied_output, false}})
    if (flag.value != flag.usual) shape[flag.key] = flag.value;
  return {{"title", c.workload.model.empty() ? "transformer" : c.workload.model},
          {"task", "language model"},
          {"source", "as published with the measurement"},
          {"transformer", shape}};
}

ScenarioDocument software_document(const ValidationCase& c) {
  require_compiler(c);
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

/// What a GPU takes in a pass, and how many passes make a step.
void set_batch(const ValidationCase& c, ScenarioDocument& out) {
  const double passes = accumulation_of_case(c);
  double batch = 0;
  if (!c.workload.batch_per_gpu && !c.workload.micro_batch && c.workload.global_batch && c.system.gpus)
    batch = *c.workload.global_batch / *c.system.gpus / passes;
  else
    batch = batch_of_case(c);
  out["batch_per_gpu"] = plain_number(batch);
  if (passes == 1) return;
  if (std::floor(passes) != passes) throw Unpredictable{"a number of passes that is not whole"};
  out["accumulation"] = plain_number(passes);
}

/// Everything that the split, or its absence, says of a step.
void set_step(const Catalog& catalog, const ValidationCase& c, ScenarioDocument& out) {
  const bool split = is_split(c) || trains_adapters(c);
  const auto stated = states_adam(c);
  if (split) {
    out["parallelism"] = parallelism_document(catalog, c);
    if (trains_adapters(c)) out["adapters"] = adapters_document(c);
    out["global_batch"] = plain_number(c.workload.global_batch.value_or(0));
    if (stated) out["optimizer"] = *stated ? "adam" : "momentum";
    return;
  }
  set_batch(c, out);
  if (const Recomputation again = recomputation_of_case(c); again != Recomputation::none)
    out["recompute"] = std::string{to_string(again)};
  if (!flag_in(c.workload.extra, "includes_optimizer").value_or(true))
    out["optimizer"] = "none";
  else if (stated)
    out["optimizer"] = *stated ? "adam" : "momentum";
}

/// The network and the size of its samples.
void set_network(const ValidationCase& c, ScenarioDocument& out) {
  if (const auto shape = transformer_of_case(c)) {
    out["model"] = own_network(c, *shape);
    return;
  }
  out["model"] = network_name_of_case(c);
  if (const auto image = image_of_case(c)) {
    out["sample"] = {{"image", *image}};
  } else if (const auto tokens = sequence_length(c)) {
    out["sample"] = {{"tokens", static_cast<std::int64_t>(*tokens)}};
  }
}

ScenarioDocument workload_document(const Catalog& catalog, const ValidationCase& c, double epochs,
                                   int nodes) {
  ScenarioDocument out;
  set_network(c, out);
  out["epochs"] = plain_number(epochs);
  set_step(catalog, c, out);
  out["precision"] = std::string{to_string(precision_of(c))};
  out["framework"] = software_document(c);
  const ScenarioDocument exchange =
      exchange_document(c, profile_of(catalog, c), nodes, out.contains("parallelism"));
  if (!c.one_gpu() && !exchange.is_null()) out["exchange"] = exchange;
  return out;
}

int nodes_of(const ScenarioDocument& cluster, const Catalog& catalog, const ValidationCase& c) {
  if (cluster.contains("nodes")) return cluster.at("nodes").get<int>();
  const int local = std::min(static_cast<int>(*c.system.gpus_per_node), node_of_case(catalog, c).gpus);
  return (static_cast<int>(*c.system.gpus) + local - 1) / local;
}

}  // namespace

Estimate AskedFigure::of(const Prediction& answer) const {
  Estimate out = answer.*figure;
  if (inverse) {
    out.value = 1 / out.value;
    out.low = 1 / std::exchange(out.high, 1 / out.low);
  }
  for (double* value : {&out.value, &out.low, &out.high}) *value = plus + units * *value;
  return out;
}

AskedFigure asked_figure(const ValidationCase& c) {
  if (!figure_of_answer(c.metric))
    throw Unsayable{"the answer to a scenario has no figure \"" + c.metric + "\""};
  AskedFigure out{.figure = figure_of_answer(c.metric)};
  if (c.metric.starts_with("tokens")) out.units = counted_tokens(c);
  if (c.metric.ends_with("_per_gpu")) out.units /= c.system.gpus.value_or(1);
  out.inverse = c.metric == "steps_per_s";
  // Time to train holds the evaluations, which the logs give apart.
  if (measures_whole_run(c)) out.plus = number_in(c.workload.extra, "evaluation_s").value_or(0);
  return out;
}

std::string to_scenario(const Catalog& catalog, const ValidationCase& c) {
  if (c.workload.task != "training")
    throw Unsayable{"a scenario asks for training, and this is task \"" + c.workload.task + "\""};
  if (!c.system.gpus) throw Unpredictable{"number of GPUs not stated", "gpus"};
  const bool images = reads_images(catalog, c);
  RunLength length{number_in(c.workload.extra, "samples_per_epoch").value_or(any_number_of_samples), 1};
  if (images) length = {images_of_set(c), epoch_of_rate(c)};
  if (measures_whole_run(c)) length = length_of_run(c);
  ScenarioDocument out;
  out["name"] = c.id;
  out["description"] = "published: " + c.citation;
  out["data"] = {{"samples", static_cast<std::int64_t>(std::max(1.0, std::round(length.samples)))}};
  if (images) {
    out["storage"] = storage_document(c);
    if (ScenarioDocument input = input_document(c); !input.empty()) out["input"] = input;
  }
  const ScenarioDocument cluster = cluster_document(catalog, c);
  out["workloads"] =
      ScenarioDocument::array({workload_document(catalog, c, length.epochs, nodes_of(cluster, catalog, c))});
  out["cluster"] = cluster;
  return out.dump(2, ' ', false, ScenarioDocument::error_handler_t::replace) + "\n";
}

}  // namespace rackcast
