#pragma once
/// What is started: the configuration that the scenario states, or the one that `size` chooses where the
/// scenario has a goal and leaves the number of nodes or more ("search") open.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/memory/memory.hpp"
#include "models/networks/operator.hpp"
#include "models/networks/transformer.hpp"
#include "models/split/mesh.hpp"
#include "scenarios/names/run_control.hpp"
#include "sim/base/error.hpp"
#include "sim/json/reader.hpp"

namespace rackcast {

class Catalog;

/// Who chose the number of nodes, and what else a scenario can leave open.
enum class NodesFrom { scenario, size, nobody };

/// What both kinds of runs have.
struct LaunchHead {
  std::string scenario, network;  ///< as people call them
  std::string published;  ///< "organisation/name" under which weights or tokenizer are public, or empty
  std::string node;       ///< title of the node
  int nodes = 1, gpus_per_node = 1;
  NodesFrom nodes_from = NodesFrom::scenario;  ///< nobody: one node, for want of a number and of a goal
  Precision precision = Precision::bf16;
};

struct TrainingLaunch : LaunchHead {
  TransformerShape shape;
  Mesh mesh;  ///< with replicas and micro-batches; nothing in it is left to a framework's recipe
  Optimizer optimizer = Optimizer::adam;
  double samples = 0;                 ///< sequences in all epochs
  Where split_where;                  ///< of "parallelism", or of the workload where it has none
  std::vector<std::string> left_out;  ///< what the scenario says and Megatron-LM has no argument for
  [[nodiscard]] double global_batch() const { return mesh.batch() * mesh.data; }
};

struct ServingLaunch : LaunchHead {
  std::string server;                ///< as the scenario names it; empty: it names none
  int gpus_per_copy = 1;             ///< that share each copy of the network
  int requests = 1;                  ///< most in flight in a copy
  double prompt = 0, output = 0;     ///< mean tokens
  std::int64_t longest_context = 0;  ///< 0: not known
  int drafts = 0;                    ///< tokens that are guessed before each pass
  bool predicts_ahead = false;       ///< the network can guess them itself
  Where precision_where;
};

/// `workload`: of several; may be empty. Throws Error for what the scenario does not say and for networks
/// that Megatron-LM's pretrain_gpt.py does not train or shards in no such way; an infeasible Error where no
/// cluster meets the goal.
TrainingLaunch training_launch(const Json& text, const std::string& file, const Catalog& catalog,
                               const std::string& workload, const RunControl& control);

/// Throws Error for networks that answer in one pass; an infeasible Error where no fleet serves the load.
ServingLaunch serving_launch(const Json& text, const std::string& file, const Catalog& catalog,
                             const RunControl& control);

}  // namespace rackcast
