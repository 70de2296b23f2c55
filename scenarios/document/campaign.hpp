#pragma once
/// The campaign document: "format": "rackcast-campaign" (whole.hpp writes and reads it).
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

}  // namespace rackcast::doc
