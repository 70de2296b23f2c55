/// What a campaign came to, as data for the reports.
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "scenarios/campaign/campaign.hpp"
#include "scenarios/result_document.hpp"
#include "scenarios/scenario.hpp"
#include "topologies/plain_name.hpp"

namespace rackcast {

namespace {

using Document = nlohmann::ordered_json;

Document number(double value) {
  return std::isfinite(value) ? Document(value) : Document(nullptr);
}

using Ranges = std::vector<CampaignInterval::Range>;

Document percentiles_document(const Percentiles& p, const Ranges& ranges) {
  Document out = {{"p50_s", number(p.p50)}, {"p90_s", number(p.p90)}, {"p99_s", number(p.p99)}};
  constexpr const char* names[][2] = {
      {"p50_low_s", "p50_high_s"}, {"p90_low_s", "p90_high_s"}, {"p99_low_s", "p99_high_s"}};
  for (std::size_t i = 0; i < ranges.size(); ++i)
    out.update({{names[i][0], number(ranges[i].low)}, {names[i][1], number(ranges[i].high)}});
  return out;
}

Document quantiles_document(const std::vector<double>& sorted, const Ranges& ranges) {
  Document out = Document::array();
  const std::vector<double> shares = quantile_shares(), values = quantiles(sorted);
  for (std::size_t i = 0; i < values.size(); ++i) {
    out.push_back({{"share", shares[i]}, {"seconds", values[i]}});
    if (i < ranges.size()) out.back().update({{"low_s", ranges[i].low}, {"high_s", ranges[i].high}});
  }
  return out;
}

Document in_use_document(const CampaignReport& r, Duration whole) {
  Document out = Document::array();
  const std::vector<double> held = nodes_in_use(r.jobs.jobs, r.outcome, r.nodes, whole);
  const Ranges& ranges = r.interval.in_use;
  for (std::size_t p = 0; p < held.size(); ++p) {
    const double share = static_cast<double>(p) / static_cast<double>(held.size());
    out.push_back({{"from_s", share * whole.base()}, {"nodes", held[p]}});
    if (p < ranges.size()) out.back().update({{"low", ranges[p].low}, {"high", ranges[p].high}});
  }
  return out;
}

Document power_document(const CampaignPower& p) {
  constexpr double joules_per_kwh = 3.6e6;
  if (!p.unknown.empty()) return {{"known", false}, {"statement", p.unknown}};
  Document out = {{"known", true},
                  {"nameplate_w", p.nameplate.base()},
                  {"all_busy", estimate_document(p.all_busy)},
                  {"busiest_hour_w", p.busiest_hour.base()},
                  {"mean", estimate_document(p.mean)},
                  {"idle_w", p.idle.base()},
                  {"node_idle_w", p.node_idle.base()},
                  {"others_w", p.others.base()},
                  {"gpu_model", p.gpu_model},
                  {"pue", p.pue},
                  {"plant", plain_name(p.plant)},
                  {"it_kwh", p.it.base() / joules_per_kwh},
                  {"facility_kwh", p.facility.base() / joules_per_kwh},
                  {"grid", plain_name(p.region)},
                  {"g_co2_per_kwh", p.intensity.base() * 1e3 * joules_per_kwh},
                  {"co2_kg", p.co2.base()},
                  {"btu_per_h", p.btu_per_hour},
                  {"cooling_tons", p.tons},
                  {"air_cfm", p.air_cfm},
                  {"air_rise_kelvin", p.air_rise},
                  {"days", p.days}};
  Document &draws = out["draws"] = Document::array(), &day = out["day"] = Document::array(),
           &parts = out["parts"] = Document::array();
  for (const auto& d : p.draws)
    draws.push_back(
        {{"stream", d.stream}, {"workload", d.workload}, {"busy", d.busy}, {"node_w", d.node.base()}});
  for (const auto& h : p.day)
    day.push_back({{"mean_w", h.mean.base()}, {"least_w", h.least.base()}, {"most_w", h.most.base()}});
  for (const auto& part : p.parts)
    parts.push_back({{"from_s", part.from.base()},
                     {"seconds", part.length.base()},
                     {"it_w", part.it.value},
                     {"it_low_w", part.it.low},
                     {"it_high_w", part.it.high}});
  return out;
}

Document usd(const Percentiles& p) {
  return {{"p50_usd", number(p.p50)}, {"p90_usd", number(p.p90)}, {"p99_usd", number(p.p99)}};
}

/// What an hour of a node in use consists of, on average.
Document hour_document(const CampaignCost& c) {
  const OwnCost& own = c.cluster.own;
  const auto per_hour = [&c](MoneyRate rate) {
    return (rate * c.over / c.held * Duration{3600}).base();
  };
  const MoneyRate written_off = own.capex / own.depreciation;
  return {{"depreciation_usd", per_hour(written_off)},
          {"interest_usd", per_hour(own.capital() - written_off)},
          {"energy_usd", per_hour(own.energy(c.cluster.utilisation))},
          {"space_usd", per_hour(own.space)},
          {"support_usd", per_hour(own.support)},
          {"staff_usd", c.cluster.staff_known ? Document(per_hour(own.staff)) : Document(nullptr)},
          {"total_usd", per_hour(own.total(c.cluster.utilisation))}};
}

Document cost_document(const CampaignSpec& spec, const CampaignCost& c) {
  if (!c.unknown.empty()) return {{"known", false}, {"statement", c.unknown}};
  const CostReport& all = c.cluster;
  Document out = {{"known", true},
                  {"date", all.date},
                  {"over_s", c.over.base()},
                  {"utilisation", all.utilisation},
                  {"capex_usd", all.own.capex.base()},
                  {"owned_usd", (all.own.total(all.utilisation) * c.over).base()},
                  {"node_hour", hour_document(c)},
                  {"rent", nullptr},
                  {"missing", all.missing},
                  {"lacking", missing_document(all.lacking)}};
  if (all.offer) {
    Money rented{0};
    for (const CampaignCost::Stream& s : c.streams) rented += s.rented;
    out["rent"] = {
        {"instance", all.offer->instance},
        {"terms_title", plain_name(all.rent_terms)},
        {"date", all.offer->date},
        {"usd_per_hour", (all.offer->rate * Duration{3600}).base()},
        {"note", all.offer->note},
        {"rented_usd", rented.base()},
        {"break_even_utilisation", all.break_even ? Document(*all.break_even) : Document(nullptr)}};
  }
  Document& streams = out["streams"] = Document::array();
  for (std::size_t i = 0; i < c.streams.size(); ++i) {
    const CampaignCost::Stream& s = c.streams[i];
    Document row = {{"name", spec.streams[i].name}, {"kind", to_string(spec.streams[i].kind)},
                    {"held_node_s", s.held.base()}, {"node_hour_usd", (s.node * Duration{3600}).base()},
                    {"owned_usd", s.owned.base()},  {"jobs", s.jobs}};
    row["job"] = s.jobs > 0 ? estimate_document(s.job) : Document(nullptr);
    row["owned_jobs"] = usd(s.owned_jobs);
    if (all.offer) {
      row["rented_usd"] = s.rented.base();
      row["rented_job"] = s.jobs > 0 ? estimate_document(s.rented_job) : Document(nullptr);
      row["rented_jobs"] = usd(s.rented_jobs);
    }
    streams.push_back(std::move(row));
  }
  return out;
}

Document stream_document(const StreamSpec& spec, const StreamJobs& jobs, const StreamStatistics& x,
                         const CampaignInterval::Stream& interval) {
  Document out = {{"name", spec.name},
                  {"kind", to_string(spec.kind)},
                  {"nodes", spec.kind == StreamKind::recorded ? Document(nullptr) : Document(spec.nodes)},
                  {"submitted", x.submitted},
                  {"started", x.started},
                  {"finished", x.finished},
                  {"failures", x.failures},
                  {"preemptions", x.preemptions},
                  {"work_s", jobs.work.base()},
                  {"work_from", jobs.work_from},
                  {"left_out", jobs.left_out},
                  {"never_ran", jobs.never_ran},
                  {"leaves", x.leaves},
                  {"pods", x.pods},
                  {"slowdown", x.slowdown},
                  {"wait", percentiles_document(x.wait, interval.wait)},
                  {"completion", percentiles_document(x.completion, interval.completion)}};
  if (!std::isnan(x.recorded_wait.p50)) out["recorded_wait"] = percentiles_document(x.recorded_wait, {});
  out["waits"] = quantiles_document(x.waits, interval.waits);
  out["completions"] = quantiles_document(x.completions, interval.completions);
  return out;
}

}  // namespace

std::string campaign_document(const Scenario& s, const CampaignReport& r, const std::string& command) {
  const CampaignSpec& c = *s.campaign;
  Document out = head_document("campaign", command, s);
  out["format"] = "rackcast-campaign";
  out["nodes"] = r.nodes;
  out["spares"] = r.spares;
  out["node"] = s.cluster.node;
  out["node_title"] = r.node_title;
  out["duration_s"] = c.duration.base();
  out["warm_up_s"] = c.warm_up.base();
  out["policy"] = to_string(c.scheduler.policy);
  out["placement"] = c.scheduler.placement == Placement::compact ? "compact" : "first_fit";
  out["preemption"] = c.scheduler.preemption;
  out["jobs"] = r.jobs.jobs.size();
  out["offered"] = r.offered;
  out["utilisation"] = number(r.utilisation);
  out["goodput"] = s.failures ? number(r.goodput) : Document(nullptr);
  out["failures"] = r.outcome.failures;
  out["preemptions"] = r.outcome.preemptions;
  out["interval"] = {{"draws", r.interval.draws}, {"why_none", r.interval.why_none}};
  if (r.interval.draws > 0)
    out["interval"].update({{"utilisation_low", number(r.interval.utilisation.low)},
                            {"utilisation_high", number(r.interval.utilisation.high)}});
  out["in_use"] = in_use_document(r, c.duration);
  out["power"] = power_document(r.power);
  out["cost"] = cost_document(c, r.cost);
  out["streams"] = Document::array();
  for (std::size_t i = 0; i < r.streams.size(); ++i)
    out["streams"].push_back(
        stream_document(c.streams[i], r.jobs.streams[i], r.streams[i],
                        r.interval.draws > 0 ? r.interval.streams[i] : CampaignInterval::Stream{}));
  return out.dump(1) + "\n";
}

}  // namespace rackcast
