/// Options are those of megatron/training/arguments.py and the configuration classes that it turns into
/// options (github.com/NVIDIA/Megatron-LM, August 2026). `rackcast import megatron-args` reads them back.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "scenarios/launch/launch_text.hpp"
#include "scenarios/launch/megatron_stages.hpp"
#include "sim/base/error.hpp"
#include "sim/base/utf8.hpp"

namespace rackcast {
namespace {

using Lines = std::vector<std::string>;

template <class Number>
void put(Lines& out, std::string_view option, Number value) {
  out.push_back(fmt::format("--{} {}", option, value));
}

void put_if(Lines& out, bool holds, std::string_view option) {
  if (holds) out.push_back(fmt::format("--{}", option));
}

/// "([0]*3+[1]*58)": first layers without experts, or each so many-th with them.
void put_expert_layers(const TransformerShape& s, Lines& out) {
  if (s.dense_layers == 0 && s.expert_every <= 1) return;
  if (s.dense_layers == 0) return put(out, "moe-layer-freq", s.expert_every);
  if (s.expert_every <= 1) {
    out.push_back(
        fmt::format("--moe-layer-freq \"([0]*{}+[1]*{})\"", s.dense_layers, s.layers - s.dense_layers));
    return;
  }
  std::string each;
  for (std::int64_t layer = 0; layer < s.layers; ++layer)
    each += fmt::format("{}{}", layer == 0 ? "" : ",", has_experts(s, layer) ? 1 : 0);
  out.push_back(fmt::format("--moe-layer-freq \"[{}]\"", each));
}

Lines network_arguments(const TransformerShape& s) {
  Lines out;
  const std::int64_t ffn = s.ffn > 0 ? s.ffn : 4 * s.hidden;
  put(out, "num-layers", s.layers);
  put(out, "hidden-size", s.hidden);
  put(out, "ffn-hidden-size", ffn);
  put(out, "num-attention-heads", s.heads);
  if (s.kv_lora_rank > 0) {
    out.emplace_back("--multi-latent-attention");
    if (s.q_lora_rank > 0) put(out, "q-lora-rank", s.q_lora_rank);
    put(out, "kv-lora-rank", s.kv_lora_rank);
    put(out, "qk-head-dim", s.qk_nope_head_dim);
    put(out, "qk-pos-emb-head-dim", s.qk_rope_head_dim);
    put(out, "v-head-dim", s.v_head_dim);
    out.emplace_back("--qk-layernorm");
  } else {
    if (s.head_dim > 0) put(out, "kv-channels", s.head_dim);
    if (s.kv_heads > 0 && s.kv_heads != s.heads) {
      out.emplace_back("--group-query-attention");
      put(out, "num-query-groups", s.kv_heads);
    }
    put_if(out, s.qk_norm, "qk-layernorm");
  }
  if (s.window > 0) {
    out.push_back(fmt::format("--window-size {},0", s.window - 1));
    if (s.full_attention_every > 0) put(out, "window-attn-skip-freq", s.full_attention_every);
  }
  put(out, "seq-length", s.seq_len);
  put(out, "max-position-embeddings",
      s.learned_positions > 0 ? s.learned_positions : std::max(s.seq_len, longest_context(s)));
  put(out, "position-embedding-type", s.learned_positions > 0 ? "learned_absolute" : "rope");
  put(out, "normalization", s.layer_norm ? "LayerNorm" : "RMSNorm");
  put_if(out, s.gated_mlp, "swiglu");
  put_if(out, !s.biases, "disable-bias-linear");
  put_if(out, s.qkv_bias, "add-qkv-bias");
  put_if(out, !s.tied_output, "untie-embeddings-and-output-weights");
  put(out, "attention-dropout", s.dropout ? "0.1" : "0.0");
  put(out, "hidden-dropout", s.dropout ? "0.1" : "0.0");
  put(out, "vocab-size", s.vocab);
  return out;
}

Lines expert_arguments(const TrainingLaunch& launch) {
  const TransformerShape& s = launch.shape;
  Lines out;
  if (s.experts == 0) return out;
  put(out, "num-experts", s.experts);
  put(out, "moe-router-topk", s.top_k);
  put(out, "moe-ffn-hidden-size", s.moe_ffn > 0 ? s.moe_ffn : s.ffn > 0 ? s.ffn : 4 * s.hidden);
  const std::int64_t shared = s.shared_ffn > 0 ? s.shared_ffn : s.shared_experts * s.moe_ffn;
  if (shared > 0) put(out, "moe-shared-expert-intermediate-size", shared);
  put_expert_layers(s, out);
  out.emplace_back("--moe-grouped-gemm");
  out.emplace_back("--moe-token-dispatcher-type alltoall");
  if (launch.mesh.expert > 1) {
    put(out, "expert-model-parallel-size", launch.mesh.expert);
    put(out, "expert-tensor-parallel-size", 1);
  }
  return out;
}

Lines split_arguments(const TrainingLaunch& launch) {
  const Mesh& mesh = launch.mesh;
  Lines out;
  put(out, "tensor-model-parallel-size", mesh.tensor);
  const Lines stages = stage_arguments(launch);
  out.insert(out.end(), stages.begin(), stages.end());
  if (mesh.context > 1) put(out, "context-parallel-size", mesh.context);
  put_if(out, mesh.sequence_parallel.value_or(false), "sequence-parallel");
  put_if(out, mesh.zero_stage >= 1, "use-distributed-optimizer");
  if (mesh.zero_stage >= 2) {
    out.emplace_back("--use-megatron-fsdp");
    put(out, "data-parallel-sharding-strategy", mesh.zero_stage == 2 ? "optim_grads" : "optim_grads_params");
    out.emplace_back("--no-gradient-accumulation-fusion");
    out.emplace_back("--ckpt-format fsdp_dtensor");
  }
  if (mesh.shard_sets() > 1) put(out, "num-distributed-optimizer-instances", mesh.shard_sets());
  put_if(out, mesh.overlap_gradients.value_or(false), "overlap-grad-reduce");
  put_if(out, mesh.overlap_gradients.value_or(false) && mesh.zero_stage >= 1, "overlap-param-gather");
  if (mesh.recompute != Recomputation::none) put(out, "recompute-granularity", to_string(mesh.recompute));
  if (mesh.recompute == Recomputation::full) {
    put(out, "recompute-method", "uniform");
    put(out, "recompute-num-layers", 1);
  }
  return out;
}

Lines precision_arguments(Precision precision) {
  switch (precision) {
    case Precision::bf16:
      return {"--bf16"};
    case Precision::fp16:
    case Precision::mixed:
      return {"--fp16"};
    case Precision::fp8:
      return {"--bf16", "--fp8-format hybrid"};
    case Precision::fp4:
      return {"--bf16", "--fp4-format e2m1"};
    case Precision::fp32:
    case Precision::tf32:
      return {};
    default:
      throw Error{fmt::format("Megatron-LM does not train in {}", to_string(precision)),
                  {},
                  "a \"precision\" such as bf16 or fp8"};
  }
}

/// No training has as many; fleets and epochs of a scenario multiply to more than an integer holds.
constexpr double most_samples = 1e18;

Lines batch_arguments(const TrainingLaunch& launch) {
  Lines out;
  put(out, "micro-batch-size", static_cast<std::int64_t>(launch.mesh.micro_batch));
  put(out, "global-batch-size", static_cast<std::int64_t>(launch.global_batch()));
  put(out, "train-samples", static_cast<std::int64_t>(std::ceil(std::min(launch.samples, most_samples))));
  if (launch.optimizer == Optimizer::momentum) out.emplace_back("--optimizer sgd");
  return out;
}

std::string array_text(std::string_view name, const std::vector<std::pair<std::string_view, Lines>>& parts) {
  std::string out = fmt::format("{}=(\n", name);
  for (const auto& [title, lines] : parts) {
    if (lines.empty()) continue;
    if (!title.empty()) out += fmt::format("  # {}\n", title);
    for (const std::string& line : lines) out += fmt::format("  {}\n", line);
  }
  return out + ")\n";
}

std::string head_text(const TrainingLaunch& launch) {
  std::string out = fmt::format("# {}\n# {} on {} x {}, {} GPUs: {}.\n", printable(launch.scenario),
                                printable(launch.network), launch.nodes, printable(launch.node),
                                launch.nodes * launch.gpus_per_node, split_text(launch.mesh));
  switch (launch.nodes_from) {
    case NodesFrom::scenario:
      out += "# Nodes and split are as the scenario states them.\n";
      break;
    case NodesFrom::size:
      out += "# `rackcast size` chose the nodes, and what the scenario leaves to its search.\n";
      break;
    case NodesFrom::nobody:
      out +=
          "# The scenario states neither a number of nodes nor a goal to size for, so this is for one "
          "node.\n";
  }
  out += fmt::format("# {} replicas take {:.0f} micro-batches each in a step.\n", launch.mesh.data,
                     launch.mesh.micro_batches);
  for (const std::string& what : launch.left_out) out += fmt::format("# Not started so: {}.\n", what);
  if (launch.precision == Precision::tf32)
    out += "# Products in TF32: set torch.backends.cuda.matmul.allow_tf32, there is no argument for it.\n";
  if (launch.shape.experts > 0)
    out += "# Tokens are taken to be spread evenly over the experts: choose how the router balances them.\n";
  return out;
}

/// One hardware queue keeps the exchanges of tensor parallelism in their order. Megatron's FSDP refuses it.
std::string connections_text(const Mesh& mesh) {
  return mesh.zero_stage < 2 ? "export CUDA_DEVICE_MAX_CONNECTIONS=1\n"
                             : "unset CUDA_DEVICE_MAX_CONNECTIONS  # FSDP refuses 1\n";
}

std::string variables_text(const TrainingLaunch& launch) {
  const std::string tokenizer = launch.published.empty()
                                    ? "${TOKENIZER:?folder or name of the tokenizer}"
                                    : fmt::format("${{TOKENIZER:-{}}}", launch.published);
  return fmt::format(
      "# To fill in, here or in the environment:\n"
      "TOKENIZER=\"{}\"\n"
      "DATA=\"${{DATA:?prefix of the data that tools/preprocess_data.py wrote}}\"\n"
      "CHECKPOINTS=\"${{CHECKPOINTS:?folder for checkpoints}}\"\n"
      "LEARNING_RATE=\"${{LEARNING_RATE:?such as 1.5e-4}}\"\n",
      tokenizer);
}

}  // namespace

std::string megatron_text(const TrainingLaunch& launch) {
  Lines machines;
  put(machines, "nnodes", launch.nodes);
  put(machines, "nproc_per_node", launch.gpus_per_node);
  const Lines files{"--tokenizer-type HuggingFaceTokenizer",
                    "--tokenizer-model \"$TOKENIZER\"",
                    "--data-path \"$DATA\"",
                    "--split 99,1,0",
                    "--save \"$CHECKPOINTS\"",
                    "--load \"$CHECKPOINTS\"",
                    "--save-interval 1000",
                    "--lr \"$LEARNING_RATE\"",
                    "--lr-decay-style cosine"};
  return head_text(launch) + variables_text(launch) + "\n" +
         array_text("DISTRIBUTED_ARGS", {{"", machines}}) +
         array_text("MEGATRON_ARGS", {{"network", network_arguments(launch.shape)},
                                      {"experts", expert_arguments(launch)},
                                      {"split", split_arguments(launch)},
                                      {"batch and precision", batch_arguments(launch)},
                                      {"", precision_arguments(launch.precision)},
                                      {"files and learning rate: choose them", files}});
}

std::string slurm_text(const TrainingLaunch& launch) {
  return fmt::format(
             "#!/bin/bash\n"
             "#SBATCH --job-name=training\n"
             "#SBATCH --nodes={}\n"
             "#SBATCH --ntasks-per-node=1\n"
             "#SBATCH --gpus-per-node={}\n"
             "#SBATCH --exclusive\n"
             "# Account, partition and time limit are those of your site: sbatch --account ... --time ...\n",
             launch.nodes, launch.gpus_per_node) +
         "set -euo pipefail\n" + megatron_text(launch) +
         "MEGATRON=\"${MEGATRON:?folder of Megatron-LM}\"\n"
         "# With pyxis: CONTAINER is the image, and MOUNTS what it sees, FROM:TO.\n"
         "IN_CONTAINER=()\n"
         "if [ -n \"${CONTAINER:-}\" ]; then\n"
         "  IN_CONTAINER=(--container-image=\"$CONTAINER\")\n"
         "  if [ -n \"${MOUNTS:-}\" ]; then IN_CONTAINER+=(--container-mounts=\"$MOUNTS\"); fi\n"
         "fi\n\n" +
         connections_text(launch.mesh) +
         "HOSTS=$(scontrol show hostnames \"$SLURM_JOB_NODELIST\")\n"
         "HEAD=${HOSTS%%$'\\n'*}  # the first line\n"
         "# The one task of a node starts all its processes, so it may use all cores.\n"
         "srun --kill-on-bad-exit=1 --cpu-bind=none \"${IN_CONTAINER[@]}\" \\\n"
         "  torchrun \"${DISTRIBUTED_ARGS[@]}\" \\\n"
         "  --rdzv_id \"$SLURM_JOB_ID\" --rdzv_backend c10d --rdzv_endpoint \"$HEAD:29500\" \\\n"
         "  \"$MEGATRON/pretrain_gpt.py\" \"${MEGATRON_ARGS[@]}\"\n";
}

}  // namespace rackcast
