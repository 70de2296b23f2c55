#pragma once
/// The search behind an answer, of a training or of a fleet that serves, in a result document.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rackcast {
class Json;
}

namespace rackcast::doc {

struct PlanCandidate {
  struct Workload {
    std::string model, precision, framework, exchange, parallelism;
    double batch_per_gpu = 0;
    std::optional<double> memory_bytes_per_gpu = {};
  };
  std::string node, node_title, network, storage;
  std::int64_t nodes = 0, gpus = 0, spares = 0;
  std::optional<std::int64_t> gpus_per_job, racks;
  std::optional<double> time_s, time_low_s, time_high_s;
  std::optional<double> energy_j, energy_j_per_year, capex_usd, opex_usd_per_year, total_usd, rack_units,
      nameplate_w;
  std::vector<std::string> no_price, no_power,
      no_units;  ///< what the sums leave out: then they are "at least"
  std::vector<std::string> breaks, undecided;
  std::vector<Workload> workloads;

  [[nodiscard]] bool purchase_is_open() const { return !no_price.empty() || !no_units.empty(); }
  [[nodiscard]] bool energy_is_open() const { return !no_power.empty(); }
  [[nodiscard]] bool cost_is_open() const { return purchase_is_open() || energy_is_open(); }
};

struct Plan {
  struct Option {
    std::string node_title, network, storage;
    std::optional<PlanCandidate> best;
    std::vector<std::string> conflict;
  };
  struct Relaxation {
    struct Later {
      std::string at;
      PlanCandidate answer;
    };
    std::string limit, now, relaxed;
    bool binds = false, unknown = false;
    std::optional<double> used = {}, waits = {};
    std::optional<PlanCandidate> answer = {};
    std::optional<Later> later = {};
  };
  struct Conflict {
    std::string limit, allowed, needed, missing;
    bool alone = false;
    std::optional<PlanCandidate> at = {};
  };
  /// The chosen design with as many nodes as are in time with the probability that is aimed at.
  struct Confident {
    /// The chosen design on other numbers of nodes.
    struct Odds {
      std::int64_t nodes = 0, spares = 0;
      double probability = 0;
      std::optional<double> capex_usd = {};
      bool purchase_is_open = false;
      std::vector<std::string> breaks = {};
    };
    double aim = 0;
    std::optional<double> probability = {};
    std::optional<std::int64_t> most_nodes = {};
    std::optional<PlanCandidate> at = {};
    std::vector<Odds> curve = {};
  };
  /// The answers to other settings of a few inputs, each searched as the question itself.
  struct WhatIf {
    struct Input {
      std::string path;
      std::vector<std::string> values;
      std::int64_t asked = 0;
    };
    struct Outcome {
      std::optional<PlanCandidate> answer = {};
      std::optional<double> probability = {};
      std::vector<std::string> conflict = {};
    };
    std::vector<Input> inputs;
    std::vector<Outcome> outcomes;
  };
  std::string objective;
  std::int64_t designs = 0, variants = 1, judged = 0, simulated = 0;
  bool partial = false;
  std::optional<PlanCandidate> chosen, smaller, nearest;
  std::optional<Confident> confident;
  std::optional<WhatIf> what_if;
  std::vector<Option> options;
  std::vector<PlanCandidate> front;
  std::vector<Relaxation> relaxations;
  std::vector<Conflict> conflict_set;
  std::vector<std::string> refused;
};

/// Throws Error unless there is an outcome for each combination of values, and each input has its own value.
void check(const Plan::WhatIf& what_if, const Json& json);

/// What one candidate has less of than another. Nothing, or 0, where the difference does not count.
struct Difference {
  bool design = false;     ///< another node, network or storage, or where it serves another precision
  std::int64_t nodes = 0;  ///< of the same design
  std::int64_t racks = 0;
  std::optional<double> total_usd, energy_j, energy_j_per_year;
  bool time = false;

  [[nodiscard]] bool none() const {
    return !design && nodes == 0 && racks == 0 && !total_usd && !energy_j && !energy_j_per_year && !time;
  }
};
Difference difference(const PlanCandidate& from, const PlanCandidate& to);

}  // namespace rackcast::doc
