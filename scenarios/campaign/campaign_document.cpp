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

Document document(const Percentiles& p) {
  return {{"p50_s", number(p.p50)}, {"p90_s", number(p.p90)}, {"p99_s", number(p.p99)}};
}

/// Values that shares of the jobs do not exceed, by the nearest rank; empty without jobs.
Document quantiles(const std::vector<double>& sorted) {
  constexpr int steps = 20;
  Document out = Document::array();
  if (sorted.empty()) return out;
  for (int i = 1; i <= steps; ++i) {
    const double share = static_cast<double>(i) / steps;
    const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
    out.push_back({{"share", share}, {"seconds", sorted[std::max<std::size_t>(rank, 1) - 1]}});
  }
  return out;
}

/// Mean number of nodes that jobs hold in each of so many equal parts of the campaign.
Document nodes_in_use(const CampaignReport& r, Duration whole) {
  constexpr std::size_t parts = 60;
  std::vector<double> held(parts, 0);
  const double part = whole.base() / parts;
  for (const NodesHeld& h : r.outcome.held) {
    const double from = h.from.base(), to = std::min(whole.base(), h.to.base());
    for (auto p = static_cast<std::size_t>(from / part); p < parts && static_cast<double>(p) * part < to;
         ++p) {
      const double begin = static_cast<double>(p) * part;
      held[p] += r.jobs.jobs[h.job].nodes * (std::min(to, begin + part) - std::max(from, begin)) / part;
    }
  }
  Document out = Document::array();
  for (std::size_t p = 0; p < parts; ++p)
    out.push_back({{"from_s", static_cast<double>(p) * part}, {"nodes", std::min<double>(held[p], r.nodes)}});
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
                  {"missing", all.missing}};
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
    row["owned_job"] = usd(s.owned_job);
    if (all.offer) {
      row["rented_usd"] = s.rented.base();
      row["rented_mean_usd"] = s.jobs > 0 ? Document(s.rented_mean) : Document(nullptr);
      row["rented_job"] = usd(s.rented_job);
    }
    streams.push_back(std::move(row));
  }
  return out;
}

Document stream_document(const StreamSpec& spec, const StreamJobs& jobs, const StreamStatistics& x) {
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
                  {"wait", document(x.wait)},
                  {"completion", document(x.completion)}};
  if (!std::isnan(x.recorded_wait.p50)) out["recorded_wait"] = document(x.recorded_wait);
  out["waits"] = quantiles(x.waits);
  out["completions"] = quantiles(x.completions);
  return out;
}

}  // namespace

std::string campaign_document(const Scenario& s, const CampaignReport& r, const std::string& command) {
  const CampaignSpec& c = *s.campaign;
  Document out = head_document("campaign", command, s);
  out["format"] = "rackcast-campaign";
  out["nodes"] = r.nodes;
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
  out["in_use"] = nodes_in_use(r, c.duration);
  out["power"] = power_document(r.power);
  out["cost"] = cost_document(c, r.cost);
  out["streams"] = Document::array();
  for (std::size_t i = 0; i < r.streams.size(); ++i)
    out["streams"].push_back(stream_document(c.streams[i], r.jobs.streams[i], r.streams[i]));
  return out.dump(1) + "\n";
}

}  // namespace rackcast
