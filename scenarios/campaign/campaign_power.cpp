#include "scenarios/campaign/campaign_power.hpp"

#include <algorithm>
#include <cmath>

#include "scenarios/campaign/campaign_site.hpp"
#include "scenarios/format/scenario.hpp"
#include "sim/base/normal.hpp"

namespace rackcast {

namespace {

constexpr double hour = 3600, day = 86400;
constexpr std::size_t hours_of_day = 24, most_parts = 60;

/// What every sum of the campaign is made of.
struct Levels {
  double nodes = 0;          ///< how many
  double idle = 0;           ///< W, of all equipment
  double node_idle = 0;      ///< W, of one node
  double nameplate = 0;      ///< W
  double spread = 1;         ///< 90 % of what the node model says lie within this factor
  std::vector<double> work;  ///< W that one node at work draws over an idle one, by stream

  /// Of the IT, when work adds `excess` watts to the idle power.
  [[nodiscard]] Estimate estimate(double excess) const {
    const double value = idle + excess, of_nodes = excess + nodes * node_idle;
    return {value, value - of_nodes * (1 - 1 / spread),
            std::min(value + of_nodes * (spread - 1), std::max(value, nameplate)), "W"};
  }
};

/// Watts over idle by hour of the campaign; the last hour may be a part of one.
std::vector<double> excess_by_hour(const std::vector<CampaignJob>& jobs, const CampaignOutcome& outcome,
                                   const Levels& levels, double whole) {
  std::vector<double> joules(static_cast<std::size_t>(std::ceil(whole / hour)), 0);
  for (const NodesHeld& held : outcome.held) {
    const CampaignJob& job = jobs[held.job];
    const double watts = job.nodes * levels.work[job.stream], to = std::min(whole, held.to.base());
    double from = held.from.base();
    for (auto h = static_cast<std::size_t>(from / hour); h < joules.size() && from < to; ++h) {
      const double end = std::min(to, static_cast<double>(h + 1) * hour);
      joules[h] += watts * (end - from);
      from = end;
    }
  }
  for (std::size_t h = 0; h < joules.size(); ++h)
    joules[h] /= std::min(hour, whole - static_cast<double>(h) * hour);
  return joules;
}

void add_day(const std::vector<double>& excess, double warm_up, double whole, double idle,
             CampaignPower& out) {
  const auto first = static_cast<std::size_t>(std::ceil(warm_up / day)),
             last = static_cast<std::size_t>(std::floor(whole / day));
  if (last <= first) return;
  out.days = last - first;
  for (std::size_t h = 0; h < hours_of_day; ++h) {
    double sum = 0, least = INFINITY, most = 0;
    for (std::size_t d = first; d < last; ++d) {
      const double watts = idle + excess[d * hours_of_day + h];
      sum += watts;
      least = std::min(least, watts);
      most = std::max(most, watts);
    }
    out.day.push_back({Power{sum / static_cast<double>(out.days)}, Power{least}, Power{most}});
  }
}

/// At most `most_parts` equal parts of whole hours; the last may be shorter.
void add_parts(const std::vector<double>& excess, double whole, const Levels& levels, CampaignPower& out) {
  const std::size_t hours = (excess.size() + most_parts - 1) / most_parts;
  for (std::size_t begin = 0; begin < excess.size(); begin += hours) {
    const double from = static_cast<double>(begin) * hour,
                 to = std::min(whole, static_cast<double>(begin + hours) * hour);
    double joules = 0;
    for (std::size_t h = begin; h < std::min(begin + hours, excess.size()); ++h)
      joules += excess[h] * std::min(hour, whole - static_cast<double>(h) * hour);
    out.parts.push_back({Duration{from}, Duration{to - from}, levels.estimate(joules / (to - from))});
  }
}

void add_site(const PowerReport& site, const SitePlan& plan, CampaignPower& out) {
  out.nameplate = site.nameplate;
  out.idle = site.idle;
  out.pue = plan.pue.value;
  out.plant = plan.pue.plant;
  out.gpu_model = site.gpu_model;
  out.gpu_borrowed = site.gpu_borrowed;
  out.region = site.region;
  out.intensity = site.intensity.value;
  out.btu_per_hour = site.btu_per_hour;
  out.tons = site.tons;
  out.air_cfm = site.air_cfm;
  out.air_rise = site.air_rise;
}

}  // namespace

CampaignPower campaign_power(const Scenario& s, const Catalog& catalog, const CampaignSite& where,
                             const std::vector<CampaignJob>& jobs, const CampaignOutcome& outcome) {
  CampaignPower out;
  const PowerReport& report = where.power;
  if (!where.unknown.empty()) {
    out.unknown = doc::Reason{"no_power_model", {{"message", where.unknown}}};
    return out;
  }
  if (!report.known) {
    out.unknown = doc::Reason{"unrated", {{"node", report.unrated}, {"others_w", report.nameplate.base()}}};
    return out;
  }
  const SitePowerOptions& site = where.spec.power;
  const Cluster& cluster = *where.cluster;
  add_site(report, where.plan, out);
  out.missing = where.plan.missing().power;
  const NodePower node = node_power(catalog, cluster.node, site.psu);
  Levels levels{static_cast<double>(where.nodes()),
                report.idle.base(),
                node.idle.base(),
                report.nameplate.base(),
                std::exp(half_of_90_percent * node.log_sigma),
                {}};
  out.node_idle = node.idle;
  out.others = std::max(Power{0}, report.idle - where.nodes() * node.idle);  // 0 may round to less
  for (std::size_t i = 0; i < where.runs.size(); ++i) {
    const double busy = busy_fraction(where.runs[i].run);
    const Power draw = node.at(busy, site.gpu_cap.value_or(Power{INFINITY})).wall;
    out.draws.push_back({s.campaign->streams[i].name, where.runs[i].title, busy, draw});
    levels.work.push_back((draw - node.idle).base());
  }
  const double length = s.campaign->duration.base();
  const std::vector<double> excess = excess_by_hour(jobs, outcome, levels, length);
  add_day(excess, s.campaign->warm_up.base(), length, levels.idle, out);
  add_parts(excess, length, levels, out);
  double joules = 0;
  for (const CampaignPower::Part& part : out.parts) joules += part.it.value * part.length.base();
  out.mean = levels.estimate(joules / length - levels.idle);
  out.all_busy = levels.estimate(levels.nodes * *std::ranges::max_element(levels.work));
  out.busiest_hour = Power{levels.idle + *std::ranges::max_element(excess)};
  out.it = Energy{joules};
  out.facility = out.pue * out.it;
  out.co2 = out.intensity * out.facility;
  return out;
}

}  // namespace rackcast
