#pragma once
/// The "plan" of a result document as the reports see it.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rackcast::reports {

struct PlanCandidate {
  struct Workload {
    std::string model, precision, framework, exchange;
    double batch_per_gpu = 0;
    std::string parallelism = {};                     ///< split over GPUs, for people; empty: none
    std::optional<double> memory_bytes_per_gpu = {};  ///< of a split network
  };
  std::string node, node_title, network, storage;
  std::int64_t nodes = 0, gpus = 0;
  std::int64_t spares = 0;                                                      ///< beside `nodes`
  bool purchase_is_open = false, cost_is_open = false, energy_is_open = false;  ///< sums that are "at least"
  std::optional<double> time_low_s, time_high_s;                                ///< 90 % interval of time_s
  std::optional<double> time_s, energy_j, capex_usd, opex_usd_per_year, total_usd, rack_units, nameplate_w;
  std::optional<std::int64_t> racks;
  std::vector<std::string> breaks;
  std::vector<Workload> workloads;
};

struct Plan {
  struct Option {
    std::string node_title, network, storage;
    std::optional<PlanCandidate> best;
    std::vector<std::string> conflict;
  };
  struct Relaxation {
    std::string limit, now, relaxed, statement;
    bool binds = false;
    std::optional<PlanCandidate> answer;
    std::optional<double> used;  ///< share of the limit that the answer takes
  };
  struct Conflict {
    std::string limit, allowed, needed, statement;
    bool alone = false;
  };
  std::string objective, statement, smaller_statement;
  std::int64_t designs = 0, variants = 1, judged = 0, simulated = 0;
  bool partial = false;
  std::optional<PlanCandidate> chosen;
  std::optional<PlanCandidate> nearest;  ///< without an answer: what the rest of the result describes
  std::vector<Option> options;
  std::vector<PlanCandidate> front;
  std::vector<Relaxation> relaxations;
  std::vector<Conflict> conflict_set;
  std::vector<std::string> refused;
};

}  // namespace rackcast::reports
