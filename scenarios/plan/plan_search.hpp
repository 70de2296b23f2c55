#pragma once
/// The search over designs and sizes: few points are simulated, all are judged, and what is answered has been
/// simulated.
///
/// explore() makes points at sizes that grow by about half each, or at every size where there are few.
/// Between two of them a line (point.hpp) stands in. Where the limits that are broken differ between two
/// neighbours the interval is halved until it is gone, so that every threshold has been simulated on both
/// sides. best() takes the best candidate by the lines; if it has not been simulated, or a neighbour of it
/// has not, that is done, and the best is taken again.
///
/// Where forward and backward passes alone outlast the deadline at every size (Evaluator::least_time), no
/// size is an answer. Growing sizes are then simulated only while each is notably faster than all before.
///
/// Assumed: between two simulated neighbours which break the same limits, all sizes do.
#include <map>
#include <optional>
#include <vector>

#include "scenarios/names/run_control.hpp"
#include "scenarios/plan/point.hpp"
#include "scenarios/plan/ways.hpp"

namespace rackcast {

/// A design at a size with a variant of each workload, and what it comes to.
struct Judged {
  std::size_t design = 0, size = 0;
  std::vector<std::size_t> variants;
  int nodes = 0, gpus = 0;
  double time = 0;    ///< s, of all workloads one after another, or of the slowest on its own
  double energy = 0;  ///< J, of all workloads, cooling included; 0 without a site
  double capex = 0, opex = 0, total = 0;
  double racks = 0;
  std::optional<double> rack_units, nameplate;  ///< W; nothing: the catalogue does not say
  int spares = 0;                               ///< nodes beside `nodes`
  MissingFacts missing;                         ///< what racks, power and money leave out
  PerLimit uses{0};                             ///< the worst over hardware and workloads
  std::vector<double> memory;                   ///< of a GPU's, for each workload

  [[nodiscard]] LimitMask breaks() const { return broken(uses, PerLimit{1}); }
};

/// Less is better, from front to back.
using Rank = std::vector<double>;
Rank rank(Objective objective, const Judged& candidate);
/// What the objective counts: USD, J, s or nodes.
double sought(Objective objective, const Judged& candidate);
/// Does the objective like `a` better than `b` by more than this share? A sum that leaves something out is
/// not better than one that does not.
bool better_by(double share, Objective objective, const Judged& a, const Judged& b);

class PlanSearch {
 public:
  PlanSearch(Evaluator& evaluator, const Scenario& scenario, const RunControl& control);

  /// Throws LimitReached with the points so far kept; Error where nothing at all can be built. `ahead`:
  /// threads may simulate first.
  void explore(bool ahead = true);
  /// Also past goal.max_nodes.
  void explore_beyond();

  /// The candidate that asks least of one limit and keeps the others within their factors.
  std::optional<Judged> least(Limit limit, const PerLimit& factors);
  /// The best that keeps every limit within its factor; nothing if none does. Simulated, with its neighbours.
  std::optional<Judged> best(const PerLimit& factors);
  /// The best of what has been simulated, without simulating more.
  [[nodiscard]] std::optional<Judged> best_known(const PerLimit& factors) const;
  /// The next smaller size of the same design, simulated; nothing for the smallest.
  std::optional<Judged> smaller(const Judged& of);
  /// A design at a size, simulated, with the variants that break no limit, or else with the best of all.
  /// Nothing if it cannot be built.
  std::optional<Judged> on(std::size_t design, std::size_t size);
  /// At its own best variants, simulated points only: every one that can be built.
  [[nodiscard]] std::vector<Judged> simulated(const PerLimit& factors) const;
  /// What candidates break, as minimal masks.
  [[nodiscard]] std::vector<LimitMask> conflicts() const;
  [[nodiscard]] std::vector<LimitMask> conflicts(std::size_t design) const;

  /// The largest share of the time for which a simulated candidate waits for storage.
  [[nodiscard]] double waits() const;

  [[nodiscard]] const PlanSpace& space() const { return space_; }
  [[nodiscard]] std::size_t judged() const;
  [[nodiscard]] std::size_t points() const { return maker_.made(); }
  [[nodiscard]] const std::vector<Refusal>& refusals() const { return maker_.refusals(); }
  [[nodiscard]] const std::map<Limit, std::map<int, std::string>>& undecided() const {
    return maker_.undecided();
  }

 private:
  using Points = std::map<std::size_t, PlanPoint>;  ///< by size, ascending

  const PlanPoint& exact(std::size_t design, std::size_t size);
  [[nodiscard]] PlanPoint at(std::size_t design, std::size_t size) const;
  std::optional<Judged> best(const PerLimit& factors, std::optional<Limit> least);
  /// Of the points so far, the one that asks least of a limit.
  [[nodiscard]] std::optional<Judged> least_simulated(Limit limit, const PerLimit& factors) const;
  /// Variants within `factors`: those that ask least of a limit, else the fastest or, for the lowest energy,
  /// the most frugal; nothing if a workload has none.
  [[nodiscard]] std::optional<Judged> judge(std::size_t design, std::size_t size, const PlanPoint& point,
                                            const PerLimit& factors, std::optional<Limit> least = {}) const;
  /// Lets threads simulate ahead what explore() is about to ask for.
  void rehearse();
  void explore(std::size_t design, std::size_t until);
  /// Halves intervals between points that break different limits. Of the fewest nodes, unless `all`, only up
  /// to the first that keeps the factors: what lies behind is larger.
  void refine(std::size_t design, const PerLimit& factors, bool all = false);
  /// What the objective looks for where it is not nodes or money: time, or energy; infinite where a workload
  /// cannot be built.
  [[nodiscard]] double sought(const PlanPoint& point) const;
  /// Is the deadline missed at every size, whatever network and storage do? Asks no cluster.
  [[nodiscard]] bool hopeless(std::size_t design) const;
  /// Does a larger size have nothing to offer?
  [[nodiscard]] bool enough(const PlanPoint& point) const;

  Evaluator& evaluator_;
  const Scenario& scenario_;
  const RunControl& control_;
  PlanSpace space_;
  WaysToRun ways_;
  PointMaker maker_;
  std::vector<Points> points_;  ///< of each design
};

}  // namespace rackcast
