#include "scenarios/campaign/campaign_interval.hpp"

#include <algorithm>
#include <cmath>

#include "models/step/straggler.hpp"
#include "scenarios/campaign/campaign.hpp"
#include "scenarios/format/scenario.hpp"
#include "sim/base/normal.hpp"

namespace rackcast {

namespace {

constexpr int kDraws = 20;
constexpr std::size_t kMostJobsOfDraws = 400'000;   ///< of all draws together
constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15;  ///< 2^64 over the golden ratio: seeds far from each other

using Range = CampaignInterval::Range;

bool by_chance(const StreamSpec& s) {
  return (s.kind == StreamKind::team && !s.regular) || (s.kind == StreamKind::ensemble && s.keep < 1);
}

/// Simulated run times `z` standard deviations off.
void scale(CampaignJobs& jobs, double z) {
  for (CampaignJob& job : jobs.jobs) {
    if (!job.simulated) continue;
    const StreamJobs& stream = jobs.streams[job.stream];
    const double factor = z < 0 ? std::pow(stream.work_low, -z / half_of_90_percent)
                                : std::pow(stream.work_high, z / half_of_90_percent);
    job.work = factor * job.work;
    job.limit = factor * job.limit;  // users know how long such jobs take
  }
}

std::optional<doc::Reason> why_none(const Scenario& s, const CampaignReport& r) {
  const bool chance = s.failures || std::ranges::any_of(s.campaign->streams, by_chance) ||
                      std::ranges::any_of(r.jobs.jobs, &CampaignJob::simulated);
  if (!chance) return doc::Reason{"nothing_drawn"};
  if (r.jobs.jobs.size() * kDraws > kMostJobsOfDraws)
    return doc::Reason{"too_many_jobs", {{"jobs", r.jobs.jobs.size()}, {"draws", kDraws}}};
  return std::nullopt;
}

void include(const std::vector<double>& values, std::vector<Range>& ranges) {
  for (std::size_t i = 0; i < std::min(values.size(), ranges.size()); ++i) ranges[i].include(values[i]);
}

std::vector<double> values(const Percentiles& p) {
  return {p.p50, p.p90, p.p99};
}

std::vector<Range> ranges(const std::vector<double>& values) {
  std::vector<Range> out;
  for (const double value : values) out.push_back({value, value});
  return out;
}

}  // namespace

void CampaignInterval::Range::include(double value) {
  if (std::isnan(value)) return;
  low = std::fmin(low, value);
  high = std::fmax(high, value);
}

std::vector<double> quantile_shares() {
  constexpr int steps = 20;
  std::vector<double> out;
  for (int i = 1; i <= steps; ++i) out.push_back(static_cast<double>(i) / steps);
  return out;
}

std::vector<double> quantiles(const std::vector<double>& sorted) {
  std::vector<double> out;
  if (sorted.empty()) return out;
  for (const double share : quantile_shares()) {
    const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
    out.push_back(sorted[std::max<std::size_t>(rank, 1) - 1]);
  }
  return out;
}

std::vector<double> nodes_in_use(const std::vector<CampaignJob>& jobs, const CampaignOutcome& outcome,
                                 int nodes, Duration whole) {
  constexpr std::size_t parts = 60;
  std::vector<double> held(parts, 0);
  const double part = whole.base() / parts;
  for (const NodesHeld& h : outcome.held) {
    const double from = h.from.base(), to = std::min(whole.base(), h.to.base());
    for (auto p = static_cast<std::size_t>(from / part); p < parts && static_cast<double>(p) * part < to;
         ++p) {
      const double begin = static_cast<double>(p) * part;
      held[p] += jobs[h.job].nodes * (std::min(to, begin + part) - std::max(from, begin)) / part;
    }
  }
  for (double& h : held) h = std::min<double>(h, nodes);
  return held;
}

CampaignInterval campaign_interval(const Scenario& s, const CampaignReport& r, const DrawCampaign& draw,
                                   const CostCampaign& cost,
                                   const std::function<void(std::size_t done, std::size_t all)>& on_draw) {
  const CampaignSpec& spec = *s.campaign;
  CampaignInterval out;
  out.why_none = why_none(s, r);
  if (out.why_none) return out;
  out.draws = kDraws;
  for (const StreamStatistics& x : r.streams)
    out.streams.push_back({ranges(values(x.wait)),
                           ranges(values(x.completion)),
                           ranges(quantiles(x.waits)),
                           ranges(quantiles(x.completions)),
                           {},
                           {}});
  for (std::size_t i = 0; i < r.cost.streams.size(); ++i) {
    const CampaignCost::Stream& x = r.cost.streams[i];
    out.streams[i].job_owned = {x.job.value, x.job.value};
    out.streams[i].job_rented = {x.rented_job.value, x.rented_job.value};
  }
  out.in_use = ranges(nodes_in_use(r.jobs.jobs, r.outcome, r.nodes, spec.duration));
  out.utilisation = {r.utilisation, r.utilisation};
  for (int i = 1; i < kDraws; ++i) {
    const double z = normal_quantile(static_cast<double>(i) / kDraws);
    const CampaignDraw one =
        draw(s.seed ^ (kOdd * static_cast<std::uint64_t>(i)), [z](CampaignJobs& jobs) { scale(jobs, z); });
    for (std::size_t stream = 0; stream < out.streams.size(); ++stream) {
      const StreamStatistics x = stream_statistics(one.jobs.jobs, one.outcome, stream, spec.warm_up);
      include(values(x.wait), out.streams[stream].wait);
      include(values(x.completion), out.streams[stream].completion);
      include(quantiles(x.waits), out.streams[stream].waits);
      include(quantiles(x.completions), out.streams[stream].completions);
    }
    const CampaignCost costs = cost(one);
    for (std::size_t stream = 0; stream < costs.streams.size(); ++stream) {
      const CampaignCost::Stream& x = costs.streams[stream];
      if (x.jobs == 0) continue;
      out.streams[stream].job_owned.include(x.job.value);
      out.streams[stream].job_rented.include(x.rented_job.value);
    }
    include(nodes_in_use(one.jobs.jobs, one.outcome, r.nodes, spec.duration), out.in_use);
    out.utilisation.include(one.outcome.busy / one.outcome.available);
    if (on_draw) on_draw(static_cast<std::size_t>(i) + 1, kDraws);
  }
  return out;
}

}  // namespace rackcast
