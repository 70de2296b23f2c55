#pragma once
/// Failures of a job in a result document.
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

template <>
struct Fields<Reliability::Share> {
  static constexpr std::string_view name = "time_share";
  static constexpr auto list = std::tuple{
      field("name", &Reliability::Share::name).needed(),
      field("fraction", &Reliability::Share::fraction).optional(),
  };
};
template <>
struct Fields<Reliability::Component> {
  static constexpr std::string_view name = "failing_component";
  static constexpr auto list = std::tuple{
      field("name", &Reliability::Component::name).needed(),
      field("per_node", &Reliability::Component::per_node).optional(),
      field("failures_per_year", &Reliability::Component::failures_per_year, "of one").optional(),
      field("confidence", &Reliability::Component::confidence),
      field("source", &Reliability::Component::source),
  };
};
template <>
struct Fields<Reliability::ByInterval> {
  static constexpr std::string_view name = "goodput_of_interval";
  static constexpr auto list = std::tuple{
      field("interval_s", &Reliability::ByInterval::interval_s).above_zero(),
      field("goodput", &Reliability::ByInterval::goodput),
  };
};
template <>
struct Fields<Reliability> {
  static constexpr std::string_view name = "reliability";
  static constexpr std::string_view meaning =
      "Failures of the job, what they cost, and what keeps the cost low.";
  static constexpr auto list = std::tuple{
      field("goodput", &Reliability::goodput, "share of the time that is useful training"),
      field("job_mttf_s", &Reliability::job_mttf, "mean time to a failure of the job"),
      field("interruptions", &Reliability::interruptions, "of the whole training").unit("events"),
      field("nodes", &Reliability::nodes).from(1),
      field("node_mtbf_s", &Reliability::node_mtbf_s, "mean time between failures of a node").optional(),
      field("node_mtbf_source", &Reliability::node_mtbf_source),
      field("interval_s", &Reliability::interval_s, "training between checkpoints").optional(),
      field("interval_rule", &Reliability::interval_rule),
      field("checkpoint_bytes", &Reliability::checkpoint_bytes).optional(),
      field("write_s", &Reliability::write_s).optional(),
      field("stall_s", &Reliability::stall_s).optional(),
      field("restored_s", &Reliability::restored_s,
            "reading the state back and warming up again, after detection and restart")
          .optional(),
      field("detection_s", &Reliability::detection_s).optional(),
      field("restart_s", &Reliability::restart_s).optional(),
      field("repair_s", &Reliability::repair_s).optional(),
      field("nodes_in_repair", &Reliability::nodes_in_repair, "in the mean").optional(),
      field("spares", &Reliability::spares),
      field("spares_given", &Reliability::spares_given, "by the scenario").optional(),
      field("spares_for_95_percent", &Reliability::spares_for_95, "enough in 95 % of the time").optional(),
      field("wait_s", &Reliability::wait_s, "for a node, after a failure, in the mean").optional(),
      field("shares", &Reliability::shares, "of the time"),
      field("goodput_by_interval", &Reliability::by_interval,
            "with shorter and longer checkpoint intervals, all else as planned"),
      field("components", &Reliability::components),
  };
};

}  // namespace rackcast::doc
