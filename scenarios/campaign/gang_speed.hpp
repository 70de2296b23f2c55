#pragma once
/// Slowdown of a job whose nodes are spread over several leaf switches, from the simulated step.
/// Example: 1.2.
///
/// Other jobs use the uplinks too. A job gets the share of the uplinks of a leaf or pod that its nodes have
/// of all nodes there, as if every job used them at all times. The training step is simulated twice: on the
/// leaves and pods where the job was placed, and on as few leaves and pods as possible. The slowdown is the
/// quotient of the two times. It is 1 for jobs on one leaf and for jobs of one node. Two placements count as
/// alike if they have the same numbers of nodes, leaves and pods, and the same least number of nodes on a
/// leaf and in a pod: the narrowest uplink limits the sum of gradients.
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
