#include "models/step/link_shares.hpp"

#include <algorithm>
#include <map>

namespace rackcast {
namespace {

/// The work of each pattern in a step; times its use of a resource, it is what passes there.
std::map<int, double> work_of(const CrewPlan& crew, const SteadyStep& step) {
  std::map<int, double> work{{crew.input, step.samples}};
  for (const Exchange& exchange : crew.exchanges)
    for (const FlowStage& stage : exchange.stages) work[stage.pattern] += step.exchanges * stage.work;
  return work;
}

}  // namespace

std::vector<LinkShare> link_shares(const DataParallelPlan& plan, const SteadyStep& step) {
  if (plan.crews.size() != 1 || !(step.time > Duration{0})) return {};
  const std::map<int, double> work = work_of(plan.crews.front(), step);
  std::map<LinkPlace, LinkShare> shares;
  for (const PlanResource& resource : plan.resources) {
    double bytes = 0;
    for (const auto& [pattern, units] : resource.uses)
      if (const auto at = work.find(pattern); at != work.end()) bytes += at->second * units;
    if (!(bytes > 0)) continue;
    const double full = bytes / (resource.capacity * step.time.base());
    for (const auto& [place, links] : resource.places) {
      LinkShare& share = shares[place];
      share.links += links;
      share.mean += full * links;
      share.fullest = std::max(share.fullest, full);
    }
  }
  std::vector<LinkShare> out;
  for (auto& [place, share] : shares) {
    share.place = place;
    share.mean /= static_cast<double>(share.links);
    out.push_back(share);
  }
  return out;
}

}  // namespace rackcast
