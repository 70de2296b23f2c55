#pragma once
/// Keys, units and meanings of the structs of scenarios/document/reliability.hpp.
#include "scenarios/document/fields/figures.hpp"
#include "scenarios/document/reliability.hpp"

namespace rackcast::doc {

template <>
struct Fields<Reliability::Share> {
  static constexpr std::string_view name = "time_share";
  static void each(const auto& visit) {
    visit(field("name", &Reliability::Share::name).needed());
    visit(field("fraction", &Reliability::Share::fraction).optional());
  }
};

template <>
struct Fields<Reliability::Component> {
  static constexpr std::string_view name = "failing_component";
  static void each(const auto& visit) {
    visit(field("name", &Reliability::Component::name).needed());
    visit(field("per_node", &Reliability::Component::per_node).optional());
    visit(field("failures_per_year", &Reliability::Component::failures_per_year, "of one").optional());
    visit(field("confidence", &Reliability::Component::confidence));
    visit(field("source", &Reliability::Component::source));
  }
};

template <>
struct Fields<Reliability::ByInterval> {
  static constexpr std::string_view name = "goodput_of_interval";
  static void each(const auto& visit) {
    visit(field("interval_s", &Reliability::ByInterval::interval_s).above_zero());
    visit(field("goodput", &Reliability::ByInterval::goodput));
  }
};

template <>
struct Fields<Reliability> {
  static constexpr std::string_view name = "reliability";
  static constexpr std::string_view meaning =
      "Failures of the job, what they cost, and what keeps the cost low.";
  static void each(const auto& visit) {
    visit(field("goodput", &Reliability::goodput, "share of the time that is useful training"));
    visit(field("job_mttf_s", &Reliability::job_mttf, "mean time to a failure of the job"));
    visit(field("interruptions", &Reliability::interruptions, "of the whole training").unit("events"));
    visit(field("nodes", &Reliability::nodes).from(1));
    visit(field("node_mtbf_s", &Reliability::node_mtbf_s, "mean time between failures of a node").optional());
    visit(field("node_mtbf_source", &Reliability::node_mtbf_source));
    visit(field("interval_s", &Reliability::interval_s, "training between checkpoints").optional());
    visit(field("interval_rule", &Reliability::interval_rule));
    visit(field("checkpoint_bytes", &Reliability::checkpoint_bytes).optional());
    visit(field("write_s", &Reliability::write_s).optional());
    visit(field("stall_s", &Reliability::stall_s).optional());
    visit(field("restored_s", &Reliability::restored_s,
                "reading the state back and warming up again, after detection and restart")
              .optional());
    visit(field("detection_s", &Reliability::detection_s).optional());
    visit(field("restart_s", &Reliability::restart_s).optional());
    visit(field("repair_s", &Reliability::repair_s).optional());
    visit(field("nodes_in_repair", &Reliability::nodes_in_repair, "in the mean").optional());
    visit(field("spares", &Reliability::spares));
    visit(field("spares_given", &Reliability::spares_given, "by the scenario").optional());
    visit(
        field("spares_for_95_percent", &Reliability::spares_for_95, "enough in 95 % of the time").optional());
    visit(field("wait_s", &Reliability::wait_s, "for a node, after a failure, in the mean").optional());
    visit(field("shares", &Reliability::shares, "of the time"));
    visit(field("goodput_by_interval", &Reliability::by_interval,
                "with shorter and longer checkpoint intervals, all else as planned"));
    visit(field("components", &Reliability::components));
  }
};

}  // namespace rackcast::doc
