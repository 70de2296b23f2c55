#pragma once
/// The input path of one question: from catalogue entries and the scenario's "input" to the limits that
/// training meets (models/data_path).
#include "models/data_path/checkpoint.hpp"
#include "models/data_path/page_cache.hpp"
#include "models/data_path/storage_system.hpp"
#include "models/step/training.hpp"
#include "scenarios/evaluate/evaluator.hpp"

namespace rackcast {

struct NodeSpec;
struct StorageFacts;

/// Everything that the input path of a question rests on.
struct InputContext {
  const Question& question;
  const NodeSpec& node;
  const StorageFacts& storage;
  const Workload& workload;
};

/// Nodes of the question with a GPU that takes part.
int used_nodes(const Question& question, const NodeSpec& node);

/// CPU cores of a node: the scenario's, else the node's, else a number per GPU that few nodes fall below
/// (InputPathFacts::cores_per_gpu).
double host_cores(const InputContext& context);
/// Whether host_cores() is an assumption.
bool cores_are_assumed(const InputContext& context);

StorageSystem storage_system(const InputContext& context);

/// Caches of a node, as large as node and job leave them.
CacheSpec cache_spec(const InputContext& context);

/// Every limit between storage and GPU when `hits` of the samples are cached. Throws Error at the place of
/// "input" for options that cannot be (more workers than cores, a decoder that the GPU lacks).
InputSpec input_spec(const InputContext& context, const EpochHits& hits);

/// Where and how the question's workload saves its state.
SaveSpec save_spec(const InputContext& context);

/// Checkpoints (`interval` apart; 0: none) and logs of the question's workload with nothing else on the
/// storage; `step` is the time of one step.
WriteCost write_back(const InputContext& context, Duration interval, Duration step);
Bytes checkpoint_size(const InputContext& context);

}  // namespace rackcast
