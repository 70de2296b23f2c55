#pragma once
/// "graph" of a workload: its step was recorded, and is replayed instead of modelled.
///
///     "graph": {"kineto": "rank0.json", "recorded_on": "h100_sxm5_80gb"}
///     "graph": {"chakra": "traces/et.*.et", "recorded_on": "a100_sxm4_80gb", "groups": {"1": [0, 1]}}
#include <optional>
#include <string>
#include <vector>

#include "models/networks/operator.hpp"
#include "models/recorded/recorded_step.hpp"
#include "sim/base/error.hpp"

namespace rackcast {

class Catalog;
class Json;

struct GraphSpec {
  std::string format;              ///< "chakra" or "kineto"
  std::vector<std::string> files;  ///< one for each recorded rank
  std::string recorded_on;         ///< catalogue id of a GPU
  std::string groups;              ///< their text
  std::optional<int> ranks;        ///< of the run, as the scenario has it
  RecordedStep step;
  bool data_parallel = false;   ///< any number of GPUs can do the step
  double samples_per_rank = 0;  ///< of the recorded step
  Precision precision = Precision::fp32;
  Where where;
};

/// Reads the files as well. Throws Error at the place of a member that is wrong, and in a file for what is
/// wrong there.
GraphSpec read_graph(const Json& json);

/// Throws Error at the graph unless the catalogue has the GPU.
void check_recorded_on(const GraphSpec& graph, const Catalog& catalog);

/// Whether a job of so many GPUs can do the recorded step.
bool takes_gpus(const GraphSpec& graph, int gpus);

}  // namespace rackcast
