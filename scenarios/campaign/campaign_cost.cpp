#include "scenarios/campaign/campaign_cost.hpp"

#include <algorithm>
#include <numeric>

#include "scenarios/campaign/campaign_power.hpp"
#include "scenarios/campaign/campaign_site.hpp"
#include "scenarios/format/scenario.hpp"

namespace rackcast {

namespace {

/// How long each job held its nodes: in all, and after the warm-up.
struct TimeHeld {
  std::vector<Duration> whole, counted;
};

TimeHeld time_held(const CampaignSpec& campaign, const CampaignOutcome& outcome) {
  TimeHeld out{std::vector<Duration>(outcome.jobs.size()), std::vector<Duration>(outcome.jobs.size())};
  for (const NodesHeld& h : outcome.held) {
    out.whole[h.job] += h.to - h.from;
    const Duration counted = std::min(h.to, campaign.duration) - std::max(h.from, campaign.warm_up);
    out.counted[h.job] += std::max(Duration{0}, counted);
  }
  return out;
}

/// The cluster's costs at the use and power of the campaign. `work`: W over idle of a node that works.
CostReport cluster_cost(const Catalog& catalog, const CampaignSite& where, double utilisation, Power work) {
  SiteSpec spec = where.spec;
  spec.power.utilisation = utilisation;
  PowerReport power = where.power;
  power.it.value = power.known ? (power.idle + where.nodes() * work).base() : 0;
  power.runs.clear();
  std::optional<NetworkReport> network;
  if (where.cluster->fabric.leaves > 0) network = network_report(catalog, where.plan, *where.cluster);
  return cost_report(catalog, spec, where.plan, *where.cluster, power,
                     bill_of_materials(catalog, spec, where.plan, network));
}

/// Of whole instances for one job.
Money rent_of(const CostReport& cost, const Cluster& cluster, int nodes, Duration time) {
  if (!cost.offer) return Money{0};
  const int gpus = nodes * cluster.node.gpus;
  const int instances = (gpus + cost.offer->gpus - 1) / cost.offer->gpus;
  return instances * (cost.offer->rate * time);
}

double mean(const std::vector<double>& values) {
  return values.empty()
             ? 0
             : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// What the jobs of a stream cost that were submitted after the warm-up and ended.
void add_jobs(std::size_t index, const Duration warm_up, const std::vector<CampaignJob>& jobs,
              const CampaignOutcome& outcome, const TimeHeld& time, const Cluster& cluster,
              const CostReport& cost, CampaignCost::Stream& out) {
  std::vector<double> owned, rented;
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    if (jobs[j].stream != index || jobs[j].submit < warm_up || !outcome.jobs[j].ended) continue;
    owned.push_back((jobs[j].nodes * time.whole[j] * out.node).base());
    if (cost.offer) rented.push_back(rent_of(cost, cluster, jobs[j].nodes, time.whole[j]).base());
  }
  out.jobs = owned.size();
  out.job = {mean(owned), mean(owned), mean(owned), "USD"};
  out.rented_job = {mean(rented), mean(rented), mean(rented), "USD"};
  out.owned_jobs = percentiles(std::move(owned));
  out.rented_jobs = percentiles(std::move(rented));
}

CampaignCost priced(const Scenario& s, const Catalog& catalog, const CampaignSite& where,
                    const CampaignPower& power, const std::vector<CampaignJob>& jobs,
                    const CampaignOutcome& outcome) {
  const CampaignSpec& campaign = *s.campaign;
  const Cluster& cluster = *where.cluster;
  CampaignCost out;
  out.over = campaign.duration - campaign.warm_up;
  out.streams.resize(campaign.streams.size());
  const TimeHeld time = time_held(campaign, outcome);
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    const Duration held = jobs[j].nodes * time.counted[j];
    out.streams[jobs[j].stream].held += held;
    out.held += held;
  }
  const Duration all = out.held;
  if (!(all > Duration{0})) {
    out.unknown = doc::Reason{"no_node_held"};
    return out;
  }
  std::vector<Power> work(out.streams.size());  // of a node that works, over an idle one
  for (std::size_t i = 0; i < power.draws.size(); ++i) work[i] = power.draws[i].node - power.node_idle;
  Energy worked{0};
  for (std::size_t i = 0; i < work.size(); ++i) worked += work[i] * out.streams[i].held;
  out.cluster = cluster_cost(catalog, where, all / (where.nodes() * out.over), worked / all);
  const OwnCost& own = out.cluster.own;
  const MoneyRate shared = own.total(0) * out.over / all, idle = own.energy_idle * out.over / all;
  const EnergyPrice joule = where.plan.pue.value * out.cluster.energy_price.value;
  for (std::size_t i = 0; i < out.streams.size(); ++i) {
    CampaignCost::Stream& stream = out.streams[i];
    stream.node = shared + joule * work[i];
    stream.owned = stream.node * stream.held;
    add_jobs(i, campaign.warm_up, jobs, outcome, time, cluster, out.cluster, stream);
    if (power.mean.value <= 0) continue;
    // The energy is uncertain as the power of the whole campaign is; all else is as priced.
    const double energy = (idle + joule * work[i]) / stream.node;
    stream.job.low = stream.job.value * (1 - energy * (1 - power.mean.low / power.mean.value));
    stream.job.high = stream.job.value * (1 + energy * (power.mean.high / power.mean.value - 1));
  }
  for (std::size_t j = 0; j < jobs.size(); ++j)
    out.streams[jobs[j].stream].rented += rent_of(out.cluster, cluster, jobs[j].nodes, time.counted[j]);
  return out;
}

}  // namespace

void CampaignCost::Stream::widen(std::pair<double, double> own, std::pair<double, double> rent) {
  if (jobs == 0) return;
  job.low *= own.first / job.value;
  job.high *= own.second / job.value;
  rented_job.low = rent.first;
  rented_job.high = rent.second;
}

CampaignCost campaign_cost(const Scenario& s, const Catalog& catalog, const CampaignSite& site,
                           const CampaignPower& power, const std::vector<CampaignJob>& jobs,
                           const CampaignOutcome& outcome) {
  CampaignCost out;
  if (!site.spec.prices) {
    out.unknown = doc::Reason{"no_price_date"};
  } else if (!site.unknown.empty()) {
    out.unknown = doc::Reason{"no_cost_model", {{"message", site.unknown}}};
  } else {
    return priced(s, catalog, site, power, jobs, outcome);
  }
  return out;
}

}  // namespace rackcast
