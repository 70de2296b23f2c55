#pragma once
/// Keys, units and meanings of the structs of scenarios/document/campaign.hpp.
#include "scenarios/document/campaign.hpp"
#include "scenarios/document/fields/figures.hpp"
#include "scenarios/document/fields/head.hpp"
#include "scenarios/document/form/reason_form.hpp"

namespace rackcast::doc {

template <>
struct Fields<CampaignPower::Draw> {
  static constexpr std::string_view name = "power_draw";
  static constexpr std::string_view meaning = "A node at the work of one stream.";
  static void each(const auto& visit) {
    visit(field("stream", &CampaignPower::Draw::stream));
    visit(field("workload", &CampaignPower::Draw::workload, "name for people"));
    visit(field("busy", &CampaignPower::Draw::busy, "share of the time in which GPUs compute").up_to(1));
    visit(field("node_w", &CampaignPower::Draw::node_w));
  }
};

template <>
struct Fields<CampaignPower::Hour> {
  static constexpr std::string_view name = "power_hour";
  static constexpr std::string_view meaning = "IT power in an hour of the day.";
  static void each(const auto& visit) {
    visit(field("mean_w", &CampaignPower::Hour::mean_w, "of all days"));
    visit(field("least_w", &CampaignPower::Hour::least_w, "on the lowest day"));
    visit(field("most_w", &CampaignPower::Hour::most_w, "on the highest day"));
  }
};

template <>
struct Fields<CampaignPower::Part> {
  static constexpr std::string_view name = "power_part";
  static constexpr std::string_view meaning = "IT power in one of the equal parts of the campaign.";
  static void each(const auto& visit) {
    visit(field("from_s", &CampaignPower::Part::from_s, "since the start of the campaign"));
    visit(field("seconds", &CampaignPower::Part::seconds, "length of the part"));
    visit(field("it_w", &CampaignPower::Part::it_w));
    visit(field("it_low_w", &CampaignPower::Part::it_low_w, "90 % interval of it_w"));
    visit(field("it_high_w", &CampaignPower::Part::it_high_w));
  }
};

template <>
struct Fields<CampaignPower::Figures> {
  static constexpr std::string_view name = "power_figures";
  static void each(const auto& visit) {
    visit(field("nameplate_w", &CampaignPower::Figures::nameplate_w, "of the IT equipment"));
    visit(field("all_busy", &CampaignPower::Figures::all_busy, "every node at the work that draws most")
              .unit("W"));
    visit(field("busiest_hour_w", &CampaignPower::Figures::busiest_hour_w));
    visit(field("mean", &CampaignPower::Figures::mean, "IT power over the whole campaign").unit("W"));
    visit(field("idle_w", &CampaignPower::Figures::idle_w, "IT power while every node idles"));
    visit(field("node_idle_w", &CampaignPower::Figures::node_idle_w, "of one node"));
    visit(field("others_w", &CampaignPower::Figures::others_w, "part of idle_w that is not drawn by nodes"));
    visit(field("gpu_model", &CampaignPower::Figures::gpu_model, "where the power curve comes from"));
    visit(field("gpu_borrowed", &CampaignPower::Figures::gpu_borrowed, "the GPU itself was not measured")
              .omitted());
    visit(field("no_power", &CampaignPower::Figures::no_power,
                "devices that sums leave out, because their power is not known"));
    visit(field("pue", &CampaignPower::Figures::pue, "facility power over IT power").from(1));
    visit(field("plant", &CampaignPower::Figures::plant, "in words"));
    visit(field("it_kwh", &CampaignPower::Figures::it_kwh, "of the campaign"));
    visit(field("facility_kwh", &CampaignPower::Figures::facility_kwh, "of the campaign"));
    visit(field("grid", &CampaignPower::Figures::grid, "in words"));
    visit(field("g_co2_per_kwh", &CampaignPower::Figures::g_co2_per_kwh));
    visit(field("co2_kg", &CampaignPower::Figures::co2_kg, "of the campaign"));
    visit(field("btu_per_h", &CampaignPower::Figures::btu_per_h, "heat of the nameplate power"));
    visit(field("cooling_tons", &CampaignPower::Figures::cooling_tons, "for the nameplate power"));
    visit(field("air_cfm", &CampaignPower::Figures::air_cfm, "for the nameplate power"));
    visit(field("air_rise_kelvin", &CampaignPower::Figures::air_rise_kelvin));
    visit(field("days", &CampaignPower::Figures::days,
                "whole days after the warm-up, which \"day\" is taken from"));
    visit(field("draws", &CampaignPower::Figures::draws));
    visit(
        field("day", &CampaignPower::Figures::day, "one for each hour of a day; empty without a whole day"));
    visit(field("parts", &CampaignPower::Figures::parts));
  }
};

template <>
struct Fields<CampaignPower> {
  static constexpr std::string_view name = "campaign_power";
  static constexpr std::string_view meaning = "Power of the cluster over the campaign.";
  static void each(const auto& visit) {
    visit(field("known", &CampaignPower::known, "false: only the reason follows"));
    visit(field("why", &CampaignPower::why, "the power is not known").omitted());
    visit(field("", &CampaignPower::figures).when(&CampaignPower::known));
  }
};

template <>
struct Fields<CampaignCost::NodeHour> {
  static constexpr std::string_view name = "node_hour";
  static constexpr std::string_view meaning = "What an hour of a node in use costs, mean of all streams.";
  static void each(const auto& visit) {
    visit(field("depreciation_usd", &CampaignCost::NodeHour::depreciation_usd));
    visit(field("interest_usd", &CampaignCost::NodeHour::interest_usd));
    visit(field("energy_usd", &CampaignCost::NodeHour::energy_usd, "cooling and idle nodes included"));
    visit(field("space_usd", &CampaignCost::NodeHour::space_usd));
    visit(field("support_usd", &CampaignCost::NodeHour::support_usd));
    visit(field("staff_usd", &CampaignCost::NodeHour::staff_usd, "null: the scenario does not say"));
    visit(field("total_usd", &CampaignCost::NodeHour::total_usd));
  }
};

template <>
struct Fields<CampaignCost::Rent> {
  static constexpr std::string_view name = "campaign_rent";
  static void each(const auto& visit) {
    visit(field("instance", &CampaignCost::Rent::instance));
    visit(field("terms_title", &CampaignCost::Rent::terms, "in words"));
    visit(field("date", &CampaignCost::Rent::date, "of the price"));
    visit(field("usd_per_hour", &CampaignCost::Rent::usd_per_hour, "of one instance"));
    visit(field("note", &CampaignCost::Rent::note));
    visit(field("rented_usd", &CampaignCost::Rent::rented_usd, "of all jobs after the warm-up"));
    visit(field("break_even_utilisation", &CampaignCost::Rent::break_even,
                "owning is cheaper from here on; null: never"));
  }
};

template <>
struct Fields<CampaignCost::Jobs> {
  static constexpr std::string_view name = "job_costs";
  static constexpr std::string_view meaning =
      "Costs that half, 90 % and 99 % of the jobs do not exceed; null without jobs.";
  static void each(const auto& visit) {
    visit(field("p50_usd", &CampaignCost::Jobs::p50_usd));
    visit(field("p90_usd", &CampaignCost::Jobs::p90_usd));
    visit(field("p99_usd", &CampaignCost::Jobs::p99_usd));
  }
};

template <>
struct Fields<CampaignCost::Stream> {
  static constexpr std::string_view name = "stream_cost";
  static void each(const auto& visit) {
    visit(field("name", &CampaignCost::Stream::name));
    visit(field("kind", &CampaignCost::Stream::kind).of(stream_kinds));
    visit(field("held_node_s", &CampaignCost::Stream::held_node_s, "node seconds held after the warm-up"));
    visit(field("node_hour_usd", &CampaignCost::Stream::node_hour_usd, "of a node at this work"));
    visit(field("owned_usd", &CampaignCost::Stream::owned_usd, "of the stream"));
    visit(field("jobs", &CampaignCost::Stream::jobs, "submitted after the warm-up, and ended"));
    visit(field("job", &CampaignCost::Stream::job, "mean cost of a job; null without jobs").unit("USD"));
    visit(field("owned_jobs", &CampaignCost::Stream::owned_jobs));
    visit(field("rented_usd", &CampaignCost::Stream::rented_usd, "of the stream; absent without a price")
              .omitted());
    visit(field("rented_job", &CampaignCost::Stream::rented_job, "mean cost of a job on rented nodes")
              .unit("USD")
              .omitted());
    visit(field("rented_jobs", &CampaignCost::Stream::rented_jobs).omitted());
  }
};

template <>
struct Fields<CampaignCost::Figures> {
  static constexpr std::string_view name = "cost_figures";
  static void each(const auto& visit) {
    visit(field("date", &CampaignCost::Figures::date, "of the prices"));
    visit(field("over_s", &CampaignCost::Figures::over_s, "time after the warm-up, which the sums are of"));
    visit(
        field("utilisation", &CampaignCost::Figures::utilisation, "node seconds held over those there are"));
    visit(field("capex_usd", &CampaignCost::Figures::capex_usd));
    visit(field("owned_usd", &CampaignCost::Figures::owned_usd,
                "cost of the cluster; the jobs bear all of it"));
    visit(field("node_hour", &CampaignCost::Figures::node_hour));
    visit(field("rent", &CampaignCost::Figures::rent, "null: no offer is known"));
    visit(field("missing", &CampaignCost::Figures::missing, "what the sums leave out, with the reason"));
    visit(field("lacking.prices", &CampaignCost::Figures::no_price,
                "devices that sums leave out, because they have no price"));
    visit(field("lacking.power", &CampaignCost::Figures::no_power, "likewise: no power"));
    visit(field("lacking.units", &CampaignCost::Figures::no_units, "likewise: no height in rack units"));
    visit(field("streams", &CampaignCost::Figures::streams));
  }
};

template <>
struct Fields<CampaignCost> {
  static constexpr std::string_view name = "campaign_cost";
  static constexpr std::string_view meaning = "What the jobs cost, on an owned cluster and on a rented one.";
  static void each(const auto& visit) {
    visit(field("known", &CampaignCost::known, "false: only the reason follows"));
    visit(field("why", &CampaignCost::why, "the cost is not known").omitted());
    visit(field("", &CampaignCost::figures).when(&CampaignCost::known));
  }
};

template <>
struct Fields<CampaignTimes> {
  static constexpr std::string_view name = "campaign_times";
  static constexpr std::string_view meaning =
      "Times that half, 90 % and 99 % of the jobs do not exceed; null without jobs. The 90 % intervals are "
      "absent where nothing was drawn.";
  static void each(const auto& visit) {
    visit(field("p50_s", &CampaignTimes::p50));
    visit(field("p90_s", &CampaignTimes::p90));
    visit(field("p99_s", &CampaignTimes::p99));
    visit(field("p50_low_s", &CampaignTimes::p50_low).omitted());
    visit(field("p50_high_s", &CampaignTimes::p50_high).omitted());
    visit(field("p90_low_s", &CampaignTimes::p90_low).omitted());
    visit(field("p90_high_s", &CampaignTimes::p90_high).omitted());
    visit(field("p99_low_s", &CampaignTimes::p99_low).omitted());
    visit(field("p99_high_s", &CampaignTimes::p99_high).omitted());
  }
};

template <>
struct Fields<CampaignStream::Quantile> {
  static constexpr std::string_view name = "quantile";
  static constexpr std::string_view meaning = "The time that a share of the jobs does not exceed.";
  static void each(const auto& visit) {
    visit(field("share", &CampaignStream::Quantile::share).up_to(1));
    visit(field("seconds", &CampaignStream::Quantile::seconds));
    visit(field("low_s", &CampaignStream::Quantile::low,
                "90 % interval of seconds; absent where nothing was drawn")
              .omitted());
    visit(field("high_s", &CampaignStream::Quantile::high).omitted());
  }
};

template <>
struct Fields<CampaignStream> {
  static constexpr std::string_view name = "campaign_stream";
  static constexpr std::string_view meaning = "One source of jobs: those submitted after the warm-up.";
  static void each(const auto& visit) {
    visit(field("name", &CampaignStream::name));
    visit(field("kind", &CampaignStream::kind).of(stream_kinds));
    visit(field("nodes", &CampaignStream::nodes, "of each job; null: each recorded job has its own"));
    visit(field("submitted", &CampaignStream::submitted, "jobs"));
    visit(field("started", &CampaignStream::started, "jobs"));
    visit(field("finished", &CampaignStream::finished, "jobs"));
    visit(field("failures", &CampaignStream::failures));
    visit(field("preemptions", &CampaignStream::preemptions));
    visit(field("work_s", &CampaignStream::work_s, "mean run time of a job where nothing fails"));
    visit(field("work_from", &CampaignStream::work_from, "how work_s is known"));
    visit(field("left_out", &CampaignStream::left_out, "recorded jobs that are larger than the cluster"));
    visit(field("never_ran", &CampaignStream::never_ran, "recorded jobs that never ran"));
    visit(field("leaves", &CampaignStream::leaves, "mean number of leaf switches of a job"));
    visit(field("pods", &CampaignStream::pods, "mean number of pods of a job"));
    visit(field("slowdown", &CampaignStream::slowdown,
                "mean run time over that on as few leaf switches as possible")
              .optional());
    visit(field("wait", &CampaignStream::wait, "from submission to first start"));
    visit(field("completion", &CampaignStream::completion, "from submission to end"));
    visit(field("recorded_wait", &CampaignStream::recorded_wait, "of recorded jobs, as it was").omitted());
    visit(field("waits", &CampaignStream::waits, "from submission to first start"));
    visit(field("completions", &CampaignStream::completions, "from submission to end"));
  }
};

template <>
struct Fields<Campaign::Interval> {
  static constexpr std::string_view name = "campaign_interval";
  static constexpr std::string_view meaning =
      "How the 90 % intervals were found: the smallest and the largest of several draws of the campaign.";
  static void each(const auto& visit) {
    visit(field("draws", &Campaign::Interval::draws, "0: there are no intervals"));
    visit(field("why_none", &Campaign::Interval::why_none));
    visit(field("utilisation_low", &Campaign::Interval::utilisation_low).omitted());
    visit(field("utilisation_high", &Campaign::Interval::utilisation_high).omitted());
  }
};

template <>
struct Fields<Campaign::Use> {
  static constexpr std::string_view name = "nodes_in_use";
  static constexpr std::string_view meaning =
      "Nodes that jobs hold in one of the equal parts of the campaign.";
  static void each(const auto& visit) {
    visit(field("from_s", &Campaign::Use::from_s, "since the start of the campaign"));
    visit(field("nodes", &Campaign::Use::nodes, "mean of the part"));
    visit(field("low", &Campaign::Use::low, "90 % interval of nodes; absent where nothing was drawn")
              .omitted());
    visit(field("high", &Campaign::Use::high).omitted());
  }
};

template <>
struct Fields<Campaign> {
  static constexpr std::string_view name = "campaign";
  static constexpr std::string_view meaning =
      "What rackcast campaign writes with --json and what its report is made of. A later program may add "
      "keys; a changed meaning gets a new version.";
  static void each(const auto& visit) {
    visit(field("", &Campaign::head));
    visit(field("nodes", &Campaign::nodes, "that jobs may use"));
    visit(field("spares", &Campaign::spares, "nodes beside them, for failed ones").optional());
    visit(field("node", &Campaign::node, "name in the catalogue"));
    visit(field("node_title", &Campaign::node_title, "name for people"));
    visit(field("duration_s", &Campaign::duration_s, "simulated time"));
    visit(field("warm_up_s", &Campaign::warm_up_s, "jobs submitted in it do not count in the statistics"));
    visit(field("policy", &Campaign::policy, "of the scheduler").of("fifo backfill fair_share"));
    visit(field("placement", &Campaign::placement).of("compact first_fit"));
    visit(field("preemption", &Campaign::preemption));
    visit(field("jobs", &Campaign::jobs, "submitted, of all streams"));
    visit(field("offered", &Campaign::offered,
                "node seconds of work submitted over those there are; above 1 the queue grows without end"));
    visit(field("utilisation", &Campaign::utilisation,
                "node seconds held over those there are, after the warm-up"));
    visit(field("goodput", &Campaign::goodput,
                "safe work per node second held; null: the scenario has no failures"));
    visit(field("failures", &Campaign::failures));
    visit(field("preemptions", &Campaign::preemptions));
    visit(field("interval", &Campaign::interval));
    visit(field("in_use", &Campaign::in_use));
    visit(field("power", &Campaign::power));
    visit(field("cost", &Campaign::cost));
    visit(field("streams", &Campaign::streams));
  }
};

}  // namespace rackcast::doc
