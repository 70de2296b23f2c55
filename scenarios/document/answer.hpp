#pragma once
/// The answer of a result document, and what stands beside it.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/document/form/figures.hpp"
#include "scenarios/document/form/reason.hpp"

namespace rackcast::doc {

/// What the chosen configuration does.
struct Performance {
  std::optional<Prediction> time_to_train, samples_per_s, scaling_efficiency, step_time;
};

struct Answer {
  struct WhyNotFewer {
    std::int64_t nodes = 0;
    std::string fails, workload;
    std::optional<Reason> why;
    std::optional<Prediction> time_to_train;
  };
  struct KnownTime {
    std::int64_t nodes = 0;
    double time_s = 0;
  };
  struct Conflict {
    std::string constraint, required, best;
    std::optional<Reason> why;
  };
  struct Change {
    std::string input, change;
    std::optional<Reason> why;
    std::optional<std::int64_t> nodes, most_nodes;
    std::optional<double> probability;
    bool less_memory = false;
  };

  bool feasible = false;
  std::optional<std::int64_t> nodes, gpus, gpus_in_nodes;
  std::int64_t spares = 0;
  std::string node, node_title, workload, binding_constraint, binds;
  std::optional<double> rack_units, power_kw, deadline_probability;
  std::optional<WhyNotFewer> why_not_fewer;
  std::vector<KnownTime> known_times;
  std::vector<Conflict> conflicts;
  std::vector<Change> changes;
};

struct Alternative {
  std::string node, title, binding_constraint;
  std::optional<Reason> why;
  bool feasible = false;
  std::optional<std::int64_t> nodes, gpus;
  std::int64_t spares = 0;
  std::optional<Prediction> time_to_train;
  std::optional<double> rack_units, power_kw;
};

struct Sensitivity {
  std::string input, kind, low_text, high_text;
  double low_s = 0, high_s = 0;
};

struct Assumption {
  enum class Confidence { verified, fit, scenario, defaulted, memory, low };
  Reason what;  ///< of the kinds that are assumptions
  std::string source, where;
  Confidence confidence = Confidence::memory;
};

/// Throws Error where an answer is feasible on no nodes.
void check(const Answer& answer, const Json& json);

}  // namespace rackcast::doc
