/// Which options of Megatron-LM, torchrun and Slurm there are, and what those mean that a scenario cannot
/// say.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "calibrate/import/launch/megatron_args.hpp"
#include "sim/base/utf8.hpp"

namespace rackcast {
namespace {

struct OptionAlias {
  std::string_view name, other;
};

/// Other names: of torchrun with underscores made dashes, of #SBATCH, of NeMo's YAML, of older releases.
constexpr std::array other_names{
    OptionAlias{"seq-length", "encoder-seq-length"},
    OptionAlias{"num-experts", "num-moe-experts"},
    OptionAlias{"num-virtual-stages-per-pipeline-rank", "virtual-pipeline-model-parallel-size"},
    OptionAlias{"recompute-granularity", "activations-checkpoint-granularity"},
    OptionAlias{"recompute-method", "activations-checkpoint-method"},
    OptionAlias{"recompute-num-layers", "activations-checkpoint-num-layers"},
    OptionAlias{"train-iters", "max-steps"},
    OptionAlias{"tensor-model-parallel-size", "model-parallel-size"},
    OptionAlias{"micro-batch-size", "batch-size"},
    OptionAlias{"fp8-format", "fp8"},
    OptionAlias{"fp8-format", "fp8-hybrid"},
    OptionAlias{"fp8-format", "fp8-e4m3"},
    OptionAlias{"recompute-num-layers", "checkpoint-num-layers"},
    OptionAlias{"overlap-grad-reduce", "overlap-grad-sync"},
    OptionAlias{"use-megatron-fsdp", "use-custom-fsdp"},
};

/// Options that the importer reads.
constexpr std::array read_names{std::to_array<std::string_view>({
    "activation-func",
    "add-bias-linear",
    "add-qkv-bias",
    "gated-linear-unit",
    "attention-dropout",
    "bf16",
    "checkpoint-activations",
    "context-parallel-size",
    "data-parallel-sharding-strategy",
    "disable-bias-linear",
    "expert-model-parallel-size",
    "expert-tensor-parallel-size",
    "ffn-hidden-size",
    "fp16",
    "fp4-format",
    "global-batch-size",
    "devices",
    "gpus-per-node",
    "gres",
    "N",
    "nnodes",
    "nodes",
    "nproc-per-node",
    "ntasks-per-node",
    "num-nodes",
    "group-query-attention",
    "hidden-dropout",
    "hidden-size",
    "hybrid-layer-pattern",
    "hybrid-override-pattern",
    "is-hybrid-model",
    "encoder-num-layers",
    "decoder-num-layers",
    "experimental-attention-variant",
    "linear-attention-freq",
    "num-experts",
    "precision",
    "kv-channels",
    "kv-lora-rank",
    "max-position-embeddings",
    "moe-ffn-hidden-size",
    "moe-layer-freq",
    "moe-router-topk",
    "moe-shared-expert-intermediate-size",
    "multi-latent-attention",
    "no-position-embedding",
    "normalization",
    "num-attention-heads",
    "num-distributed-optimizer-instances",
    "num-layers",
    "num-layers-per-virtual-pipeline-stage",
    "num-query-groups",
    "optimizer",
    "overlap-grad-reduce",
    "overlap-param-gather",
    "pipeline-model-parallel-size",
    "position-embedding-type",
    "q-lora-rank",
    "qk-head-dim",
    "qk-layernorm",
    "qk-pos-emb-head-dim",
    "quick-geglu",
    "recompute-activations",
    "recompute-modules",
    "sequence-parallel",
    "swiglu",
    "tokenizer-type",
    "train-samples",
    "untie-embeddings-and-output-weights",
    "use-distributed-optimizer",
    "use-rotary-position-embeddings",
    "use-torch-fsdp2",
    "v-head-dim",
    "vocab-size",
    "window-attn-skip-freq",
    "window-size",
})};

/// Keys that NeMo's YAML alone has.
constexpr std::array nemo_names{std::to_array<std::string_view>({
    "activation",
    "activations-checkpoint-granularity",
    "bias",
    "encoder-seq-length",
    "mcore-gpt",
    "megatron-amp-O2",
    "num-moe-experts",
    "share-embeddings-and-output-weights",
})};

struct UnsaidOption {
  std::string_view name, meaning;
};

constexpr std::string_view unequal_stages =
    "the layers are dealt out to the stages as evenly as their number allows";
constexpr std::string_view growing_batch =
    "the batch of this run grows at first; here every step has the whole batch";
constexpr std::string_view offload =
    "moving data to the memory of the host has no model: the GPU's memory is counted too high, and the time "
    "on "
    "PCIe is not counted";
constexpr std::string_view captured =
    "captured graphs of kernels have no setting: the host's time is counted as without";
constexpr std::string_view narrow_states =
    "states of the optimizer have 32 bits here, so that the memory is counted too high";
constexpr std::string_view expert_overlap =
    "exchanges of experts beside the work of another micro-batch have no model: all of their time counts";

constexpr std::array unsaid_options{
    UnsaidOption{"account-for-embedding-in-pipeline-split", unequal_stages},
    UnsaidOption{"account-for-loss-in-pipeline-split", unequal_stages},
    UnsaidOption{"cp-comm-type", "the parts of a sequence pass keys and values round a ring here"},
    UnsaidOption{"cpu-offloading", offload},
    UnsaidOption{"cpu-offloading-num-layers", offload},
    UnsaidOption{"cuda-graph-impl", captured},
    UnsaidOption{"decoder-first-pipeline-num-layers", unequal_stages},
    UnsaidOption{"decoder-last-pipeline-num-layers", unequal_stages},
    UnsaidOption{"delay-wgrad-compute", expert_overlap},
    UnsaidOption{
        "distribute-saved-activations",
        "inputs of layers are kept by every tensor-parallel GPU here: the memory is counted too high"},
    UnsaidOption{"enable-cuda-graph", captured},
    UnsaidOption{"exp-avg-dtype", narrow_states},
    UnsaidOption{"exp-avg-sq-dtype", narrow_states},
    UnsaidOption{"external-cuda-graph", captured},
    UnsaidOption{"fine-grained-activation-offloading", offload},
    UnsaidOption{"fp32-residual-connection",
                 "sums between layers have 16 bits here: their memory and time are counted too low"},
    UnsaidOption{"fp8-dot-product-attention", "the core of attention has 16 bits here"},
    UnsaidOption{"fp8-multi-head-attention", "the core of attention has 16 bits here"},
    UnsaidOption{"fp8-param", "weights are gathered in 16 bits here"},
    UnsaidOption{"fp8-param-gather", "weights are gathered in 16 bits here"},
    UnsaidOption{"fp8-params", "weights are gathered in 16 bits here"},
    UnsaidOption{"grad-reduce-in-bf16",
                 "gradients are added up and exchanged in the width that the framework's profile has, so "
                 "that memory and "
                 "time may be counted too high"},
    UnsaidOption{"hierarchical-context-parallel-sizes",
                 "the parts of a sequence pass keys and values round one ring here"},
    UnsaidOption{"main-grads-dtype", narrow_states},
    UnsaidOption{"main-params-dtype", narrow_states},
    UnsaidOption{"moe-expert-capacity-factor",
                 "tokens are dealt out evenly to the experts, and none is dropped"},
    UnsaidOption{"moe-layer-recompute", "layers of experts alone cannot be computed again: they are kept"},
    UnsaidOption{"moe-shared-expert-overlap", expert_overlap},
    UnsaidOption{"mtp-num-layers", "layers that predict further tokens are left out of the network"},
    UnsaidOption{"optimizer-cpu-offload", offload},
    UnsaidOption{"overlap-moe-expert-parallel-comm", expert_overlap},
    UnsaidOption{"pipeline-model-parallel-layout", unequal_stages},
    UnsaidOption{"rampup-batch-size", growing_batch},
    UnsaidOption{"step-batch-size-schedule", growing_batch},
    UnsaidOption{"use-precision-aware-optimizer", narrow_states},
};

/// Beginnings of options that mean nothing for time or memory, or too little to be told.
constexpr std::array idle_beginnings{std::to_array<std::string_view>({
    "accumulate-allreduce-grads",
    "adam-",
    "adlr-",
    "apply-",
    "async-",
    "attention-backend",
    "attention-softmax",
    "auto-detect-ckpt",
    "bert-",
    "blend",
    "bucket-size",
    "calculate-per-token",
    "ckpt-",
    "clip-grad",
    "cross-entropy",
    "data-",
    "dataloader-",
    "ddp-",
    "decoupled-",
    "dist-ckpt",
    "distributed-",
    "dataset-",
    "eval-",
    "empty-unused",
    "end-weight-decay",
    "eod-",
    "exit-",
    "finetune",
    "fp16-lm",
    "fp8-amax-",
    "fp8-interval",
    "fp8-margin",
    "fp8-quantizer-factory",
    "fp8-recipe",
    "fp8-wgrad",
    "first-last-layers",
    "hysteresis",
    "init-method",
    "initial-loss",
    "job-",
    "log-",
    "loss-scale",
    "lr",
    "load",
    "logging-",
    "make-vocab-size",
    "manual-gc",
    "master-",
    "max-restarts",
    "merge-file",
    "min-loss-scale",
    "min-lr",
    "mmap",
    "mock-data",
    "moe-aux-loss",
    "moe-grouped-gemm",
    "moe-permute-fusion",
    "moe-router-",
    "moe-token-",
    "moe-use-legacy",
    "moe-z-loss",
    "moe-enable-deepep",
    "moe-flex-",
    "moe-per-layer-logging",
    "nccl-",
    "no-",
    "node-rank",
    "non-persistent",
    "norm-epsilon",
    "num-workers",
    "num-dataset-builder",
    "onnx-safe",
    "original-max-position",
    "output",
    "overlap-p2p",
    "override-",
    "per-split-data",
    "perform-initialization",
    "profile",
    "pretrained-checkpoint",
    "rdzv-",
    "rerun-",
    "reset-",
    "role",
    "rope-",
    "rotary-",
    "save",
    "sched",
    "seed",
    "short-seq-prob",
    "sgd-",
    "split",
    "start-weight-decay",
    "straggler-",
    "tensorboard-",
    "test-data",
    "tee",
    "tiktoken-",
    "timing-",
    "tokenizer-",
    "train-data",
    "transformer-impl",
    "tp-comm-",
    "unidirectional",
    "use-checkpoint-",
    "use-dist-ckpt",
    "use-flash-attn",
    "use-mcore-models",
    "use-pytorch-profiler",
    "use-tokenizer-model",
    "valid-data",
    "vocab-file",
    "wandb-",
    "weight-decay",
    "yaml-cfg",
    "ckpt",
    "te-",
    "mscale",
    "local-addr",
    "rank",
    "standalone",
    "redirects",
    "account",
    "partition",
    "time",
    "mem",
    "cpus-per-task",
    "exclusive",
    "error",
    "container-",
    "mail-",
    "squared-relu",
    "kill-on-bad-exit",
    "cpu-bind",
    "export",
    "qos",
    "signal",
    "comment",
    "open-mode",
    "dependency",
    "nodelist",
    "constraint",
    "begin",
    "mpi",
    "label",
    "n",
})};

/// Variables of the environment in YAML have names of capitals.
bool is_idle(std::string_view name) {
  if (name.starts_with('#')) return true;  // of #SBATCH
  if (std::ranges::none_of(name, [](char c) { return c >= 'a' && c <= 'z'; })) return true;
  return std::ranges::any_of(idle_beginnings, [&](std::string_view begin) {
    return name == begin || (begin.size() > 1 && name.starts_with(begin));
  });
}

bool is_read(std::string_view name) {
  return std::ranges::count(read_names, name) > 0 || std::ranges::count(nemo_names, name) > 0 ||
         name == "name" || name.ends_with(".name") ||
         std::ranges::any_of(other_names, [&](const OptionAlias& alias) {
           return name == alias.name || name == alias.other;
         });
}

const UnsaidOption* unsaid_option(std::string_view name) {
  const auto* found = std::ranges::find(unsaid_options, name, &UnsaidOption::name);
  return found == unsaid_options.end() ? nullptr : found;
}

/// Values that ask for what there is anyway.
bool asks_nothing(const LaunchArgument& argument) {
  if (argument.values.empty()) return false;
  const std::string& value = argument.values.front().text;
  return (argument.name == "cp-comm-type" && value == "p2p") ||
         (argument.name == "cuda-graph-impl" && value == "none") ||
         (argument.name.ends_with("-dtype") && value == "fp32") ||
         (argument.name.ends_with("-num-layers") && value == "0");
}

}  // namespace

std::string_view MegatronArguments::name_in_file(std::string_view name) const {
  if (list_.has(name)) return name;
  for (const OptionAlias& alias : other_names)
    if (alias.name == name && list_.has(alias.other)) return alias.other;
  return name;
}

std::optional<std::int64_t> MegatronArguments::count(std::string_view name, std::int64_t low,
                                                     std::int64_t high) const {
  return list_.count(name_in_file(name), low, high);
}

std::optional<std::string> MegatronArguments::text(std::string_view name) const {
  return list_.text(name_in_file(name));
}

bool MegatronArguments::is_nemo() const {
  return std::ranges::any_of(nemo_names, [this](std::string_view name) { return list_.names(name); });
}

bool MegatronArguments::has(std::string_view name) const {
  return list_.has(name_in_file(name));
}

void MegatronArguments::fail(std::string_view name, const std::string& message,
                             const std::string& hint) const {
  list_.fail(name_in_file(name), message, hint);
}

void warn_of_others(const MegatronArguments& in) {
  constexpr std::size_t most_named = 30;
  std::size_t unknown = 0;
  std::string names;
  for (const auto& [name, argument] : in.list().all()) {
    if (argument.off || is_read(name)) continue;
    if (const UnsaidOption* option = unsaid_option(name)) {
      if (!asks_nothing(argument)) in.warn(fmt::format("--{} is left out: {}", name, option->meaning));
    } else if (!is_idle(name) && ++unknown <= most_named) {
      names += fmt::format("{}--{}", names.empty() ? "" : ", ", printable(name));
    }
  }
  if (unknown > most_named) names += fmt::format(" and {} more", unknown - most_named);
  if (unknown > 0) in.warn("options that are not known here, and left out: " + names);
}

}  // namespace rackcast
