#pragma once
/// One design at one size: what the simulator, the site and the prices say of it, exactly; and between two
/// such points what a straight line says.
///
/// Time x GPUs is constant where a run scales perfectly and grows in proportion to the GPUs where something
/// shared is saturated: a line through both ends is exact in either regime. Power, money and racks are lines
/// anyway, but for whole switches and racks.
#include <map>
#include <string>
#include <vector>

#include "scenarios/limits/limits.hpp"
#include "scenarios/limits/missing_facts.hpp"
#include "scenarios/plan/design.hpp"

namespace rackcast {

/// One variant of a workload.
struct RunPoint {
  double time = 0;   ///< s; infinite where it cannot be built
  double busy = 0;   ///< share of the step in which the GPUs compute
  double power = 0;  ///< W, of all equipment while it runs; 0 without a site
  double waits = 0;  ///< share of the time for storage, at most
  PerLimit uses{0};  ///< of the limits that the variant decides alone; the deadline is not among them
};

struct PlanPoint {
  std::vector<std::vector<RunPoint>> runs;          ///< [workload][variant]
  PerLimit uses{0};                                 ///< of the limits of the hardware
  double racks = 0, rack_units = 0, nameplate = 0;  ///< W
  double pue = 1, capex = 0, opex = 0, total = 0;   ///< USD, USD/year, USD over the years of depreciation
  bool priced = false;
  int spares = 0;        ///< nodes beside those that train
  MissingFacts missing;  ///< what racks, power and money leave out
};

/// The point of `size`, which lies between those of two others: by GPUs, or by nodes where a job takes the
/// same GPUs of either.
PlanPoint between(const PlanPoint& a, const PlanPoint& b, const PlanSize& size_a, const PlanSize& size_b,
                  const PlanSize& size);

struct SitePlan;
struct SiteRun;

/// Why a design could not be built, at the first size where that was so.
struct Refusal {
  std::size_t design = 0;
  Error error;
};

class PointMaker {
 public:
  PointMaker(Evaluator& evaluator, const Scenario& scenario, const PlanSpace& space)
      : evaluator_(evaluator), scenario_(scenario), space_(space) {}

  /// Throws LimitReached; what cannot be built is a use of Limit::configuration without end. The evaluator
  /// then gives back clusters.
  PlanPoint make(std::size_t design, std::size_t size);

  [[nodiscard]] std::size_t made() const { return made_; }  ///< points so far
  [[nodiscard]] const std::vector<Refusal>& refusals() const { return refusals_; }
  /// What is missing to decide a limit, by the nodes of the candidates where it was.
  [[nodiscard]] const std::map<Limit, std::map<int, std::string>>& undecided() const { return undecided_; }

 private:
  PlanPoint point_of(std::size_t design, std::size_t size);
  RunPoint run(const Question& q, std::size_t design);
  void add_site(const Design& design, const Question& q, PlanPoint& point);
  /// The uses of limits; one that cannot be decided has no end.
  void hold(const std::vector<LimitValue>& limits, int nodes, PlanPoint& point);
  void add_money(const SitePlan& plan, const Cluster& cluster, int nodes, std::vector<SiteRun> runs,
                 PlanPoint& point);
  void refuse(std::size_t design, const Error& e);

  Evaluator& evaluator_;
  const Scenario& scenario_;
  const PlanSpace& space_;
  std::size_t made_ = 0;
  std::vector<Refusal> refusals_;
  std::map<Limit, std::map<int, std::string>> undecided_;
};

}  // namespace rackcast
