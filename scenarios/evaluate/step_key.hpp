#pragma once
/// What the evaluator remembers its results by: everything that builds them, as values. Two keys are equal
/// exactly where everything in them is equal; their order is of use to std::map alone.
///
/// A structure without an order of its own is taken apart member by member. A member that is added to it and
/// forgotten here does not compile. Places in files (`where`) are left out: they build nothing.
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "models/frameworks/framework.hpp"
#include "models/step/training.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/names/graph_spec.hpp"
#include "topologies/fabrics/fabric_options.hpp"

namespace rackcast {

/// Node, GPU, and the network with the node's ports towards it.
using NodeKey = std::tuple<std::string, std::string, FabricOptions>;
inline NodeKey node_key(const ClusterSpec& c) {
  return {c.node, c.gpu, c.fabric};
}

/// Array, count, speed.
using StorageKey = std::tuple<std::string, int, double>;
inline StorageKey storage_key(const StorageSpec& storage) {
  const auto& [array, count, where, speed] = storage;
  return {array, count, speed};
}

/// The node, how many, GPUs of the job and of each node, whether nodes without a GPU of the job are part of
/// it, storage.
using ClusterKey = std::tuple<NodeKey, int, std::optional<int>, std::optional<int>, bool, StorageKey>;

/// Model, or the text of the scenario's own network, image, length of a sequence, rank and place of adapters.
using NetworkKey = std::tuple<std::string, std::string, std::optional<std::array<std::int64_t, 3>>,
                              std::optional<std::int64_t>, std::int64_t, bool>;
inline NetworkKey network_key(const WorkloadSpec& w) {
  return {w.model, w.network, w.image, w.tokens, w.adapters.rank, w.adapters.mlp};
}

/// Format, GPU, groups, ranks and files of a recorded step.
using GraphKey =
    std::tuple<std::string, std::string, std::string, std::optional<int>, std::vector<std::string>>;
inline std::optional<GraphKey> graph_key(const WorkloadSpec& w) {
  if (!w.graph) return std::nullopt;
  return GraphKey{w.graph->format, w.graph->recorded_on, w.graph->groups, w.graph->ranks, w.graph->files};
}

inline auto software_key(const FrameworkQuery& query) {
  const auto& [name, version, cudnn, training, kernels, script, channels_last, compiled] = query;
  return std::tuple{name, version, cudnn, training, kernels, script, channels_last, compiled};
}
using SoftwareKey = decltype(software_key(FrameworkQuery{}));

inline auto failure_key(const FailureSpec& failures) {
  const auto& [node_mtbf, detection, restart, repair, spares, rule, interval, stall, where] = failures;
  return std::tuple{node_mtbf, detection, restart, repair, spares, rule, interval, stall};
}
using FailureKey = decltype(failure_key(FailureSpec{}));

inline auto input_key(const InputOptions& input) {
  const auto& [record, record_given, record_size, format, samples_per_shard, shards, loader, sharding, order,
               eviction, page_cache, ssd_cache, shuffle_buffer, decoder, workers_per_gpu, cores, prefetch,
               pinned, jitter, checkpoint_every, asynchronous, log_per_step, where] = input;
  return std::tuple{record,       record_given, record_size,    format,  samples_per_shard,
                    shards,       loader,       sharding,       order,   eviction,
                    page_cache,   ssd_cache,    shuffle_buffer, decoder, workers_per_gpu,
                    cores,        prefetch,     pinned,         jitter,  checkpoint_every,
                    asynchronous, log_per_step};
}

inline auto split_key(const Mesh& mesh) {
  const auto& [tensor, pipeline, interleave, context, expert, data, micro_batch, micro_batches, recompute,
               zero_stage, shard_group, schedule, overlap_gradients, sequence_parallel, gathers_tensors,
               tables] = mesh;
  return std::tuple{tensor,      pipeline,    interleave,        context,           expert,
                    data,        micro_batch, micro_batches,     recompute,         zero_stage,
                    shard_group, schedule,    overlap_gradients, sequence_parallel, gathers_tensors,
                    tables};
}

inline auto stage_key(const InputStage& stage) {
  const auto& [name, what, capacity, per_sample, of_nodes] = stage;
  return std::tuple{name, what, capacity, per_sample, of_nodes};
}

inline auto input_key(const InputSpec& input) {
  const auto& [stored_sample, storage, decode_per_core, cores_per_node, prefetch, stages, gpu_decode] = input;
  std::vector<decltype(stage_key(InputStage{}))> each;
  for (const InputStage& stage : stages) each.push_back(stage_key(stage));
  return std::tuple{stored_sample, storage, decode_per_core, cores_per_node, prefetch, each, gpu_decode};
}

inline auto save_key(const SaveSpec& save) {
  const auto& [state, divided, pause, asynchronous, write, read, local, client, asked, restore, every] = save;
  return std::tuple{state, divided, pause, asynchronous, write, read, local, client, asked, restore, every};
}

/// Every member of the spec that is a number, a choice or a name. The cluster, the network, the software and
/// the limits are not in it; nor, folded, is the number of steps.
inline auto spec_key(const TrainingSpec& spec) {
  const auto& [workload, gpu, framework, batch_per_gpu, precision, accumulation, adam, optimizer, recompute,
               copied_tables, exchange, input, save, stragglers, vectors_inside, vectors_between, limits,
               fold, steps, compute_scale, network_scale, input_scale] = spec;
  return std::tuple{
      batch_per_gpu,   precision, accumulation,     adam,           optimizer,     recompute,
      copied_tables,   exchange,  input_key(input), save_key(save), stragglers,    vectors_inside,
      vectors_between, fold,      fold ? 0 : steps, compute_scale,  network_scale, input_scale};
}

/// A simulated step.
struct StepKey {
  ClusterKey cluster;
  NetworkKey network;
  std::optional<GraphKey> record;
  SoftwareKey software;
  decltype(input_key(InputOptions{})) input;
  std::optional<decltype(split_key(Mesh{}))> split;
  decltype(spec_key(TrainingSpec{})) rest;  ///< of its spec

  /// Of a hundred values, so compiled once.
  bool operator<(const StepKey& other) const;
};

/// A search over splits: a step with what is fixed of the mesh, which keys these are, and the sequences of
/// all GPUs.
using SplitChoiceKey = std::tuple<StepKey, std::array<bool, split_key_names.size()>, double>;

}  // namespace rackcast
