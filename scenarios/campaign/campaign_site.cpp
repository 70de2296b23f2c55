#include "scenarios/campaign/campaign_site.hpp"

#include <algorithm>

#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/format/scenario.hpp"
#include "sim/base/error.hpp"

namespace rackcast {

namespace {

std::vector<SiteRun> runs_of_streams(const Scenario& s, Evaluator& evaluator) {
  std::vector<SiteRun> out;
  for (const StreamSpec& stream : s.campaign->streams) {
    const auto named = std::ranges::find(s.workloads, stream.workload, &WorkloadSpec::model);
    Question q = question(s, named == s.workloads.end() ? s.workloads.front() : *named);
    q.cluster.nodes = stream.kind == StreamKind::recorded ? 1 : stream.nodes;
    q.failures.reset();
    out.push_back({q.workload.model, evaluator.workload(q.workload).title, evaluator.run(q), Duration{3600}});
  }
  return out;
}

}  // namespace

CampaignSite campaign_site(const Scenario& s, const Catalog& catalog, Evaluator& evaluator) {
  CampaignSite out;
  if (s.site) out.spec = *s.site;
  try {
    const Question asked = question(s, s.workloads.front());
    out.cluster = &evaluator.bought(asked);
    out.plan = site_plan(catalog, out.spec, *out.cluster, evaluator.spares(asked), s.storage);
    out.runs = runs_of_streams(s, evaluator);
    out.power = power_report(catalog, out.spec, out.plan, *out.cluster, out.runs);
  } catch (const Error& e) {
    // The campaign itself stands: its jobs may state how long they run, of a workload that fits no GPU.
    out.unknown = e.message();
  }
  return out;
}

}  // namespace rackcast
