/// What a campaign came to, as the document that the reports read (scenarios/document/campaign.hpp).
#include <cmath>

#include "scenarios/campaign/campaign.hpp"
#include "scenarios/document/campaign.hpp"
#include "scenarios/document/whole.hpp"
#include "scenarios/format/scenario.hpp"
#include "scenarios/result/result_document.hpp"
#include "topologies/catalog/plain_name.hpp"

namespace rackcast {

namespace {

using Ranges = std::vector<CampaignInterval::Range>;

std::int64_t as_integer(std::size_t count) {
  return static_cast<std::int64_t>(count);
}

/// Nothing for what does not exist, as the wait where no job waited.
std::optional<double> known_number(double value) {
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

doc::CampaignTimes times_document(const Percentiles& p, const Ranges& ranges) {
  doc::CampaignTimes out{
      known_number(p.p50), known_number(p.p90), known_number(p.p99), {}, {}, {}, {}, {}, {}};
  if (ranges.empty()) return out;
  out.p50_low = known_number(ranges[0].low), out.p50_high = known_number(ranges[0].high);
  out.p90_low = known_number(ranges[1].low), out.p90_high = known_number(ranges[1].high);
  out.p99_low = known_number(ranges[2].low), out.p99_high = known_number(ranges[2].high);
  return out;
}

std::vector<doc::CampaignStream::Quantile> quantiles_document(const std::vector<double>& sorted,
                                                              const Ranges& ranges) {
  std::vector<doc::CampaignStream::Quantile> out;
  const std::vector<double> shares = quantile_shares(), values = quantiles(sorted);
  for (std::size_t i = 0; i < values.size(); ++i) {
    out.push_back({shares[i], values[i], {}, {}});
    if (i < ranges.size()) out.back().low = ranges[i].low, out.back().high = ranges[i].high;
  }
  return out;
}

std::vector<doc::Campaign::Use> in_use_document(const CampaignReport& r, Duration whole) {
  std::vector<doc::Campaign::Use> out;
  const std::vector<double> held = nodes_in_use(r.jobs.jobs, r.outcome, r.nodes, whole);
  const Ranges& ranges = r.interval.in_use;
  for (std::size_t p = 0; p < held.size(); ++p) {
    const double share = static_cast<double>(p) / static_cast<double>(held.size());
    out.push_back({share * whole.base(), held[p], {}, {}});
    if (p < ranges.size()) out.back().low = ranges[p].low, out.back().high = ranges[p].high;
  }
  return out;
}

doc::CampaignPower power_document(const CampaignPower& p) {
  constexpr double joules_per_kwh = 3.6e6;
  doc::CampaignPower out;
  out.known = !p.unknown;
  out.why = p.unknown;
  if (!out.known) return out;
  doc::CampaignPower::Figures& f = out.figures;
  f.nameplate_w = p.nameplate.base();
  f.all_busy = to_document(p.all_busy).value();
  f.busiest_hour_w = p.busiest_hour.base();
  f.mean = to_document(p.mean).value();
  f.idle_w = p.idle.base();
  f.node_idle_w = p.node_idle.base();
  f.others_w = p.others.base();
  f.gpu_model = p.gpu_model;
  f.gpu_borrowed = p.gpu_borrowed;
  f.no_power = p.missing;
  f.pue = p.pue;
  f.plant = plain_name(p.plant);
  f.it_kwh = p.it.base() / joules_per_kwh;
  f.facility_kwh = p.facility.base() / joules_per_kwh;
  f.grid = plain_name(p.region);
  f.g_co2_per_kwh = p.intensity.base() * 1e3 * joules_per_kwh;
  f.co2_kg = p.co2.base();
  f.btu_per_h = p.btu_per_hour;
  f.cooling_tons = p.tons;
  f.air_cfm = p.air_cfm;
  f.air_rise_kelvin = p.air_rise;
  f.days = as_integer(p.days);
  for (const auto& d : p.draws) f.draws.push_back({d.stream, d.workload, d.busy, d.node.base()});
  for (const auto& h : p.day) f.day.push_back({h.mean.base(), h.least.base(), h.most.base()});
  for (const auto& part : p.parts)
    f.parts.push_back({part.from.base(), part.length.base(), part.it.value, part.it.low, part.it.high});
  return out;
}

doc::CampaignCost::Jobs usd(const Percentiles& p) {
  return {known_number(p.p50), known_number(p.p90), known_number(p.p99)};
}

/// What an hour of a node in use consists of, on average.
doc::CampaignCost::NodeHour hour_document(const CampaignCost& c) {
  const OwnCost& own = c.cluster.own;
  const auto per_hour = [&c](MoneyRate rate) {
    return (rate * c.over / c.held * Duration{3600}).base();
  };
  const MoneyRate written_off = own.capex / own.depreciation;
  doc::CampaignCost::NodeHour out;
  out.depreciation_usd = per_hour(written_off);
  out.interest_usd = per_hour(own.capital() - written_off);
  out.energy_usd = per_hour(own.energy(c.cluster.utilisation));
  out.space_usd = per_hour(own.space);
  out.support_usd = per_hour(own.support);
  if (c.cluster.staff_known) out.staff_usd = per_hour(own.staff);
  out.total_usd = per_hour(own.total(c.cluster.utilisation));
  return out;
}

doc::CampaignCost::Rent rent_document(const CampaignCost& c) {
  Money rented{0};
  for (const CampaignCost::Stream& s : c.streams) rented += s.rented;
  doc::CampaignCost::Rent out;
  out.instance = c.cluster.offer->instance;
  out.terms = plain_name(c.cluster.rent_terms);
  out.date = c.cluster.offer->date;
  out.usd_per_hour = (c.cluster.offer->rate * Duration{3600}).base();
  out.note = c.cluster.offer->note;
  out.rented_usd = rented.base();
  out.break_even = c.cluster.break_even;
  return out;
}

doc::CampaignCost::Stream stream_cost_document(const StreamSpec& spec, const CampaignCost::Stream& s,
                                               bool rent) {
  doc::CampaignCost::Stream out;
  out.name = spec.name;
  out.kind = to_string(spec.kind);
  out.held_node_s = s.held.base();
  out.node_hour_usd = (s.node * Duration{3600}).base();
  out.owned_usd = s.owned.base();
  out.jobs = as_integer(s.jobs);
  if (s.jobs > 0) out.job = to_document(s.job);
  out.owned_jobs = usd(s.owned_jobs);
  if (!rent) return out;
  out.rented_usd = s.rented.base();
  if (s.jobs > 0) out.rented_job = to_document(s.rented_job);
  out.rented_jobs = usd(s.rented_jobs);
  return out;
}

doc::CampaignCost cost_document(const CampaignSpec& spec, const CampaignCost& c) {
  doc::CampaignCost out;
  out.known = !c.unknown;
  out.why = c.unknown;
  if (!out.known) return out;
  const CostReport& all = c.cluster;
  doc::CampaignCost::Figures& f = out.figures;
  f.date = all.date;
  f.over_s = c.over.base();
  f.utilisation = all.utilisation;
  f.capex_usd = all.own.capex.base();
  f.owned_usd = (all.own.total(all.utilisation) * c.over).base();
  f.node_hour = hour_document(c);
  if (all.offer) f.rent = rent_document(c);
  f.missing = all.missing;
  f.no_price = all.lacking.prices;
  f.no_power = all.lacking.power;
  f.no_units = all.lacking.units;
  for (std::size_t i = 0; i < c.streams.size(); ++i)
    f.streams.push_back(stream_cost_document(spec.streams[i], c.streams[i], all.offer.has_value()));
  return out;
}

doc::CampaignStream stream_document(const StreamSpec& spec, const StreamJobs& jobs, const StreamStatistics& x,
                                    const CampaignInterval::Stream& interval) {
  doc::CampaignStream out;
  out.name = spec.name;
  out.kind = to_string(spec.kind);
  if (spec.kind != StreamKind::recorded) out.nodes = spec.nodes;
  out.submitted = as_integer(x.submitted);
  out.started = as_integer(x.started);
  out.finished = as_integer(x.finished);
  out.failures = as_integer(x.failures);
  out.preemptions = as_integer(x.preemptions);
  out.work_s = jobs.work.base();
  out.work_from = jobs.work_from;
  out.left_out = as_integer(jobs.left_out);
  out.never_ran = as_integer(jobs.never_ran);
  out.leaves = x.leaves;
  out.pods = x.pods;
  out.slowdown = x.slowdown;
  out.wait = times_document(x.wait, interval.wait);
  out.completion = times_document(x.completion, interval.completion);
  if (!std::isnan(x.recorded_wait.p50)) out.recorded_wait = times_document(x.recorded_wait, {});
  out.waits = quantiles_document(x.waits, interval.waits);
  out.completions = quantiles_document(x.completions, interval.completions);
  return out;
}

doc::Campaign::Interval interval_document(const CampaignInterval& interval) {
  doc::Campaign::Interval out;
  out.draws = interval.draws;
  out.why_none = interval.why_none;
  if (interval.draws == 0) return out;
  out.utilisation_low = known_number(interval.utilisation.low);
  out.utilisation_high = known_number(interval.utilisation.high);
  return out;
}

}  // namespace

std::string campaign_document(const Scenario& s, const CampaignReport& r, const std::string& command) {
  const CampaignSpec& c = *s.campaign;
  doc::Campaign out;
  out.head = head_document("campaign", command, s);
  out.head.format = doc::Campaign::format_name;
  out.head.version = doc::Campaign::current_version;
  out.nodes = r.nodes;
  out.spares = r.spares;
  out.node = s.cluster.node;
  out.node_title = r.node_title;
  out.duration_s = c.duration.base();
  out.warm_up_s = c.warm_up.base();
  out.policy = to_string(c.scheduler.policy);
  out.placement = c.scheduler.placement == Placement::compact ? "compact" : "first_fit";
  out.preemption = c.scheduler.preemption;
  out.jobs = as_integer(r.jobs.jobs.size());
  out.offered = r.offered;
  out.utilisation = known_number(r.utilisation);
  if (s.failures) out.goodput = known_number(r.goodput);
  out.failures = as_integer(r.outcome.failures);
  out.preemptions = as_integer(r.outcome.preemptions);
  out.interval = interval_document(r.interval);
  out.in_use = in_use_document(r, c.duration);
  out.power = power_document(r.power);
  out.cost = cost_document(c, r.cost);
  for (std::size_t i = 0; i < r.streams.size(); ++i)
    out.streams.push_back(
        stream_document(c.streams[i], r.jobs.streams[i], r.streams[i],
                        r.interval.draws > 0 ? r.interval.streams[i] : CampaignInterval::Stream{}));
  return doc::document_text(out);
}

}  // namespace rackcast
