#pragma once
/// One training step as it was recorded: what each rank ran, in which queue, and what it waited for.
///
/// Read from MLCommons Chakra execution traces (chakra_file.hpp) or from traces of PyTorch's profiler
/// (kineto_file.hpp), and replayed on a cluster (replay.hpp). rackcast writes its own steps in the same form
/// (step_record.hpp).
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "models/collectives/collective.hpp"
#include "sim/units/quantity.hpp"

namespace rackcast {

enum class RecordedKind : std::uint8_t {
  kernel,      ///< on the GPU, copies between memories included
  host,        ///< on a core of the node
  collective,  ///< among the ranks of a group
  send,        ///< to `peer`
  receive,     ///< from `peer`
};

/// Which part of the step a task belongs to.
enum class RecordedPhase : std::uint8_t { forward, backward, optimizer };

struct RecordedTask {
  std::uint64_t id = 0;  ///< of the file
  std::string name;
  RecordedKind kind = RecordedKind::kernel;
  RecordedPhase phase = RecordedPhase::forward;
  Duration time{0};  ///< as recorded; of an exchange it is not used
  // Of a kernel, where the file counts them.
  Flop flop{0};
  Bytes traffic{0};
  bool matrix = false;  ///< by its name a matrix product, a convolution or attention
  // Of an exchange.
  Collective operation = Collective::all_reduce;
  Bytes payload{0};   ///< as models/collectives/collective.hpp counts it
  std::string group;  ///< empty: all ranks
  int peer = 0;
  /// Tasks of one queue run one after the other, in their order in the rank.
  std::string queue;
  std::vector<std::size_t> after;  ///< earlier tasks of the rank that it waits for
};

struct RecordedRank {
  std::string file;
  int rank = 0;
  int stands_for = 1;  ///< ranks, this one included
  std::vector<RecordedTask> tasks;
};

struct RecordedStep {
  std::vector<RecordedRank> ranks;  ///< those that were recorded, in ascending order
  int world = 1;                    ///< ranks of the run; those without a file do what the others do
  std::map<std::string, std::vector<int>> groups;  ///< by name: its ranks

  /// The ranks of a group; nothing: all.
  [[nodiscard]] const std::vector<int>* ranks_of(const std::string& group) const;
  /// Every exchange is a collective among all ranks, so that any number of ranks can do the same.
  [[nodiscard]] bool is_data_parallel() const;
};

/// Whether a kernel of this name multiplies matrices: products, convolutions, attention.
bool is_matrix_kernel(std::string_view name);

/// Puts the tasks in an order in which each comes behind what it waits for, and otherwise by `start`.
/// `waits`: of each task, the ids that it waits for. Throws Error for an id that occurs twice or not at all,
/// and for tasks that wait for each other in a circle.
void set_order(RecordedRank& rank, const std::vector<std::vector<std::uint64_t>>& waits,
               const std::vector<double>& start);

/// Throws Error where ranks and groups contradict each other: collectives of a single rank, a rank that two
/// files have, a group with a rank that the run does not have, a collective of a group that the rank is not
/// in, groups whose ranks do not all do the same exchanges, a message to itself or that nobody receives.
void check_recorded(const RecordedStep& step);

}  // namespace rackcast
