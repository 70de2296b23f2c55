#include "scenarios/validation/predict/split_case.hpp"

#include <cmath>

#include "models/split/split_training.hpp"
#include "scenarios/validation/cases/exchange_of_case.hpp"
#include "scenarios/validation/cases/software_of_case.hpp"
#include "scenarios/validation/cases/workload_of_case.hpp"
#include "sim/base/error.hpp"
#include "topologies/hardware/gpu_spec.hpp"

namespace rackcast {
namespace {

/// MLPerf's fine-tuning of Llama 2 70B adapts attention with rank 16 (github.com/mlcommons/training,
/// llama2_70b_lora); NeMo and Megatron Bridge adapt the MLP as well, with rank 32 (their LoRA class).
LowRankSpec adapters_of(const ValidationCase& c) {
  if (text_in(c.workload.extra, "benchmark_round")) return {16, false};
  return {32, true};
}

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

SplitTraining spec_of(const ValidationCase& c, double ranks, double memory) {
  SplitTraining spec;
  Mesh& mesh = spec.mesh;
  mesh.tensor = ways_of(c.workload.parallelism, "tp");
  mesh.pipeline = ways_of(c.workload.parallelism, "pp");
  mesh.interleave = ways_of(c.workload.parallelism, "vpp");
  mesh.context = ways_of(c.workload.parallelism, "cp");
  mesh.expert = ways_of(c.workload.parallelism, "ep");
  if (split_is_taken(c)) set_usual_split(c, memory, ranks, mesh);
  const double replicas = ranks / mesh.gpus();
  if (replicas < 1 || std::floor(replicas) != replicas)
    throw Unpredictable{"the GPUs are no multiple of the split"};
  if (!c.workload.global_batch) throw Unpredictable{"batch not stated"};
  if (trains_adapters(c)) {
    spec.adapters = adapters_of(c);
  } else if (!c.workload.micro_batch) {
    throw Unpredictable{"micro-batch not stated"};
  }
  mesh.micro_batch = c.workload.micro_batch.value_or(1);
  mesh.micro_batches = *c.workload.global_batch / (replicas * mesh.micro_batch);
  if (!(mesh.micro_batches >= 1)) throw Unpredictable{"the batch is less than one micro-batch per replica"};
  spec.precision = precision_of(c);
  mesh.recompute = recomputation_of_case(c);
  mesh.zero_stage = zero_stage_of_case(c);
  spec.gathers_tensors = c.workload.framework == "deepspeed";
  mesh.sequence_parallel = flag_in(c.workload.parallelism, "sequence_parallel");
  return spec;
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

bool splits_between_nodes(PredictionContext& context, const ValidationCase& c) {
  if (!is_split(c) && !trains_adapters(c)) return false;
  const Cluster& cluster = context.cluster(c);
  const double memory = gpu_spec(context.catalog(), *c.system.gpu).memory.value.base();
  return spec_of(c, static_cast<double>(cluster.ranks.size()), memory).mesh.gpus() > cluster.local_ranks();
}

TrainingRun split_run(PredictionContext& context, const ValidationCase& c, double compute_scale,
                      double network_scale) {
  std::optional<TransformerShape> shape = transformer_of_case(c);
  if (const Workload* known = shape ? nullptr : &context.workload(c); known && known->transformer)
    shape = *known->transformer;
  if (!shape) throw Unpredictable{"a network other than a transformer split over GPUs: no model yet"};
  const Cluster& cluster = context.cluster(c);
  const auto ranks = static_cast<double>(cluster.ranks.size());
  const double memory = gpu_spec(context.catalog(), *c.system.gpu).memory.value.base();
  SplitTraining spec = spec_of(c, ranks, memory);
  spec.adam = trains_with_adam(c, context.workload(c));
  spec.compute_scale = compute_scale;
  spec.network_scale = network_scale;
  const FrameworkProfile profile = context.profile(c);
  const ExchangeSpec exchange = exchange_of_case(c, profile, cluster.used_nodes());
  const GpuCostModel& gpu = context.gpu(*c.system.gpu, profile);
  require_precision(gpu, spec.precision, PrecisionUse::training);
  const SplitStep step = split_step(cluster, *shape, gpu, profile, exchange.comm, spec);
  return split_run(step, static_cast<int>(ranks), *c.workload.global_batch);
}

}  // namespace rackcast
