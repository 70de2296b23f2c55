#pragma once
/// A fleet that serves, in a result document.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/document/form/reason.hpp"
#include "scenarios/document/plan.hpp"

namespace rackcast::doc {

struct Serving {
  /// One GPU under a load.
  struct Load {
    double busy = 0, mean_batch = 0;
    bool overloaded = false;
    std::optional<double> p50_s, p90_s, p99_s, latency_s;
    std::optional<double> first_token_p50_s, first_token_s, token_p50_s, token_s;
  };
  struct Limit {
    std::string name;
    double requests_per_s = 0;
  };
  struct Hour {
    double requests_per_s = 0;
    Load gpu;
    std::optional<double> busy_low, busy_high;
  };
  struct Size {
    std::int64_t nodes = 0;
    Load gpu;
    std::optional<double> latency_low_s, latency_high_s;
  };
  struct Conflict {
    std::string constraint;
    std::optional<Reason> why;
  };
  struct Option {
    std::string node, title, precision, binds;
    bool feasible = false;
    std::int64_t nodes = 0, gpus = 0, needed = 0;
    double gpu_requests_per_s = 0, single_s = 0, nameplate_w = 0;
    std::optional<double> total_usd, kwh_per_million;
    std::vector<std::string> no_price, no_power,
        no_units;  ///< what the sums leave out: then they are "at least"
    std::vector<Conflict> conflicts;

    [[nodiscard]] bool power_is_open() const { return !no_power.empty(); }
    [[nodiscard]] bool cost_is_open() const {
      return power_is_open() || !no_price.empty() || !no_units.empty();
    }
  };
  /// What a language model generates.
  struct Tokens {
    double prompt = 0, output = 0, tokens_per_s = 0, peak_tokens_per_s = 0;
    std::optional<double> first_token_percentile, token_percentile;  ///< null: that of the service
    std::optional<double> first_token_limit_s, token_limit_s, usd_per_million, kwh_per_million;
    std::optional<std::int64_t> gpus_per_copy, most_in_flight;
  };
  /// A limit on time, and what requests take in the busiest hour.
  struct Target {
    std::string limit;
    double reached_s = 0, limit_s = 0, percentile = 0;
    std::optional<double> low_s, high_s;
  };
  std::string model, title, precision, binds;
  double requests_per_s = 0, peak = 1, peak_requests_per_s = 0, percentile = 0, single_s = 0, decode_s = 0,
         gpu_capacity_per_s = 0, availability = 1, node_down = 0, busy = 0;
  std::optional<double> latency_s, availability_asked, latency_low_s, latency_high_s, usd_per_million,
      kwh_per_million, memory_bytes, in_time;
  std::int64_t max_batch = 1, needed = 0, spares = 0;
  std::optional<std::int64_t> nodes_low, nodes_high;
  std::optional<Tokens> tokens;
  std::optional<Load> at_peak, all_up;
  std::vector<Target> targets;
  std::vector<Limit> limits;
  std::vector<Hour> day;
  std::vector<Size> sizes;
  std::vector<Option> options;
};

}  // namespace rackcast::doc
