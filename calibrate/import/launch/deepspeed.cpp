/// DeepSpeed's configuration, as the split, batch and precision of a training. What a key means, and what a
/// missing one has: docs/_pages/config-json.md and deepspeed/runtime/zero/config.py of
/// github.com/deepspeedai/DeepSpeed. "auto" stands for what the arguments of Hugging Face's Trainer say,
/// which are not in the file.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "calibrate/import/launch/scenario_draft.hpp"
#include "models/split/mesh.hpp"
#include "sim/base/utf8.hpp"
#include "sim/json/reader.hpp"

namespace rackcast {
namespace {

using nlohmann::ordered_json;

constexpr std::int64_t most_count = 1'000'000'000;

class DeepSpeedConfig {
 public:
  DeepSpeedConfig(Json json, std::vector<std::string>& warnings)
      : json_{std::move(json)}, warnings_{warnings} {}

  /// The value at "section.key"; null where it is missing, null or "auto".
  [[nodiscard]] const Json* find(std::string_view path) {
    const Json* at = &json_;
    for (std::string_view rest = path; !rest.empty();) {
      const std::size_t dot = std::min(rest.find('.'), rest.size());
      if (at->kind() != JsonKind::object) return nullptr;
      at = at->find(rest.substr(0, dot));
      if (!at || at->is_null()) return nullptr;
      rest = rest.substr(std::min(rest.size(), dot + 1));
    }
    if (at->kind() != JsonKind::string || at->string() != "auto") return at;
    if (std::ranges::count(automatic_, path) == 0) automatic_.emplace_back(path);
    return nullptr;
  }
  /// Whole numbers may be written as 5e8.
  [[nodiscard]] std::optional<std::int64_t> count(std::string_view path, std::int64_t low,
                                                  std::int64_t high) {
    const Json* value = find(path);
    if (!value) return std::nullopt;
    const double number = value->number();
    if (!(number >= static_cast<double>(low) && number <= static_cast<double>(high)) ||
        number != static_cast<double>(static_cast<std::int64_t>(number)))
      value->fail(fmt::format("{} must be a whole number from {} to {}", value->name(), low, high));
    return static_cast<std::int64_t>(number);
  }
  [[nodiscard]] bool flag(std::string_view path) {
    const Json* value = find(path);
    return value && value->boolean();
  }
  [[nodiscard]] bool is_auto(std::string_view path) {
    (void)find(path);
    return std::ranges::count(automatic_, path) > 0;
  }
  [[nodiscard]] const Json& whole() const { return json_; }
  [[nodiscard]] const std::vector<std::string>& automatic() const { return automatic_; }
  void warn(std::string text) { warnings_.push_back(std::move(text)); }

 private:
  Json json_;
  std::vector<std::string> automatic_;
  std::vector<std::string>& warnings_;
};

/// What a key means that a scenario cannot say.
struct UnsaidKey {
  std::string_view path, meaning;
};

constexpr std::array unsaid_flags{
    UnsaidKey{"zero_optimization.zero_quantized_weights",
              "weights are gathered in 16 bits here: the time of their exchange is counted too high"},
    UnsaidKey{"zero_optimization.zero_quantized_gradients",
              "gradients are exchanged whole here: the time of their exchange is counted too high"},
    UnsaidKey{"fp16.fp16_master_weights_and_grads",
              "the optimizer's weights have 32 bits here: the memory is counted too high"},
    UnsaidKey{"bf16.bf16_master_weights_and_grads",
              "the optimizer's weights have 32 bits here: the memory is counted too high"},
    UnsaidKey{"bf16.bf16_optimizer_states",
              "the states of the optimizer have 32 bits here: the memory is counted too high"},
    UnsaidKey{"sparse_gradients", "gradients of embeddings are exchanged whole here"},
    UnsaidKey{"activation_checkpointing.partition_activations",
              "every GPU keeps the inputs of layers whole here: the memory is counted too high"},
    UnsaidKey{
        "activation_checkpointing.cpu_checkpointing",
        "inputs of layers stay on the GPU here: its memory is counted too high, and the time on PCIe is "
        "not counted"},
    UnsaidKey{"curriculum_learning.enabled", "every sequence has its whole length here"},
    UnsaidKey{"compression_training.weight_quantization.shared_parameters.enabled",
              "weights are not compressed here"},
};

/// Keys of the file's first level that mean nothing for time or memory, or that are read.
constexpr std::array known_keys{std::to_array<std::string_view>({
    "activation_checkpointing",
    "aio",
    "amp",
    "autotuning",
    "bf16",
    "bfloat16",
    "checkpoint",
    "comms_logger",
    "communication_data_type",
    "compression_training",
    "csv_monitor",
    "curriculum_learning",
    "data_efficiency",
    "data_types",
    "disable_allgather",
    "dump_state",
    "elasticity",
    "expert_parallel",
    "flops_profiler",
    "fp16",
    "gradient_accumulation_steps",
    "gradient_clipping",
    "gradient_predivide_factor",
    "memory_breakdown",
    "optimizer",
    "prescale_gradients",
    "scheduler",
    "sequence_parallel_size",
    "sparse_gradients",
    "steps_per_print",
    "tensor_parallel",
    "tensorboard",
    "train_batch_size",
    "train_micro_batch_size_per_gpu",
    "wall_clock_breakdown",
    "wandb",
    "zero_allow_untested_optimizer",
    "zero_force_ds_cpu_optimizer",
    "zero_optimization",
})};

void warn_of_keys(DeepSpeedConfig& in) {
  for (const UnsaidKey& key : unsaid_flags) {
    const Json* value = in.find(key.path);
    if (value && value->kind() == JsonKind::boolean && value->boolean())
      in.warn(fmt::format("{} is left out: {}", in_quotes(key.path), key.meaning));
  }
  constexpr std::size_t most_named = 20;
  std::size_t unknown = 0;
  std::string names;
  for (const auto& [key, value] : in.whole().object())
    if (std::ranges::count(known_keys, key) == 0 && ++unknown <= most_named)
      names += fmt::format("{}{}", names.empty() ? "" : ", ", in_quotes(key));
  if (unknown > most_named) names += fmt::format(" and {} more", unknown - most_named);
  if (unknown > 0) in.warn("keys that are not known here, and left out: " + names);
}

/// "none", "cpu" or "nvme"; older files say "cpu_offload": true.
void warn_of_offload(DeepSpeedConfig& in) {
  const auto warn = [&in](std::string_view what, const std::string& device) {
    in.warn(fmt::format(
        "{} moved to {} is left out: the GPU keeps them here, so that its memory is counted too high, "
        "and the time on PCIe and of the host's update is not counted",
        what, device == "nvme" ? "NVMe drives" : "the memory of the host"));
  };
  constexpr std::array<std::pair<std::string_view, std::string_view>, 2> parts{
      {{"optimizer", "states of the optimizer"}, {"param", "weights"}}};
  for (const auto& [part, what] : parts) {
    const Json* device = in.find(fmt::format("zero_optimization.offload_{}.device", part));
    const std::string name = device ? device->string() : "none";
    if (name != "none" && name != "cpu" && name != "nvme")
      device->fail(fmt::format("there is no device {}", in_quotes(name)), "none, cpu or nvme");
    if (name != "none") warn(what, name);
  }
  if (in.flag("zero_optimization.cpu_offload")) warn(parts[0].second, "cpu");
  if (in.flag("zero_optimization.cpu_offload_params")) warn(parts[1].second, "cpu");
}

int zero_stage_of_config(DeepSpeedConfig& in) {
  const Json* section = in.find("zero_optimization");
  if (!section) return 0;
  if (section->kind() == JsonKind::boolean) return section->boolean() ? 1 : 0;  // of the first releases
  if (section->kind() != JsonKind::object)
    section->fail("\"zero_optimization\" is an object", "for example {\"stage\": 2}");
  return static_cast<int>(in.count("zero_optimization.stage", 0, 3).value_or(0));
}

void read_sharding(DeepSpeedConfig& in, Mesh& mesh) {
  mesh.zero_stage = zero_stage_of_config(in);
  mesh.gathers_tensors = mesh.zero_stage == 3;
  warn_of_offload(in);
  const auto groups = in.count("zero_optimization.mics_shard_size", -1, 1'000'000);
  if (groups.value_or(-1) > 1 && mesh.zero_stage == 3) mesh.shard_group = static_cast<int>(*groups);
  const auto secondary = in.count("zero_optimization.zero_hpz_partition_size", 0, 1'000'000);
  if (secondary.value_or(1) > 1)
    in.warn(fmt::format(
        "the second copy of the weights on every {} GPUs (\"zero_hpz_partition_size\") is left out: the "
        "backward pass gathers weights from all GPUs here; \"shard_group\": {} of \"parallelism\" would "
        "shard everything over these GPUs alone",
        *secondary, *secondary));
}

/// GPUs that share a sequence, as Ulysses does.
std::int64_t sequence_ways(DeepSpeedConfig& in) {
  return in.count("sequence_parallel_size", 1, 1024).value_or(1);
}

void read_ways(DeepSpeedConfig& in, Mesh& mesh) {
  mesh.tensor = static_cast<int>(
      std::max<std::int64_t>(1, in.count("tensor_parallel.autotp_size", 0, 1024).value_or(1)));
  mesh.expert = static_cast<int>(in.count("expert_parallel.autoep_size", 1, 4096).value_or(1));
  if (const std::int64_t ways = sequence_ways(in); ways > 1)
    in.warn(fmt::format(
        "{} GPUs to a sequence (\"sequence_parallel_size\") are left out: \"context\" of \"parallelism\" is "
        "the nearest to it, with other exchanges",
        ways));
  if (mesh.expert > 1 && mesh.zero_stage >= 2) {
    in.warn(
        "gradients or weights sharded beside experts split over GPUs have no model: states of the optimizer "
        "alone "
        "are sharded");
    mesh.zero_stage = 1;
    mesh.gathers_tensors = false;
    mesh.shard_group = 0;
  }
}

/// The section says how activations are kept, and the program whether they are: one that asks for more than
/// the defaults is taken to belong to a program that does.
void read_checkpointing(DeepSpeedConfig& in, Mesh& mesh) {
  constexpr std::string_view section = "activation_checkpointing";
  const Json* found = in.find(section);
  if (!found) return;
  if (found->kind() != JsonKind::object) found->fail("\"activation_checkpointing\" is an object");
  bool asks = in.find("activation_checkpointing.number_checkpoints") != nullptr;
  for (const char* key : {"partition_activations", "cpu_checkpointing", "contiguous_memory_optimization"})
    asks = in.flag(fmt::format("{}.{}", section, key)) || asks;
  mesh.recompute = asks ? Recomputation::full : Recomputation::none;
  in.warn(fmt::format(
      "\"activation_checkpointing\" says how activations are kept, not whether: {}. If that is wrong, add "
      "--set "
      "workloads.0.parallelism.recompute={}",
      asks ? "whole layers are taken to be computed again" : "nothing is taken to be computed again",
      asks ? "none" : "full"));
}

std::string precision_of_config(DeepSpeedConfig& in) {
  const Json* bf16 = in.find("bf16.enabled");
  if (!bf16) bf16 = in.find("bfloat16.enabled");  // of older releases
  const bool wide = bf16 && bf16->boolean(), narrow = in.flag("fp16.enabled");
  if (wide && narrow) bf16->fail("a training has either \"bf16\" or \"fp16\"", "switch one of them off");
  if (wide) return "bf16";
  if (narrow || in.flag("amp.enabled")) return "mixed";
  if (in.is_auto("bf16.enabled") || in.is_auto("bfloat16.enabled")) return "bf16";
  return in.is_auto("fp16.enabled") ? "mixed" : "fp32";
}

std::string optimizer_of_config(DeepSpeedConfig& in) {
  const Json* type = in.find("optimizer.type");
  if (!type) return "adam";
  std::string name = type->string();
  std::ranges::transform(name, name.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  if (name == "sgd") return "momentum";
  constexpr std::array<std::string_view, 3> exact{"adam", "adamw", "fusedadam"};
  if (std::ranges::count(exact, name) == 0)
    in.warn(fmt::format("the optimizer {} is left out: Adam is counted, with its exchanges",
                        in_quotes(type->string())));
  return "adam";
}

struct Batches {
  std::optional<std::int64_t> all, micro, passes;
};

/// GPUs of the run, where the three numbers say it; 0: they do not.
std::int64_t gpus_of(DeepSpeedConfig& in, const Batches& batches, const Mesh& mesh) {
  if (!batches.all || !batches.micro) return 0;
  const std::int64_t passes = batches.passes.value_or(1), each = *batches.micro * passes;
  const Json* all = in.find("train_batch_size");
  if (*batches.all % *batches.micro != 0 || (batches.passes && *batches.all % each != 0))
    all->fail(fmt::format("a batch of {} is no multiple of {} passes with {} samples", *batches.all, passes,
                          *batches.micro),
              "train_batch_size = train_micro_batch_size_per_gpu x gradient_accumulation_steps x GPUs");
  if (!batches.passes) return 0;
  // DeepSpeed: the GPUs that share layers or a sequence work on the same samples.
  const std::int64_t gpus = *batches.all / each * mesh.tensor * sequence_ways(in);
  if (gpus > 1'000'000)
    all->fail(fmt::format("this batch takes {} GPUs", gpus), "correct one of the three numbers of the batch");
  return gpus;
}

ordered_json split_of_config(const Mesh& mesh, const Batches& batches) {
  ordered_json out{{"tensor", mesh.tensor}};
  if (mesh.expert > 1) out["expert"] = mesh.expert;
  out["micro_batch"] = std::min<std::int64_t>(batches.micro.value_or(1), 1'000'000);
  if (!batches.all && batches.passes)
    out["micro_batches"] = std::min<std::int64_t>(*batches.passes, 1'000'000);
  out["zero_stage"] = mesh.zero_stage;
  if (mesh.shard_group > 0) out["shard_group"] = mesh.shard_group;
  if (mesh.gathers_tensors) out["gather"] = "tensors";
  out["recompute"] = to_string(mesh.recompute);
  return out;
}

Batches batches_of(DeepSpeedConfig& in) {
  Batches out;
  out.all = in.count("train_batch_size", 1, most_count);
  out.micro = in.count("train_micro_batch_size_per_gpu", 1, 1'000'000);
  out.passes = in.count("gradient_accumulation_steps", 1, 1'000'000);
  if (!out.micro)
    in.warn(
        "the file does not say how many samples a GPU takes at once (\"train_micro_batch_size_per_gpu\"), "
        "and 1 "
        "is taken: --set workloads.0.parallelism.micro_batch=N says another number");
  if (out.all && out.passes && !out.micro)
    in.warn(
        fmt::format("\"gradient_accumulation_steps\": {} is left out: the passes of a step follow from the "
                    "batch of {}, the "
                    "samples of a pass and the number of GPUs",
                    *out.passes, *out.all));
  return out;
}

void warn_of_auto(DeepSpeedConfig& in) {
  constexpr std::size_t most_named = 20;
  if (in.automatic().empty()) return;
  std::string names;
  for (std::size_t i = 0; i < std::min(most_named, in.automatic().size()); ++i)
    names += fmt::format("{}{}", i == 0 ? "" : ", ", in_quotes(in.automatic()[i]));
  in.warn("\"auto\" stands for arguments of Hugging Face's Trainer, which are not in the file: " + names);
}

}  // namespace

void import_deepspeed(const Catalog&, const ImportSource& source, ImportOutput& out) {
  const Json json = parse_json(std::string{source.text()}, source.name());
  if (json.kind() != JsonKind::object) json.fail("a configuration of DeepSpeed is an object");
  DeepSpeedConfig in{json, out.warnings};
  Mesh mesh;
  read_sharding(in, mesh);
  read_ways(in, mesh);
  read_checkpointing(in, mesh);
  const Batches batches = batches_of(in);
  const std::int64_t gpus = gpus_of(in, batches, mesh);

  ordered_json workload{{"framework", {{"name", "deepspeed"}}}};
  workload["epochs"] = 1;
  if (batches.all) workload["global_batch"] = *batches.all;
  workload["precision"] = precision_of_config(in);
  workload["optimizer"] = optimizer_of_config(in);
  workload["parallelism"] = split_of_config(mesh, batches);

  ordered_json scenario{
      {"name", "Training with DeepSpeed"},
      {"description", "Split, batch and precision are those of a configuration of DeepSpeed."}};
  scenario["workloads"] = ordered_json::array({workload});
  scenario["cluster"] = ordered_json::object();
  if (gpus > 0) scenario["cluster"]["gpus_per_job"] = gpus;
  warn_of_keys(in);
  warn_of_auto(in);
  finish_draft(std::move(scenario), out);
  out.version = "DeepSpeed";
  out.summary = fmt::format("a training with ZeRO's stage {}{}", mesh.zero_stage,
                            gpus > 0 ? fmt::format(" on {} GPUs", gpus) : std::string{});
}

}  // namespace rackcast
