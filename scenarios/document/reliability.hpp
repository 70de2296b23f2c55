#pragma once
/// Failures of a job in a result document.
#include <cstdint>
#include <string>
#include <vector>

#include "scenarios/document/form/figures.hpp"

namespace rackcast::doc {

struct Reliability {
  struct Share {
    std::string name;
    double fraction = 0;
  };
  struct Component {
    std::string name, confidence, source;
    double per_node = 0, failures_per_year = 0;
  };
  struct ByInterval {
    double interval_s = 0;
    Prediction goodput;
  };
  std::string node_mtbf_source, interval_rule;
  Prediction goodput, job_mttf, interruptions;
  std::int64_t nodes = 0, spares = 0, spares_for_95 = 0;
  bool spares_given = false;
  double node_mtbf_s = 0, interval_s = 0, checkpoint_bytes = 0, write_s = 0, stall_s = 0, restored_s = 0,
         detection_s = 0, restart_s = 0, repair_s = 0, nodes_in_repair = 0, wait_s = 0;
  std::vector<Share> shares;
  std::vector<Component> components;
  std::vector<ByInterval> by_interval;
};

}  // namespace rackcast::doc
