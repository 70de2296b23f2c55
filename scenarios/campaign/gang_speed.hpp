#pragma once
/// What it costs a job to lie on several leaf switches, from the simulated training step.
///
/// Nodes of other jobs use the uplinks too. A job is taken to have of the uplinks of a leaf the part that its
/// nodes are of all nodes of the leaf: what is left to it when everybody wants them. Then the step is
/// simulated, on the leaves that the job was given and on as few as can be, and the quotient is the slowdown.
/// Jobs that lie on one leaf, and jobs of one node, have none. Gangs with as many nodes, as many leaves and
/// the same least number of nodes on one leaf count as alike, for the least uplink holds up the sum of
/// gradients.
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "scenarios/campaign/campaign_spec.hpp"

namespace rackcast {

class Evaluator;
struct Question;
struct Scenario;
struct WorkloadSpec;

class GangSpeed {
 public:
  /// `nodes` of the cluster. Both must outlive it.
  GangSpeed(const Scenario& scenario, Evaluator& evaluator, int nodes);

  /// That a leaf holds; 0: the network does not tell (one switch, rails, pods), and no placement costs
  /// anything.
  [[nodiscard]] int nodes_per_leaf() const { return per_leaf_; }
  /// The question of a job of the stream on as few leaves as can be; as it is where the network does not
  /// tell.
  void place(Question& question) const;
  /// Run time of a job of the stream with so many nodes on each leaf over that on as few leaves as can be.
  double slowdown(std::size_t stream, const std::vector<int>& nodes_on_leaf);

 private:
  [[nodiscard]] double step(std::size_t stream, std::vector<int> gang) const;

  const Scenario& scenario_;
  Evaluator& evaluator_;
  int nodes_, per_leaf_ = 0;
  std::map<std::tuple<std::size_t, int, int, int>, double> known_;
};

/// The workload of a stream: the one it names, else the first. Throws Error at the stream for an unknown one.
const WorkloadSpec& workload_of(const Scenario& scenario, const StreamSpec& stream);

}  // namespace rackcast
