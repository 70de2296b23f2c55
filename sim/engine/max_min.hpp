#pragma once
/// Weighted max-min fair rates of activities that share resources.
///
/// The problem. Resource r has capacity C_r. Activity i has weight w_i > 0, may have a rate cap u_i, and
/// while it proceeds at rate x_i takes a_ir * x_i of resource r. The solver finds the rates with
///
///     sum_i a_ir x_i <= C_r  for every r,      x_i <= u_i,
///
/// that are max-min fair by x_i / w_i: no rate can grow without lowering another one whose x/w is not larger.
/// Equivalently, the sorted vector of x_i / w_i is lexicographically largest. The solution exists and is
/// unique, and it is recognised by: every activity has a *bottleneck*, that is its own cap, or a saturated
/// resource on which no other activity has a larger x/w.
///
/// The algorithm is progressive filling. Let all rates grow as x_i = w_i * L with a common level L, starting
/// at 0. Resource r fills up at the level
///
///     L_r = (C_r - sum over frozen i of a_ir x_i) / (sum over the others of a_ir w_i).
///
/// At the lowest L_r the activities on r are frozen at w_i * L_r; an activity whose cap u_i / w_i comes first
/// is frozen at its cap. Go on with the rest. Since freezing at the lowest level only raises the other
/// levels, a heap with stale, too low keys is enough: the top is checked, and put back if its level has
/// risen. When a resource is frozen its level is summed up afresh, so that rounding does not depend on the
/// way there.
///
/// Cost: O(U + U log R) for U usages and R resources, mostly O(U).
///
/// References: D. Bertsekas, R. Gallager, "Data Networks", 2nd ed., 1992, section 6.5.2 (max-min flow
/// control, progressive filling, bottlenecks); H. Casanova, A. Giersch, A. Legrand, M. Quinson, F. Suter,
/// "Versatile, scalable, and accurate simulation of distributed applications and platforms", JPDC 74(10),
/// 2014, and its solver LMM (coefficients, weights and caps as here).
///
/// Multiplicities fold in: k equal activities on r are one with the coefficient k * a_ir on r and the same x.
///
/// Twins are resources that most activities load alike, such as the same link of every node. Resource s may
/// stand for a set of them: what activity i takes of s it takes of each of the set. A twin r that some
/// activity loads otherwise is a resource besides, a *part* of s, and has the difference as its coefficient
/// (the full one is a_is + a_ir >= 0):
///
///     sum_i (a_is + a_ir) x_i <= C_r    for a part,       sum_i a_is x_i <= C_s    for all twins that are
///     none.
///
/// So N twins that differ in d of their M activities' coefficients cost O(M + d) instead of O(N M).
#include <cstdint>
#include <limits>
#include <vector>

namespace rackcast {

inline constexpr double no_cap = std::numeric_limits<double>::infinity();
inline constexpr std::uint32_t no_set = std::numeric_limits<std::uint32_t>::max();

/// Usages are stored by activity: those of activity i are [first[i], first[i + 1]).
struct MaxMinProblem {
  std::vector<double> capacity;         ///< per resource, >= 0
  std::vector<double> weight;           ///< per activity, > 0
  std::vector<double> cap;              ///< per activity, > 0, no_cap if none
  std::vector<std::uint32_t> first{0};  ///< per activity, and the end
  std::vector<std::uint32_t> resource;  ///< per usage; a resource at most once per activity
  std::vector<double> coefficient;      ///< per usage, > 0; what is added to that of the set, for a part
  /// Per resource, the set of which it is a part, or no_set. Sets are no parts of others. The capacity of a
  /// set is that of each twin that is no part, no_cap if all are. May be empty: no resource is a part.
  std::vector<std::uint32_t> part_of;

  void clear();
  void add_activity(double activity_weight, double activity_cap);  ///< its usages follow
  void add_usage(std::uint32_t of_resource, double activity_coefficient);
};

/// Keeps its working memory from problem to problem.
class MaxMinSolver {
 public:
  /// One rate per activity; infinite for an activity with neither usage nor cap. Valid until the next call.
  const std::vector<double>& solve(const MaxMinProblem& problem);

 private:
  struct Level {
    double level;
    std::uint32_t index;  ///< a resource, or resource count + activity for a cap
  };

  void index_users(const MaxMinProblem& problem);
  void tell_kinds(const MaxMinProblem& problem);
  void list_levels(const MaxMinProblem& problem);
  void fill(const MaxMinProblem& problem);
  void sum_up(const MaxMinProblem& problem, std::uint32_t resource);
  void freeze_users(const MaxMinProblem& problem, std::uint32_t resource);
  void freeze_growing(const MaxMinProblem& problem, std::uint32_t of, std::uint32_t resource, double level);
  void freeze(const MaxMinProblem& problem, std::uint32_t activity, double rate);
  [[nodiscard]] std::uint32_t set_of(std::uint32_t resource) const {
    return parts_ ? part_of_[resource] : no_set;
  }
  [[nodiscard]] bool has_growing(std::uint32_t resource) const;
  [[nodiscard]] double load_of(std::uint32_t resource) const;
  [[nodiscard]] double level_of(std::uint32_t resource) const;

  std::vector<double> rates_;               ///< negative until frozen
  std::uint32_t unfrozen_ = 0;              ///< activities
  std::vector<double> left_;                ///< per resource: capacity not taken by frozen activities
  std::vector<double> load_;                ///< per resource: sum of a*w over activities not frozen
  std::vector<std::int32_t> growing_;       ///< per resource: number of activities not frozen
  std::vector<std::uint32_t> users_first_;  ///< usages by resource
  std::vector<std::uint32_t> users_;        ///< activity of each
  std::vector<double> user_coefficient_;

  // Where there are parts; what is said of a resource above is for a part what it has besides its set.
  bool parts_ = false;
  std::vector<std::uint32_t> part_of_;
  std::vector<double> taken_;             ///< per resource: by frozen activities
  std::vector<std::int8_t> kind_;         ///< per usage: activities that it adds to those of the set
  std::vector<std::int8_t> user_kind_;    ///< the same, by resource
  std::vector<double> of_set_;            ///< per resource: coefficient of the activity that is looked at
  std::vector<std::uint32_t> looked_at_;  ///< per resource: that activity + 1
  std::vector<std::uint32_t> not_user_;   ///< per activity: the part + 1 that it does not use
  std::vector<Level> levels_;             ///< heap, lowest level first
};

}  // namespace rackcast
