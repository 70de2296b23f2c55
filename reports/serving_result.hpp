#pragma once
/// A fleet that serves, as "serving" of a result document.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reports/plan_result.hpp"

namespace rackcast::reports {

struct Serving {
  /// One GPU under a load; no latency where it is overloaded.
  struct Load {
    double busy = 0, mean_batch = 0;
    bool overloaded = false;
    std::optional<double> p50_s, p90_s, p99_s, latency_s;
    std::optional<double> first_token_p50_s, first_token_s, token_p50_s, token_s;  ///< of a language model
  };
  struct Limit {
    std::string name;
    double requests_per_s = 0;
  };
  struct Hour {
    double requests_per_s = 0;
    Load gpu;
    std::optional<double> busy_low, busy_high;  ///< 90 % interval of gpu.busy
  };
  struct Size {
    std::int64_t nodes = 0;
    Load gpu;
    /// 90 % interval of gpu.latency_s; no high end where the GPU is overloaded then.
    std::optional<double> latency_low_s, latency_high_s;
  };
  struct Option {
    std::string node, title, precision, binds, conflict;
    bool feasible = false;
    std::int64_t nodes = 0, gpus = 0, needed = 0;
    double gpu_requests_per_s = 0, single_s = 0, nameplate_w = 0;
    std::optional<double> total_usd, kwh_per_million;
    bool cost_is_open = false, power_is_open = false;  ///< sums that leave something out
  };
  /// What a language model generates.
  struct Tokens {
    double prompt = 0, output = 0, tokens_per_s = 0, peak_tokens_per_s = 0;
    std::optional<double> first_token_limit_s, token_limit_s, usd_per_million, kwh_per_million;
    std::optional<std::int64_t> gpus_per_copy, most_in_flight;
  };
  std::optional<Tokens> tokens;
  std::string model, precision, binds;
  double requests_per_s = 0, peak = 1, peak_requests_per_s = 0, percentile = 0, single_s = 0, decode_s = 0,
         gpu_capacity_per_s = 0, availability = 1, node_down = 0, busy = 0;
  std::optional<double> latency_s;  ///< limit; a language model may have others
  std::optional<double> availability_asked, latency_low_s, latency_high_s, usd_per_million, kwh_per_million,
      memory_bytes;
  std::int64_t max_batch = 1, needed = 0, spares = 0;
  std::optional<std::int64_t> nodes_low, nodes_high;
  std::optional<Load> at_peak, all_up;
  std::vector<Limit> limits;    ///< of one node
  std::vector<Hour> day;        ///< from midnight on, all nodes up
  std::vector<Size> sizes;      ///< ascending
  std::vector<Option> options;  ///< in the order of the search
  std::vector<Plan::Relaxation> relaxations;
};

}  // namespace rackcast::reports
