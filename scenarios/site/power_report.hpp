#pragma once
/// Power and energy of the chosen cluster. Private to the site report.
#include <string>
#include <vector>

#include "models/step/training.hpp"
#include "scenarios/site/site_report.hpp"

namespace rackcast {

/// One workload as it would run on the chosen cluster.
struct SiteRun {
  std::string model, title;
  TrainingRun run;
  Duration time{0};
  Ends of_time = {};  ///< ends of its 90 % interval over it
};

/// Fraction of the step in which the GPU runs kernels. An all-reduce that nothing hides counts as waiting,
/// and so does what the host takes to start a kernel.
double busy_fraction(const TrainingRun& run);

/// `runs` starts with the chosen workload.
PowerReport power_report(const Catalog& catalog, const SiteSpec& site, const SitePlan& plan,
                         const Cluster& cluster, const std::vector<SiteRun>& runs);

/// What one device of each kind draws while the chosen workload trains.
std::vector<Power> expected_power(const Catalog& catalog, const SiteSpec& site, const SitePlan& plan,
                                  const Cluster& cluster, double busy);

}  // namespace rackcast
