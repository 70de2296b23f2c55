#pragma once
/// Training within a deadline, as a demand that the search for nodes (node_search.hpp) asks.
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/answer/node_search.hpp"
#include "scenarios/evaluate/evaluator.hpp"

namespace rackcast {

struct Found {
  bool feasible = false;
  int nodes = 0;  ///< the answer; infeasible: the count that comes closest
  std::vector<Conflict> conflicts;
};

/// Training within a deadline, as a demand on nodes. What is broken on the counts that it is asked about may
/// be memory or a split as well.
class TrainingDemand final : public NodeDemand {
 public:
  TrainingDemand(Evaluator& evaluator, Question question, Duration deadline)
      : evaluator_(evaluator), question_(std::move(question)), deadline_(deadline) {}

  /// Whether the time is within the deadline; the count must take the splits and hold the network.
  bool enough(int nodes) override;
  /// The next smaller count that takes the splits, or one less than a single copy takes.
  int below(int nodes) override;
  Smaller falls_short(int fewer) override;

  /// No count meets the deadline: from now on growing counts are simulated only while each is notably faster.
  void expect_nothing() { in_vain_ = true; }
  [[nodiscard]] bool gave_up() const { return gave_up_; }

  /// The fastest of the counts that were asked about, the first of equals; 0: none was.
  [[nodiscard]] int fastest() const { return fastest_; }
  [[nodiscard]] Duration least_time() const { return least_time_; }

 private:
  Evaluator& evaluator_;
  Question question_;
  Duration deadline_;
  bool in_vain_ = false, gave_up_ = false;
  int fastest_ = 0;
  Duration least_time_{0};
};

/// Searches cluster.nodes in [1, max_nodes] for the smallest count that takes every workload's split, holds
/// each network in the memory of its GPUs (node_counts.hpp) and whose time is within the deadline. Where none
/// is, the count `nearest` (0: none) is among those of which the fastest is told: the planner describes it.
Found find_nodes(Evaluator& evaluator, Question question, Duration deadline, int max_nodes, int nearest = 0);

/// The smallest count that does for each of the questions: what the hungriest needs, or the first that has no
/// answer.
Found find_nodes(Evaluator& evaluator, std::span<const Question> questions, Duration deadline, int max_nodes);

/// What speed does not mend, on the question's nodes: a precision in which the GPU does not train, GPUs that
/// a split does not divide, a network or a batch that does not fit a GPU, a data set that does not fit the
/// storage.
std::vector<Conflict> fixed_conflicts(Evaluator& evaluator, const Question& question);

/// What the question's nodes and spares break of its site; nothing without a site.
std::vector<Conflict> site_limits(Evaluator& evaluator, const Question& question);

/// The data set is larger than the storage; nothing if it fits or the capacity is not known.
std::optional<Conflict> storage_conflict(Evaluator& evaluator, const Question& question);

/// What answer.binding_constraint says beside the names of limits.
namespace constraint {
inline constexpr const char* one_node = "minimum of one node";
inline constexpr const char* job = "GPUs of a job";  ///< which take this number of nodes
inline constexpr const char* smallest = "smallest size searched";
inline constexpr const char* limit = "limit";  ///< of the simulation: it was not finished
}  // namespace constraint

}  // namespace rackcast
