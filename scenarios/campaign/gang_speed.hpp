#pragma once
/// What it costs a job to lie on several leaf switches, from the simulated training step.
///
/// Nodes of other jobs use the uplinks too. A job is taken to have of the uplinks of a leaf, and of those of
/// a pod, the part that its nodes are of all nodes there: what is left to it when everybody wants them. Then
/// the step is simulated, where the job was put and on as few leaves and pods as can be, and the quotient is
/// the slowdown. Jobs that lie on one leaf, and jobs of one node, have none. Gangs count as alike that have
/// as many nodes, leaves and pods and the same least number of nodes on one leaf and in one pod, for the
/// least uplink holds up the sum of gradients.
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "scenarios/format/campaign_spec.hpp"
#include "topologies/fabrics/gang.hpp"

namespace rackcast {

class Evaluator;
struct Question;
struct Scenario;
struct WorkloadSpec;

class GangSpeed {
 public:
  /// `nodes` of the cluster. Both must outlive it.
  GangSpeed(const Scenario& scenario, Evaluator& evaluator, int nodes);

  /// Of the nodes; empty: the network does not tell (one switch, groups, tori), and no placement costs
  /// anything.
  [[nodiscard]] const std::vector<NodePlace>& places() const { return places_; }
  /// The question of a job of the stream on as few leaves as can be; as it is where the network does not
  /// tell.
  void place(Question& question) const;
  /// Run time of a job of the stream whose nodes hang so over that on as few leaves as can be.
  double slowdown(std::size_t stream, const Gang& gang);

 private:
  [[nodiscard]] Gang tightest(int nodes) const;
  [[nodiscard]] double step(std::size_t stream, Gang gang) const;

  const Scenario& scenario_;
  Evaluator& evaluator_;
  int nodes_, per_leaf_ = 0, per_pod_ = 0;  ///< the most that hang on one
  std::vector<NodePlace> places_;
  std::map<std::tuple<std::size_t, int, int, int, int, int>, double> known_;
};

/// The workload of a stream: the one it names, else the first. Throws Error at the stream for an unknown one.
const WorkloadSpec& workload_of(const Scenario& scenario, const StreamSpec& stream);

}  // namespace rackcast
