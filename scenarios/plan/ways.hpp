#pragma once
/// The way in which a candidate runs each workload: one variant of each. Private to scenarios/plan.
///
/// Workloads that run one after another share the deadline, so their variants are chosen together. Workload
/// by workload, only the Pareto front of the combinations is kept: those for which no other combination is
/// both as fast and as good in what is sought (energy, or the use of a limit). Of more than 256 combinations
/// every second, third, ... one is kept, with both ends; the least energy may then be missed by a small part.
/// Workloads that are asked each on its own have a deadline each, and the slowest counts.
#include <optional>
#include <vector>

#include "scenarios/plan/point.hpp"

namespace rackcast {

struct Ways {
  std::vector<std::size_t> variants;  ///< of each workload
  double time = 0;                    ///< s, of all that share a deadline; the slowest of those that do not
  double energy = 0;                  ///< J, of all workloads, cooling included; 0 without a site
  PerLimit uses{0};                   ///< of the limits that the variants decide, the deadline among them
};

/// The quantity that the chosen variants minimise: time, energy, or the use of one limit.
struct Sought {
  bool energy = false;            ///< otherwise time
  std::optional<Limit> use = {};  ///< if set, the use of this limit
};

class WaysToRun {
 public:
  explicit WaysToRun(const Scenario& scenario);

  /// The ways within `factors` with the least of what is sought; nothing if a workload has none.
  [[nodiscard]] std::optional<Ways> best(const PlanPoint& point, const PerLimit& factors,
                                         const Sought& sought) const;
  /// What the ways to run all workloads break, as minimal masks.
  [[nodiscard]] std::vector<LimitMask> masks(const PlanPoint& point, const PerLimit& factors) const;

 private:
  struct Group {
    std::size_t from = 0, to = 0;  ///< workloads whose times add up
  };
  [[nodiscard]] double use_of_deadline(double time) const;
  [[nodiscard]] std::optional<Ways> best(const PlanPoint& point, const PerLimit& factors,
                                         const Sought& sought, const Group& group) const;
  [[nodiscard]] std::vector<LimitMask> masks(const PlanPoint& point, const PerLimit& factors,
                                             const Group& group) const;

  double deadline_ = 0;  ///< s
  std::vector<Group> groups_;
};

}  // namespace rackcast
