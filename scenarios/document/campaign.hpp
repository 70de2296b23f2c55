#pragma once
/// The campaign document: "format": "rackcast-campaign" (whole.hpp writes and reads it).
#include "scenarios/document/form/figures.hpp"
#include "scenarios/document/form/reason.hpp"
#include "scenarios/document/head.hpp"

namespace rackcast::doc {

struct CampaignPower {
  struct Draw {
    std::string stream, workload;
    double busy = 0, node_w = 0;
  };
  struct Hour {
    double mean_w = 0, least_w = 0, most_w = 0;
  };
  struct Part {
    double from_s = 0, seconds = 0, it_w = 0, it_low_w = 0, it_high_w = 0;
  };
  struct Figures {
    double nameplate_w = 0, busiest_hour_w = 0, idle_w = 0, node_idle_w = 0, others_w = 0;
    Prediction all_busy, mean;
    std::string gpu_model, plant, grid;
    bool gpu_borrowed = false;
    std::vector<std::string> no_power;
    double pue = 1, it_kwh = 0, facility_kwh = 0, g_co2_per_kwh = 0, co2_kg = 0;
    double btu_per_h = 0, cooling_tons = 0, air_cfm = 0, air_rise_kelvin = 0;
    std::int64_t days = 0;
    std::vector<Draw> draws;
    std::vector<Hour> day;
    std::vector<Part> parts;
  };
  bool known = false;
  std::optional<Reason> why;
  Figures figures;
};

struct CampaignCost {
  struct NodeHour {
    double depreciation_usd = 0, interest_usd = 0, energy_usd = 0, space_usd = 0, support_usd = 0;
    std::optional<double> staff_usd;
    double total_usd = 0;
  };
  struct Rent {
    std::string instance, terms, date, note;
    double usd_per_hour = 0, rented_usd = 0;
    std::optional<double> break_even;
  };
  struct Jobs {
    std::optional<double> p50_usd, p90_usd, p99_usd;
  };
  struct Stream {
    std::string name, kind;
    double held_node_s = 0, node_hour_usd = 0, owned_usd = 0;
    std::int64_t jobs = 0;
    std::optional<Prediction> job, rented_job;
    Jobs owned_jobs;
    std::optional<double> rented_usd;
    std::optional<Jobs> rented_jobs;
  };
  struct Figures {
    std::string date;
    double over_s = 0, utilisation = 0, capex_usd = 0, owned_usd = 0;
    NodeHour node_hour;
    std::optional<Rent> rent;
    std::vector<Reason> missing;
    std::vector<std::string> no_price, no_power, no_units;
    std::vector<Stream> streams;

    /// Sums leave something out for want of a price, a power rating or rack units.
    [[nodiscard]] bool is_open() const { return !no_price.empty() || !no_power.empty() || !no_units.empty(); }
  };
  bool known = false;
  std::optional<Reason> why;
  Figures figures;
};

/// Times that half, 90 % and 99 % of the jobs of a stream do not exceed.
struct CampaignTimes {
  std::optional<double> p50, p90, p99;
  std::optional<double> p50_low, p50_high, p90_low, p90_high, p99_low, p99_high;
};

struct CampaignStream {
  struct Quantile {
    double share = 0, seconds = 0;
    std::optional<double> low, high;
  };
  std::string name, kind, work_from;
  std::optional<std::int64_t> nodes;
  std::int64_t submitted = 0, started = 0, finished = 0, failures = 0, preemptions = 0;
  std::int64_t left_out = 0, never_ran = 0;
  double work_s = 0, leaves = 0, pods = 0, slowdown = 1;
  CampaignTimes wait, completion;
  std::optional<CampaignTimes> recorded_wait;
  std::vector<Quantile> waits, completions;
};

struct Campaign {
  static constexpr std::string_view format_name = "rackcast-campaign";
  static constexpr std::int64_t current_version = 2;

  struct Interval {
    std::int64_t draws = 0;
    std::optional<Reason> why_none;
    std::optional<double> utilisation_low, utilisation_high;
  };
  struct Use {
    double from_s = 0, nodes = 0;
    std::optional<double> low, high;
  };
  Head head;
  std::int64_t nodes = 0, spares = 0, jobs = 0, failures = 0, preemptions = 0;
  std::string node, node_title, policy, placement;
  double duration_s = 0, warm_up_s = 0, offered = 0;
  bool preemption = false;
  std::optional<double> utilisation, goodput;
  std::optional<Interval> interval;
  std::vector<Use> in_use;
  CampaignPower power;
  CampaignCost cost;
  std::vector<CampaignStream> streams;
};

inline constexpr std::string_view stream_kinds = "run team ensemble retraining recorded";

template <>
struct Fields<CampaignPower::Draw> {
  static constexpr std::string_view name = "power_draw";
  static constexpr std::string_view meaning = "A node at the work of one stream.";
  static constexpr auto list = std::tuple{
      field("stream", &CampaignPower::Draw::stream),
      field("workload", &CampaignPower::Draw::workload, "name for people"),
      field("busy", &CampaignPower::Draw::busy, "share of the time in which GPUs compute").up_to(1),
      field("node_w", &CampaignPower::Draw::node_w),
  };
};
template <>
struct Fields<CampaignPower::Hour> {
  static constexpr std::string_view name = "power_hour";
  static constexpr std::string_view meaning = "IT power in an hour of the day.";
  static constexpr auto list = std::tuple{
      field("mean_w", &CampaignPower::Hour::mean_w, "of all days"),
      field("least_w", &CampaignPower::Hour::least_w, "on the lowest day"),
      field("most_w", &CampaignPower::Hour::most_w, "on the highest day"),
  };
};
template <>
struct Fields<CampaignPower::Part> {
  static constexpr std::string_view name = "power_part";
  static constexpr std::string_view meaning = "IT power in one of the equal parts of the campaign.";
  static constexpr auto list = std::tuple{
      field("from_s", &CampaignPower::Part::from_s, "since the start of the campaign"),
      field("seconds", &CampaignPower::Part::seconds, "length of the part"),
      field("it_w", &CampaignPower::Part::it_w),
      field("it_low_w", &CampaignPower::Part::it_low_w, "90 % interval of it_w"),
      field("it_high_w", &CampaignPower::Part::it_high_w),
  };
};
template <>
struct Fields<CampaignPower::Figures> {
  static constexpr std::string_view name = "power_figures";
  static constexpr auto list = std::tuple{
      field("nameplate_w", &CampaignPower::Figures::nameplate_w, "of the IT equipment"),
      field("all_busy", &CampaignPower::Figures::all_busy, "every node at the work that draws most")
          .unit("W"),
      field("busiest_hour_w", &CampaignPower::Figures::busiest_hour_w),
      field("mean", &CampaignPower::Figures::mean, "IT power over the whole campaign").unit("W"),
      field("idle_w", &CampaignPower::Figures::idle_w, "IT power while every node idles"),
      field("node_idle_w", &CampaignPower::Figures::node_idle_w, "of one node"),
      field("others_w", &CampaignPower::Figures::others_w, "part of idle_w that is not drawn by nodes"),
      field("gpu_model", &CampaignPower::Figures::gpu_model, "where the power curve comes from"),
      field("gpu_borrowed", &CampaignPower::Figures::gpu_borrowed, "the GPU itself was not measured")
          .omitted(),
      field("no_power", &CampaignPower::Figures::no_power,
            "devices that sums leave out, because their power is not known"),
      field("pue", &CampaignPower::Figures::pue, "facility power over IT power").from(1),
      field("plant", &CampaignPower::Figures::plant, "in words"),
      field("it_kwh", &CampaignPower::Figures::it_kwh, "of the campaign"),
      field("facility_kwh", &CampaignPower::Figures::facility_kwh, "of the campaign"),
      field("grid", &CampaignPower::Figures::grid, "in words"),
      field("g_co2_per_kwh", &CampaignPower::Figures::g_co2_per_kwh),
      field("co2_kg", &CampaignPower::Figures::co2_kg, "of the campaign"),
      field("btu_per_h", &CampaignPower::Figures::btu_per_h, "heat of the nameplate power"),
      field("cooling_tons", &CampaignPower::Figures::cooling_tons, "for the nameplate power"),
      field("air_cfm", &CampaignPower::Figures::air_cfm, "for the nameplate power"),
      field("air_rise_kelvin", &CampaignPower::Figures::air_rise_kelvin),
      field("days", &CampaignPower::Figures::days,
            "whole days after the warm-up, which \"day\" is taken from"),
      field("draws", &CampaignPower::Figures::draws),
      field("day", &CampaignPower::Figures::day, "one for each hour of a day; empty without a whole day"),
      field("parts", &CampaignPower::Figures::parts),
  };
};
template <>
struct Fields<CampaignPower> {
  static constexpr std::string_view name = "campaign_power";
  static constexpr std::string_view meaning = "Power of the cluster over the campaign.";
  static constexpr auto list = std::tuple{
      field("known", &CampaignPower::known, "false: only the reason follows"),
      field("why", &CampaignPower::why, "the power is not known").omitted(),
      field("", &CampaignPower::figures).when(&CampaignPower::known),
  };
};
template <>
struct Fields<CampaignCost::NodeHour> {
  static constexpr std::string_view name = "node_hour";
  static constexpr std::string_view meaning = "What an hour of a node in use costs, mean of all streams.";
  static constexpr auto list = std::tuple{
      field("depreciation_usd", &CampaignCost::NodeHour::depreciation_usd),
      field("interest_usd", &CampaignCost::NodeHour::interest_usd),
      field("energy_usd", &CampaignCost::NodeHour::energy_usd, "cooling and idle nodes included"),
      field("space_usd", &CampaignCost::NodeHour::space_usd),
      field("support_usd", &CampaignCost::NodeHour::support_usd),
      field("staff_usd", &CampaignCost::NodeHour::staff_usd, "null: the scenario does not say"),
      field("total_usd", &CampaignCost::NodeHour::total_usd),
  };
};
template <>
struct Fields<CampaignCost::Rent> {
  static constexpr std::string_view name = "campaign_rent";
  static constexpr auto list = std::tuple{
      field("instance", &CampaignCost::Rent::instance),
      field("terms_title", &CampaignCost::Rent::terms, "in words"),
      field("date", &CampaignCost::Rent::date, "of the price"),
      field("usd_per_hour", &CampaignCost::Rent::usd_per_hour, "of one instance"),
      field("note", &CampaignCost::Rent::note),
      field("rented_usd", &CampaignCost::Rent::rented_usd, "of all jobs after the warm-up"),
      field("break_even_utilisation", &CampaignCost::Rent::break_even,
            "owning is cheaper from here on; null: never"),
  };
};
template <>
struct Fields<CampaignCost::Jobs> {
  static constexpr std::string_view name = "job_costs";
  static constexpr std::string_view meaning =
      "Costs that half, 90 % and 99 % of the jobs do not exceed; null without jobs.";
  static constexpr auto list = std::tuple{
      field("p50_usd", &CampaignCost::Jobs::p50_usd),
      field("p90_usd", &CampaignCost::Jobs::p90_usd),
      field("p99_usd", &CampaignCost::Jobs::p99_usd),
  };
};
template <>
struct Fields<CampaignCost::Stream> {
  static constexpr std::string_view name = "stream_cost";
  static constexpr auto list = std::tuple{
      field("name", &CampaignCost::Stream::name),
      field("kind", &CampaignCost::Stream::kind).of(stream_kinds),
      field("held_node_s", &CampaignCost::Stream::held_node_s, "node seconds held after the warm-up"),
      field("node_hour_usd", &CampaignCost::Stream::node_hour_usd, "of a node at this work"),
      field("owned_usd", &CampaignCost::Stream::owned_usd, "of the stream"),
      field("jobs", &CampaignCost::Stream::jobs, "submitted after the warm-up, and ended"),
      field("job", &CampaignCost::Stream::job, "mean cost of a job; null without jobs").unit("USD"),
      field("owned_jobs", &CampaignCost::Stream::owned_jobs),
      field("rented_usd", &CampaignCost::Stream::rented_usd, "of the stream; absent without a price")
          .omitted(),
      field("rented_job", &CampaignCost::Stream::rented_job, "mean cost of a job on rented nodes")
          .unit("USD")
          .omitted(),
      field("rented_jobs", &CampaignCost::Stream::rented_jobs).omitted(),
  };
};
template <>
struct Fields<CampaignCost::Figures> {
  static constexpr std::string_view name = "cost_figures";
  static constexpr auto list = std::tuple{
      field("date", &CampaignCost::Figures::date, "of the prices"),
      field("over_s", &CampaignCost::Figures::over_s, "time after the warm-up, which the sums are of"),
      field("utilisation", &CampaignCost::Figures::utilisation, "node seconds held over those there are"),
      field("capex_usd", &CampaignCost::Figures::capex_usd),
      field("owned_usd", &CampaignCost::Figures::owned_usd, "cost of the cluster; the jobs bear all of it"),
      field("node_hour", &CampaignCost::Figures::node_hour),
      field("rent", &CampaignCost::Figures::rent, "null: no offer is known"),
      field("missing", &CampaignCost::Figures::missing, "what the sums leave out, with the reason"),
      field("lacking.prices", &CampaignCost::Figures::no_price,
            "devices that sums leave out, because they have no price"),
      field("lacking.power", &CampaignCost::Figures::no_power, "likewise: no power"),
      field("lacking.units", &CampaignCost::Figures::no_units, "likewise: no height in rack units"),
      field("streams", &CampaignCost::Figures::streams),
  };
};
template <>
struct Fields<CampaignCost> {
  static constexpr std::string_view name = "campaign_cost";
  static constexpr std::string_view meaning = "What the jobs cost, on an owned cluster and on a rented one.";
  static constexpr auto list = std::tuple{
      field("known", &CampaignCost::known, "false: only the reason follows"),
      field("why", &CampaignCost::why, "the cost is not known").omitted(),
      field("", &CampaignCost::figures).when(&CampaignCost::known),
  };
};
template <>
struct Fields<CampaignTimes> {
  static constexpr std::string_view name = "campaign_times";
  static constexpr std::string_view meaning =
      "Times that half, 90 % and 99 % of the jobs do not exceed; null without jobs. The 90 % intervals are "
      "absent where nothing was drawn.";
  static constexpr auto list = std::tuple{
      field("p50_s", &CampaignTimes::p50),
      field("p90_s", &CampaignTimes::p90),
      field("p99_s", &CampaignTimes::p99),
      field("p50_low_s", &CampaignTimes::p50_low).omitted(),
      field("p50_high_s", &CampaignTimes::p50_high).omitted(),
      field("p90_low_s", &CampaignTimes::p90_low).omitted(),
      field("p90_high_s", &CampaignTimes::p90_high).omitted(),
      field("p99_low_s", &CampaignTimes::p99_low).omitted(),
      field("p99_high_s", &CampaignTimes::p99_high).omitted(),
  };
};
template <>
struct Fields<CampaignStream::Quantile> {
  static constexpr std::string_view name = "quantile";
  static constexpr std::string_view meaning = "The time that a share of the jobs does not exceed.";
  static constexpr auto list = std::tuple{
      field("share", &CampaignStream::Quantile::share).up_to(1),
      field("seconds", &CampaignStream::Quantile::seconds),
      field("low_s", &CampaignStream::Quantile::low,
            "90 % interval of seconds; absent where nothing was drawn")
          .omitted(),
      field("high_s", &CampaignStream::Quantile::high).omitted(),
  };
};
template <>
struct Fields<CampaignStream> {
  static constexpr std::string_view name = "campaign_stream";
  static constexpr std::string_view meaning = "One source of jobs: those submitted after the warm-up.";
  static constexpr auto list = std::tuple{
      field("name", &CampaignStream::name),
      field("kind", &CampaignStream::kind).of(stream_kinds),
      field("nodes", &CampaignStream::nodes, "of each job; null: each recorded job has its own"),
      field("submitted", &CampaignStream::submitted, "jobs"),
      field("started", &CampaignStream::started, "jobs"),
      field("finished", &CampaignStream::finished, "jobs"),
      field("failures", &CampaignStream::failures),
      field("preemptions", &CampaignStream::preemptions),
      field("work_s", &CampaignStream::work_s, "mean run time of a job where nothing fails"),
      field("work_from", &CampaignStream::work_from, "how work_s is known"),
      field("left_out", &CampaignStream::left_out, "recorded jobs that are larger than the cluster"),
      field("never_ran", &CampaignStream::never_ran, "recorded jobs that never ran"),
      field("leaves", &CampaignStream::leaves, "mean number of leaf switches of a job"),
      field("pods", &CampaignStream::pods, "mean number of pods of a job"),
      field("slowdown", &CampaignStream::slowdown,
            "mean run time over that on as few leaf switches as possible")
          .optional(),
      field("wait", &CampaignStream::wait, "from submission to first start"),
      field("completion", &CampaignStream::completion, "from submission to end"),
      field("recorded_wait", &CampaignStream::recorded_wait, "of recorded jobs, as it was").omitted(),
      field("waits", &CampaignStream::waits, "from submission to first start"),
      field("completions", &CampaignStream::completions, "from submission to end"),
  };
};
template <>
struct Fields<Campaign::Interval> {
  static constexpr std::string_view name = "campaign_interval";
  static constexpr std::string_view meaning =
      "How the 90 % intervals were found: the smallest and the largest of several draws of the campaign.";
  static constexpr auto list = std::tuple{
      field("draws", &Campaign::Interval::draws, "0: there are no intervals"),
      field("why_none", &Campaign::Interval::why_none),
      field("utilisation_low", &Campaign::Interval::utilisation_low).omitted(),
      field("utilisation_high", &Campaign::Interval::utilisation_high).omitted(),
  };
};
template <>
struct Fields<Campaign::Use> {
  static constexpr std::string_view name = "nodes_in_use";
  static constexpr std::string_view meaning =
      "Nodes that jobs hold in one of the equal parts of the campaign.";
  static constexpr auto list = std::tuple{
      field("from_s", &Campaign::Use::from_s, "since the start of the campaign"),
      field("nodes", &Campaign::Use::nodes, "mean of the part"),
      field("low", &Campaign::Use::low, "90 % interval of nodes; absent where nothing was drawn").omitted(),
      field("high", &Campaign::Use::high).omitted(),
  };
};
template <>
struct Fields<Campaign> {
  static constexpr std::string_view name = "campaign";
  static constexpr std::string_view meaning =
      "What rackcast campaign writes with --json and what its report is made of. A later program may add "
      "keys; a changed meaning gets a new version.";
  static constexpr auto list = std::tuple{
      field("", &Campaign::head),
      field("nodes", &Campaign::nodes, "that jobs may use"),
      field("spares", &Campaign::spares, "nodes beside them, for failed ones").optional(),
      field("node", &Campaign::node, "name in the catalogue"),
      field("node_title", &Campaign::node_title, "name for people"),
      field("duration_s", &Campaign::duration_s, "simulated time"),
      field("warm_up_s", &Campaign::warm_up_s, "jobs submitted in it do not count in the statistics"),
      field("policy", &Campaign::policy, "of the scheduler").of("fifo backfill fair_share"),
      field("placement", &Campaign::placement).of("compact first_fit"),
      field("preemption", &Campaign::preemption),
      field("jobs", &Campaign::jobs, "submitted, of all streams"),
      field("offered", &Campaign::offered,
            "node seconds of work submitted over those there are; above 1 the queue grows without end"),
      field("utilisation", &Campaign::utilisation,
            "node seconds held over those there are, after the warm-up"),
      field("goodput", &Campaign::goodput,
            "safe work per node second held; null: the scenario has no failures"),
      field("failures", &Campaign::failures),
      field("preemptions", &Campaign::preemptions),
      field("interval", &Campaign::interval),
      field("in_use", &Campaign::in_use),
      field("power", &Campaign::power),
      field("cost", &Campaign::cost),
      field("streams", &Campaign::streams),
  };
};

}  // namespace rackcast::doc
