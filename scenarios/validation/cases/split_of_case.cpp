#include "scenarios/validation/cases/split_of_case.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "models/split/mesh.hpp"
#include "scenarios/validation/cases/unpredictable.hpp"
#include "scenarios/validation/cases/workload_of_case.hpp"
#include "topologies/hardware/gpu_spec.hpp"

namespace rackcast {
namespace {

using ScenarioDocument = nlohmann::ordered_json;

/// Results of MLPerf's fine-tuning that state no split have that of NVIDIA's configurations and of the
/// results that state one: as few GPUs for a copy as hold it, four of 80 GB
/// (config_DGXH100_1x8x4xtp4pp1cp1.sh of mlcommons/training_results_v4.0, llama2_70b_lora), cut by tensors,
/// two of 141 GB or one of 180 GB and more, cut by sequences, and more where there are fewer sequences in the
/// batch than copies.
void set_usual_split(const ValidationCase& c, double memory, double ranks, Mesh& mesh) {
  if (memory < 100e9) {
    mesh.tensor = 4;
  } else {
    mesh.context = memory < 160e9 ? 2 : 1;
  }
  const double copies = ranks / (mesh.tensor * mesh.context),
               batch = c.workload.global_batch.value_or(copies);
  if (copies > batch) mesh.context = static_cast<int>(std::ceil(ranks / (mesh.tensor * batch)));
}

/// As publications call them.
constexpr std::pair<std::string_view, PipelineSchedule> published_schedules[] = {
    {"1f1b", PipelineSchedule::one_f_one_b},
    {"1f1b-i", PipelineSchedule::one_f_one_b},
    {"interleaved 1f1b", PipelineSchedule::one_f_one_b},
    {"gpipe", PipelineSchedule::gpipe},
    {"zb-h1", PipelineSchedule::zero_bubble},
    {"zb-1p", PipelineSchedule::zero_bubble},
    {"zb-h2", PipelineSchedule::zero_bubble_2p},
    {"zb-2p", PipelineSchedule::zero_bubble_2p},
    {"dualpipe", PipelineSchedule::dualpipe},
};

PipelineSchedule schedule_of_case(const ValidationCase& c) {
  const auto stated = text_in(c.workload.parallelism, "schedule");
  if (!stated) return PipelineSchedule::one_f_one_b;
  for (const auto& [name, schedule] : published_schedules)
    if (name == *stated) return schedule;
  throw Unpredictable{"a schedule of the pipeline that has no model"};
}

Mesh mesh_of(const Catalog& catalog, const ValidationCase& c) {
  if (!c.system.gpus) throw Unpredictable{"number of GPUs not stated", "gpus"};
  if (!c.system.gpu) throw Unpredictable{"GPU not stated", "gpu"};
  Mesh mesh;
  mesh.tensor = ways_of_case(c, "tp");
  mesh.pipeline = ways_of_case(c, "pp");
  mesh.interleave = ways_of_case(c, "vpp");
  if (mesh.pipeline > 1) mesh.schedule = schedule_of_case(c);
  mesh.context = ways_of_case(c, "cp");
  mesh.expert = ways_of_case(c, "ep");
  const double ranks = *c.system.gpus;
  if (split_is_taken(c))
    set_usual_split(c, gpu_spec(catalog, *c.system.gpu).memory.value.base(), ranks, mesh);
  const double replicas = ranks / mesh.gpus();
  if (replicas < 1 || std::floor(replicas) != replicas)
    throw Unpredictable{"the GPUs are no multiple of the split"};
  if (!c.workload.global_batch) throw Unpredictable{"batch not stated", "global_batch"};
  if (!c.workload.micro_batch && !trains_adapters(c))
    throw Unpredictable{"micro-batch not stated", "micro_batch"};
  mesh.micro_batch = c.workload.micro_batch.value_or(1);
  if (!(*c.workload.global_batch >= replicas * mesh.micro_batch))
    throw Unpredictable{"the batch is less than one micro-batch per replica"};
  mesh.recompute = recomputation_of_case(c);
  mesh.zero_stage = zero_stage_of_case(c);
  mesh.gathers_tensors = c.workload.framework == "deepspeed" && mesh.zero_stage == 3;
  mesh.sequence_parallel = flag_in(c.workload.parallelism, "sequence_parallel");
  return mesh;
}

}  // namespace

int zero_stage_of_case(const ValidationCase& c) {
  const auto sharding = text_in(c.workload.extra, "fsdp_sharding");
  if (sharding && *sharding != "full" && *sharding != "full_shard")
    throw Unpredictable{"weights sharded within a node and copied between nodes: no model yet"};
  if (sharding || flag_in(c.workload.extra, "megatron_fsdp").value_or(false)) return 3;
  return static_cast<int>(number_in(c.workload.parallelism, "zero_stage").value_or(0));
}

int ways_of(const Json& split, std::string_view key) {
  const double stated = number_in(split, key).value_or(1);
  if (!(stated >= 1) || stated > 100'000 || std::floor(stated) != stated)
    throw Unpredictable{"the split over GPUs is not a whole number"};
  return static_cast<int>(stated);
}

int ways_of_case(const ValidationCase& c, std::string_view key) {
  return ways_of(c.workload.parallelism, key);
}

bool trains_adapters(const ValidationCase& c) {
  return text_in(c.workload.extra, "finetune") == "lora";
}

bool split_is_taken(const ValidationCase& c) {
  return trains_adapters(c) && c.workload.parallelism.kind() != JsonKind::object;
}

bool is_split(const ValidationCase& c) {
  if (zero_stage_of_case(c) >= 2) return true;
  for (const std::string_view key : {"tp", "pp", "cp", "ep"})
    if (number_in(c.workload.parallelism, key).value_or(1) > 1) return true;
  return false;
}

int gpus_of_copy(const Catalog& catalog, const ValidationCase& c) {
  return mesh_of(catalog, c).gpus();
}

nlohmann::ordered_json parallelism_document(const Catalog& catalog, const ValidationCase& c) {
  const Mesh mesh = mesh_of(catalog, c);
  if (std::floor(mesh.micro_batch) != mesh.micro_batch)
    throw Unpredictable{"a micro-batch that is not a whole number of sequences"};
  ScenarioDocument out = ScenarioDocument::object();
  const auto add = [&out](const char* key, int ways) {
    if (ways > 1) out[key] = ways;
  };
  add("tensor", mesh.tensor);
  add("pipeline", mesh.pipeline);
  if (mesh.pipeline > 1) add("interleave", mesh.interleave);
  if (mesh.schedule != PipelineSchedule::one_f_one_b) out["schedule"] = to_string(mesh.schedule);
  add("context", mesh.context);
  add("expert", mesh.expert);
  out["micro_batch"] = static_cast<int>(mesh.micro_batch);
  if (mesh.zero_stage > 0) out["zero_stage"] = mesh.zero_stage;
  if (mesh.gathers_tensors) out["gather"] = "tensors";
  if (mesh.recompute != Recomputation::none)
    out["recompute"] = recomputation_names.at(static_cast<std::size_t>(mesh.recompute));
  if (mesh.sequence_parallel) out["sequence_parallel"] = *mesh.sequence_parallel;
  return out;
}

/// MLPerf's fine-tuning of Llama 2 70B adapts attention with rank 16 (github.com/mlcommons/training,
/// llama2_70b_lora); NeMo and Megatron Bridge adapt the MLP as well, with rank 32 (their LoRA class).
nlohmann::ordered_json adapters_document(const ValidationCase& c) {
  if (text_in(c.workload.extra, "benchmark_round")) return {{"rank", 16}};
  return {{"rank", 32}, {"mlp", true}};
}

}  // namespace rackcast
