#include "scenarios/campaign/campaign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>

#include "scenarios/campaign/campaign_simulation.hpp"
#include "scenarios/campaign/campaign_site.hpp"
#include "scenarios/campaign/gang_speed.hpp"
#include "scenarios/campaign/node_pool.hpp"
#include "scenarios/evaluate/evaluator.hpp"
#include "scenarios/format/scenario.hpp"
#include "sim/json/table_document.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast {

namespace {

/// Failures of the jobs of this scenario; their checkpoint intervals by size.
class Failures {
 public:
  Failures(const Scenario& scenario, Evaluator& evaluator)
      : question_(question(scenario, scenario.workloads.front())), evaluator_(evaluator) {
    const FailurePlan whole = *evaluator.failures(question_);
    values_.node_mtbf = whole.node.mtbf;
    values_.replaced = whole.node.replacements() / whole.node.interruptions();
    values_.repair = whole.repair;
    values_.spares = whole.spares;
    values_.job = [this](int nodes) {
      return of(nodes);
    };
  }
  Failures(const Failures&) = delete;
  Failures& operator=(const Failures&) = delete;

  [[nodiscard]] const CampaignFailures& values() const { return values_; }

 private:
  GoodputSpec of(int nodes) {
    const auto it = known_.find(nodes);
    if (it != known_.end()) return it->second;
    question_.cluster.nodes = nodes;
    return known_.emplace(nodes, evaluator_.failures(question_)->spec).first->second;
  }

  Question question_;
  Evaluator& evaluator_;
  std::map<int, GoodputSpec> known_;
  CampaignFailures values_;
};

/// In whole microseconds, as the campaign's clock has it: a job that did not wait has waited 0.
double on_the_clock(Duration time) {
  constexpr double ticks = 1e6;
  return std::max(0.0, std::round(time.base() * ticks) / ticks);
}

/// Stops when the wall-clock limit is over, counted from now, or the user asks for it.
CampaignWatch watch_of(const RunControl& control, const std::function<void(Duration now)>& on_time) {
  return {[&control, &on_time, started = std::chrono::steady_clock::now()](Duration now) {
    if (on_time) on_time(now);
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - started;
    return spent.count() <= control.wall_clock.base() && !(control.cancelled && control.cancelled());
  }};
}

}  // namespace

StreamStatistics stream_statistics(const std::vector<CampaignJob>& jobs, const CampaignOutcome& outcome,
                                   std::size_t stream, Duration from) {
  StreamStatistics out;
  std::vector<double> wait, completion, recorded;
  double leaves = 0, pods = 0, slowdown = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const CampaignJob& job = jobs[i];
    const JobOutcome& what = outcome.jobs[i];
    if (job.stream != stream || job.submit < from) continue;
    ++out.submitted;
    out.failures += static_cast<std::size_t>(what.failures);
    out.preemptions += static_cast<std::size_t>(what.preemptions);
    if (job.recorded_wait) recorded.push_back(job.recorded_wait->base());
    if (what.started) {
      ++out.started;
      leaves += what.leaves;
      pods += what.pods;
      slowdown += what.slowdown;
      wait.push_back(on_the_clock(*what.started - job.submit));
    }
    if (what.ended) {
      ++out.finished;
      completion.push_back(on_the_clock(*what.ended - job.submit));
    }
  }
  if (out.started > 0) {
    out.leaves = leaves / static_cast<double>(out.started);
    out.pods = pods / static_cast<double>(out.started);
    out.slowdown = slowdown / static_cast<double>(out.started);
  }
  out.wait = percentiles(wait);
  out.completion = percentiles(completion);
  std::ranges::sort(wait);
  std::ranges::sort(completion);
  out.waits = std::move(wait);
  out.completions = std::move(completion);
  out.recorded_wait = percentiles(std::move(recorded));
  return out;
}

CampaignReport run_campaign(const Scenario& s, const Catalog& catalog, const RunControl& control,
                            const std::function<void(Duration now)>& on_time) {
  if (!s.campaign) {
    s.text.fail("`rackcast campaign` needs a \"campaign\"",
                R"(for example "campaign": { "duration": "30 days", "streams": [{ "kind": "team", ... }] })");
  }
  Evaluator evaluator{catalog, control, s};
  CampaignReport out;
  const CampaignWatch watch = watch_of(control, on_time);
  out.nodes = s.cluster.nodes;
  out.spares = evaluator.spares(question(s, s.workloads.front()));
  const CampaignSpec& campaign = *s.campaign;
  GangSpeed gangs{s, evaluator, out.nodes};
  const bool simulated = !campaign.scheduler.across_leaves;
  const bool told = campaign.scheduler.nodes_per_leaf == 0 && !gangs.places().empty();
  const auto places = told ? gangs.places() : regular_places(out.nodes, campaign.scheduler.nodes_per_leaf);
  LeafCost leaf_cost;
  if (simulated)
    leaf_cost = [&gangs](const CampaignJob& job, const Gang& gang) {
      return job.simulated ? gangs.slowdown(job.stream, gang) : 1;
    };
  std::optional<Failures> failures;
  if (s.failures) failures.emplace(s, evaluator);
  Scenario seeded = s;
  const DrawCampaign draw = [&](std::uint64_t seed, const std::function<void(CampaignJobs&)>& scale) {
    seeded.seed = seed;
    CampaignDraw one{campaign_jobs(seeded, evaluator, out.nodes, simulated ? &gangs : nullptr), {}};
    scale(one.jobs);
    one.outcome = simulate_campaign(campaign, places, one.jobs.jobs, failures ? &failures->values() : nullptr,
                                    seed, leaf_cost, watch);
    return one;
  };
  CampaignDraw as_predicted = draw(s.seed, [](CampaignJobs&) {});
  out.jobs = std::move(as_predicted.jobs);
  out.outcome = std::move(as_predicted.outcome);
  out.node_title = evaluator.cluster(question(s, s.workloads.front())).node.name;
  const CampaignSite site = campaign_site(s, catalog, evaluator);
  out.power = campaign_power(s, catalog, site, out.jobs.jobs, out.outcome);
  out.cost = campaign_cost(s, catalog, site, out.power, out.jobs.jobs, out.outcome);
  double work = 0;
  for (const CampaignJob& job : out.jobs.jobs) work += job.nodes * job.work.base();
  out.offered = work / (out.nodes * s.campaign->duration.base());
  out.utilisation = out.outcome.busy / out.outcome.available;
  out.goodput = out.outcome.occupied > 0 ? out.outcome.useful / out.outcome.occupied : 1;
  for (std::size_t i = 0; i < s.campaign->streams.size(); ++i)
    out.streams.push_back(stream_statistics(out.jobs.jobs, out.outcome, i, s.campaign->warm_up));
  const CostCampaign cost = [&](const CampaignDraw& one) {
    return campaign_cost(s, catalog, site, out.power, one.jobs.jobs, one.outcome);
  };
  try {
    out.interval = campaign_interval(s, out, draw, cost, control.on_design);
  } catch (const Error&) {
    if (watch.go_on(Duration{0})) throw;
    out.interval = {};
    out.interval.why_none = doc::Reason{"drawn_too_rarely"};
  }
  for (std::size_t i = 0; i < std::min(out.interval.streams.size(), out.cost.streams.size()); ++i) {
    const CampaignInterval::Stream& range = out.interval.streams[i];
    out.cost.streams[i].widen({range.job_owned.low, range.job_owned.high},
                              {range.job_rented.low, range.job_rented.high});
  }
  return out;
}

}  // namespace rackcast
