/// Megatron-LM's command line, as a scenario that trains the same network with the same split and batch.
#include "calibrate/import/launch/megatron_args.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "calibrate/import/launch/scenario_draft.hpp"
#include "models/networks/workload.hpp"
#include "models/split/mesh.hpp"
#include "sim/base/utf8.hpp"
#include "sim/json/reader.hpp"

namespace rackcast {
namespace {

using nlohmann::ordered_json;

Recomputation recomputation_of(const MegatronArguments& in) {
  const std::string kind = in.text("recompute-granularity")
                               .value_or(in.has("checkpoint-activations")  ? "full"
                                         : in.has("recompute-activations") ? "selective"
                                                                           : "");
  if (kind.empty()) return Recomputation::none;
  if (kind == "selective") {
    const LaunchArgument* modules = in.list().find("recompute-modules");
    if (modules && std::ranges::any_of(modules->values,
                                       [](const ArgumentWord& value) { return value.text != "core_attn"; }))
      in.warn("--recompute-modules is left out: the core of attention is computed again, and nothing else");
    return Recomputation::selective;
  }
  if (kind != "full")
    in.fail("recompute-granularity", fmt::format("{} is no granularity of recomputation", in_quotes(kind)),
            "full or selective");
  const std::int64_t layers = in.count("recompute-num-layers", 1, 10'000).value_or(1);
  if (in.text("recompute-method").value_or("uniform") == "block")
    in.warn(fmt::format(
        "--recompute-method block is left out: all layers of a stage are computed again, not {} of them",
        layers));
  else if (layers > 1)
    in.warn(fmt::format("--recompute-num-layers {} is left out: every layer keeps its input, not one in {}",
                        layers, layers));
  return Recomputation::full;
}

/// 0 to 3, as ZeRO counts them.
int sharding_of(const MegatronArguments& in) {
  if (in.has("use-torch-fsdp2")) return 3;
  if (!in.has("use-megatron-fsdp")) {
    const bool by_nemo = in.is_nemo() && in.text("optim.name").value_or("") == "distributed_fused_adam";
    return by_nemo || in.has("use-distributed-optimizer") ? 1 : 0;
  }
  const std::string strategy = in.text("data-parallel-sharding-strategy").value_or("optim_grads_params");
  constexpr std::array<std::string_view, 4> strategies{"no_shard", "optim", "optim_grads",
                                                       "optim_grads_params"};
  const auto* found = std::ranges::find(strategies, strategy);
  if (found == strategies.end())
    in.fail("data-parallel-sharding-strategy", fmt::format("{} is no way to shard", in_quotes(strategy)),
            fmt::format("one of {}", fmt::join(strategies, ", ")));
  return static_cast<int>(found - strategies.begin());
}

/// Parts of a stage, from the layers of one or from their number.
int interleave_of(const MegatronArguments& in, int pipeline) {
  const auto parts = in.count("num-virtual-stages-per-pipeline-rank", 1, 256);
  const auto each = in.count("num-layers-per-virtual-pipeline-stage", 1, 10'000);
  if (!parts && !each) return 1;
  const std::string_view name =
      parts ? "num-virtual-stages-per-pipeline-rank" : "num-layers-per-virtual-pipeline-stage";
  if (pipeline == 1 && parts.value_or(0) != 1)
    in.fail(name, "parts of the network are interleaved in a pipeline only",
            "--pipeline-model-parallel-size 2 or more");
  if (parts) return static_cast<int>(*parts);
  const auto layers = in.count("num-layers", 1, 10'000);
  if (!layers) {
    in.warn("without --num-layers the parts of a stage are not known, and are left out");
    return 1;
  }
  // validate_args(): embedding and loss count like a layer each where an option asks for it.
  const std::int64_t all = *layers + (in.has("account-for-embedding-in-pipeline-split") ? 1 : 0) +
                           (in.has("account-for-loss-in-pipeline-split") ? 1 : 0);
  if (all % pipeline != 0 || all / pipeline % *each != 0)
    in.fail(name,
            fmt::format("{} layers{} in {} stages make no whole number of parts of {} layers", all,
                        all == *layers ? "" : ", embedding or loss among them,", pipeline, *each),
            "a divisor of the layers of a stage");
  const std::int64_t found = all / pipeline / *each;
  if (*layers % (pipeline * found) != 0)
    in.warn(
        fmt::format("{} layers do not fill {} stages of {} equal parts: embedding and loss take the "
                    "place of a layer there, and the stages have all layers in nearly equal numbers here",
                    *layers, pipeline, found));
  return static_cast<int>(found);
}

bool has_unequal_stages(const MegatronArguments& in) {
  for (const std::string_view name :
       {"decoder-first-pipeline-num-layers", "decoder-last-pipeline-num-layers",
        "pipeline-model-parallel-layout", "account-for-embedding-in-pipeline-split",
        "account-for-loss-in-pipeline-split"})
    if (in.has(name)) return true;
  return false;
}

void must_divide(const MegatronArguments& in, std::string_view option, std::int64_t ways,
                 std::string_view counted, std::int64_t each = 1) {
  const auto number = in.count(counted, 1, 10'000'000);
  if (number && *number % (ways * each) != 0)
    in.fail(option,
            fmt::format("--{} {} is not divisible by {} of --{}", counted, *number,
                        each > 1 ? fmt::format("{} times the {}", each, ways) : fmt::format("the {}", ways),
                        option),
            fmt::format("a divisor of --{}", counted));
}

Mesh mesh_of_arguments(const MegatronArguments& in) {
  Mesh out;
  const auto ways = [&in](std::string_view name, int most) {
    return static_cast<int>(in.count(name, 1, most).value_or(1));
  };
  out.tensor = ways("tensor-model-parallel-size", 1024);
  out.pipeline = ways("pipeline-model-parallel-size", 1024);
  out.context = ways("context-parallel-size", 1024);
  out.expert = ways("expert-model-parallel-size", 4096);
  out.interleave = interleave_of(in, out.pipeline);
  out.micro_batch = static_cast<double>(in.count("micro-batch-size").value_or(1));
  if (!in.has("micro-batch-size")) in.warn("without --micro-batch-size a micro-batch is one sequence");
  must_divide(in, "tensor-model-parallel-size", out.tensor, "num-attention-heads");
  if (!has_unequal_stages(in)) must_divide(in, "pipeline-model-parallel-size", out.pipeline, "num-layers");
  // Each GPU has a part from the beginning and one from the end, so that all have as many words to look at.
  if (out.context > 1) must_divide(in, "context-parallel-size", out.context, "seq-length", 2);
  must_divide(in, "expert-model-parallel-size", out.expert, "num-experts");
  if (out.expert > 1 && !in.has("num-experts"))
    in.fail("expert-model-parallel-size", "a network without experts cannot be split by them",
            "--num-experts, or leave this out");
  out.recompute = recomputation_of(in);
  out.zero_stage = sharding_of(in);
  out.sequence_parallel = in.has("sequence-parallel") && out.tensor > 1;
  if (out.zero_stage < 2) out.overlap_gradients = in.has("overlap-grad-reduce");
  return out;
}

/// Experts are whole, on any number of GPUs; with one GPU to the experts they are cut like other layers.
void check_expert_cut(const MegatronArguments& in, const Mesh& mesh) {
  if (!in.has("num-experts")) return;
  const std::int64_t cut = in.count("expert-tensor-parallel-size", 1, 1024).value_or(mesh.tensor);
  if (mesh.expert > 1 && cut > 1)
    in.warn(fmt::format(
        "--expert-tensor-parallel-size {}{} is left out: each expert is whole on one of the {} GPUs here",
        cut, in.has("expert-tensor-parallel-size") ? "" : " (as --tensor-model-parallel-size says)",
        mesh.expert));
  if (mesh.expert == 1 && cut == 1 && mesh.tensor > 1)
    in.warn("--expert-tensor-parallel-size 1 is left out: experts are cut over the GPUs of a layer here");
}

/// GPUs over which states are sharded, of those with the same weights; 0: all.
int shard_group_of(const MegatronArguments& in, const Mesh& mesh, const Machines& machines) {
  const std::int64_t copies = in.count("num-distributed-optimizer-instances", 1, 1'000'000).value_or(1);
  if (copies == 1 || mesh.zero_stage == 0) return 0;
  const std::int64_t same = machines.gpus() / (mesh.tensor * mesh.pipeline);
  if (same == 0 || same / copies < 2 || mesh.expert > 1) {
    in.warn(
        "--num-distributed-optimizer-instances is left out: states are sharded over all GPUs with the same "
        "weights");
    return 0;
  }
  return static_cast<int>(same / copies);
}

std::string precision_of(const MegatronArguments& in) {
  const std::string nemo = in.text("precision").value_or("");
  const bool bf16 = in.has("bf16") || nemo.starts_with("bf16"),
             fp16 = in.has("fp16") || nemo.starts_with("16");
  if (bf16 && fp16) in.fail("fp16", "a training has either --bf16 or --fp16", "leave one of them out");
  if (in.has("fp4-format")) return "fp4";
  if (in.has("fp8-format")) return "fp8";
  return bf16 ? "bf16" : fp16 ? "mixed" : "fp32";
}

ordered_json network_json(const TransformerShape& shape) {
  ordered_json out;
  const auto add = [&out](const char* key, std::int64_t value) {
    if (value != 0) out[key] = value;
  };
  const auto mark = [&out](const char* key, bool value) {
    if (value) out[key] = true;
  };
  add("layers", shape.layers);
  add("hidden", shape.hidden);
  add("heads", shape.heads);
  add("kv_heads", shape.kv_heads);
  add("head_dim", shape.head_dim);
  add("ffn", shape.ffn);
  add("vocab", shape.vocab);
  add("seq_len", shape.seq_len);
  add("longest_context", shape.longest_context);
  add("learned_positions", shape.learned_positions);
  add("window", shape.window);
  add("full_attention_every", shape.full_attention_every);
  add("experts", shape.experts);
  add("top_k", shape.top_k);
  add("moe_ffn", shape.moe_ffn);
  add("shared_experts", shape.shared_experts);
  add("shared_ffn", shape.shared_ffn);
  add("dense_layers", shape.dense_layers);
  add("expert_every", shape.expert_every);
  add("q_lora_rank", shape.q_lora_rank);
  add("kv_lora_rank", shape.kv_lora_rank);
  add("qk_nope_head_dim", shape.kv_lora_rank > 0 ? shape.qk_nope_head_dim : 0);
  add("qk_rope_head_dim", shape.kv_lora_rank > 0 ? shape.qk_rope_head_dim : 0);
  add("v_head_dim", shape.kv_lora_rank > 0 ? shape.v_head_dim : 0);
  mark("gated_mlp", shape.gated_mlp);
  mark("biases", shape.biases);
  mark("qkv_bias", shape.qkv_bias);
  mark("qk_norm", shape.qk_norm);
  mark("layer_norm", shape.layer_norm);
  mark("tied_output", shape.tied_output);
  mark("dropout", shape.dropout);
  return out;
}

/// Names the network, or describes it; returns what messages call it.
std::string add_network(const MegatronArguments& in, const ImportSource& source, ordered_json& workload) {
  const auto shape = megatron_shape(in);
  if (!shape) return "a network that the file leaves open";
  if (const auto known = network_like(*shape)) {
    workload["model"] = *known;
    return *known;
  }
  ordered_json own{{"title", "GPT"}, {"task", "language model"}, {"source", "arguments of Megatron-LM"}};
  own["transformer"] = network_json(*shape);
  try {
    const double all = own_network(parse_json(own.dump(), source.name()), {}).parameters();
    own["title"] = "GPT, " + count_in_words(all) + " parameters";
  } catch (const Error& e) {
    in.fail("num-layers", "the numbers of these options describe no network: " + e.message(), e.hint());
  }
  workload["model"] = own;
  return own["title"].get<std::string>();
}

/// Samples of a step: a micro-batch for each copy of the network, unless the file says otherwise.
std::optional<std::int64_t> batch_of(const MegatronArguments& in, const Mesh& mesh,
                                     const Machines& machines) {
  constexpr std::int64_t most = 1'000'000'000;
  const auto stated = in.count("global-batch-size", 1, most);
  if (machines.gpus() == 0) return stated;
  if (stated) return stated;
  const std::int64_t replica = std::int64_t{mesh.tensor} * mesh.pipeline * mesh.context;
  return static_cast<std::int64_t>(mesh.micro_batch) * (machines.gpus() / replica);
}

/// Bytes of a token in Megatron-LM's files (DType.optimal_dtype in
/// megatron/core/datasets/indexed_dataset.py).
std::int64_t token_bytes(std::int64_t vocabulary) {
  return vocabulary < 65'500 ? 2 : 4;
}

void add_data(const MegatronArguments& in, std::optional<std::int64_t> batch, std::int64_t vocabulary,
              ordered_json& scenario) {
  constexpr std::int64_t most = 1'000'000'000'000'000;
  const auto samples = in.count("train-samples", 1, most),
             steps = in.count("train-iters", 1, 1'000'000'000'000);
  if (!samples && !(steps && batch)) return;
  const double all =
      samples ? static_cast<double>(*samples) : static_cast<double>(*steps) * static_cast<double>(*batch);
  if (all > 1e18) in.fail("train-iters", "more than 1e18 samples are no training", "correct --train-iters");
  scenario["data"]["samples"] = static_cast<std::int64_t>(all);
  if (const auto tokens = in.count("seq-length", 1, 4'000'000))
    scenario["data"]["bytes_per_sample"] = fmt::format("{} B", *tokens * token_bytes(vocabulary));
}

std::int64_t vocabulary_in(const ordered_json& workload) {
  if (!workload.contains("model")) return 65'536;
  const ordered_json& model = workload["model"];
  return model.is_string() ? vocabulary_of(model.get<std::string>())
                           : model["transformer"]["vocab"].get<std::int64_t>();
}

ordered_json parallelism_json(const Mesh& mesh) {
  ordered_json out{{"tensor", mesh.tensor}, {"pipeline", mesh.pipeline}};
  if (mesh.interleave > 1) out["interleave"] = mesh.interleave;
  if (mesh.context > 1) out["context"] = mesh.context;
  if (mesh.expert > 1) out["expert"] = mesh.expert;
  out["micro_batch"] = static_cast<std::int64_t>(mesh.micro_batch);
  out["zero_stage"] = mesh.zero_stage;
  if (mesh.shard_group > 0) out["shard_group"] = mesh.shard_group;
  out["recompute"] = to_string(mesh.recompute);
  out["sequence_parallel"] = mesh.sequence_parallel.value_or(false);
  if (mesh.overlap_gradients) out["overlap_gradients"] = *mesh.overlap_gradients;
  return out;
}

std::string optimizer_name(const MegatronArguments& in) {
  const std::string stated = in.text("optimizer").value_or("adam");
  if (stated == "sgd") return "momentum";
  if (stated != "adam")
    in.warn(fmt::format("--optimizer {} is left out: Adam is counted", in_quotes(stated)));
  return "adam";
}

}  // namespace

void import_megatron_args(const Catalog&, const ImportSource& source, ImportOutput& out) {
  const ArgumentList list{source, out.warnings};
  const MegatronArguments in{list, out.warnings};
  Mesh mesh = mesh_of_arguments(in);
  const Machines machines = checked_machines(in, mesh, machines_of(in));
  mesh.shard_group = shard_group_of(in, mesh, machines);
  if (mesh.zero_stage >= 2 && mesh.expert > 1) {
    in.warn(
        "gradients or weights sharded beside experts split over GPUs have no model: states of the optimizer "
        "alone "
        "are sharded");
    mesh.zero_stage = 1;
  }
  check_expert_cut(in, mesh);
  const auto batch = batch_of(in, mesh, machines);

  ordered_json workload = ordered_json::object();
  const std::string network = add_network(in, source, workload);
  workload["epochs"] = 1;
  if (batch) workload["global_batch"] = *batch;
  workload["precision"] = precision_of(in);
  workload["optimizer"] = optimizer_name(in);
  if (const auto tokens = in.count("seq-length", 1, 4'000'000)) workload["sample"] = {{"tokens", *tokens}};
  workload["parallelism"] = parallelism_json(mesh);

  ordered_json scenario{{"name", "Training of " + network},
                        {"description", "Split, batch and precision are those of arguments of Megatron-LM."}};
  add_data(in, batch, vocabulary_in(workload), scenario);
  scenario["workloads"] = ordered_json::array({workload});
  scenario["cluster"] = ordered_json::object();
  if (machines.nodes > 0) scenario["cluster"]["nodes"] = machines.nodes;
  if (machines.gpus_per_node > 0) scenario["cluster"]["gpus_per_node"] = machines.gpus_per_node;
  warn_of_others(in);
  finish_draft(std::move(scenario), out);
  out.version = "Megatron-LM";
  out.summary = fmt::format("a training of {} split into {}", network, split_text(mesh));
}

}  // namespace rackcast
