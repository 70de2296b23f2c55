#include "reports/load_reliability.hpp"

#include "reports/load_members.hpp"

namespace rackcast::reports {
namespace {

double amount_or_zero(const Json& json, std::string_view key) {
  return optional_amount(json, key).value_or(0);
}

Reliability::Share read_share(const Json& json) {
  return {json.require("name").string(), amount_or_zero(json, "fraction")};
}

Reliability::Component read_component(const Json& json) {
  return {json.require("name").string(), text_or_empty(json, "confidence"), text_or_empty(json, "source"),
          amount_or_zero(json, "per_node"), amount_or_zero(json, "failures_per_year")};
}

Reliability::ByInterval read_interval(const Json& json) {
  const double interval = json.require("interval_s").number();
  if (interval <= 0)
    json.require("interval_s").fail("an interval is longer than nothing", std::string(damaged_hint));
  return {interval, read_prediction(json.require("goodput"))};
}

}  // namespace

Reliability read_reliability(const Json& json) {
  Reliability out;
  out.statement = text_or_empty(json, "statement");
  out.node_mtbf_source = text_or_empty(json, "node_mtbf_source");
  out.interval_rule = text_or_empty(json, "interval_rule");
  out.goodput = read_prediction(json.require("goodput"));
  out.job_mttf = read_prediction(json.require("job_mttf_s"));
  out.interruptions = read_prediction(json.require("interruptions"));
  out.nodes = count(json.require("nodes"));
  out.spares = count(json.require("spares"));
  out.spares_for_95 = optional_count(json, "spares_for_95_percent").value_or(out.spares);
  const Json* given = optional_member(json, "spares_given");
  out.spares_given = given != nullptr && given->boolean();
  out.node_mtbf_s = amount_or_zero(json, "node_mtbf_s");
  out.interval_s = amount_or_zero(json, "interval_s");
  out.checkpoint_bytes = amount_or_zero(json, "checkpoint_bytes");
  out.write_s = amount_or_zero(json, "write_s");
  out.stall_s = amount_or_zero(json, "stall_s");
  out.restored_s = optional_amount(json, "restored_s").value_or(0);
  out.detection_s = amount_or_zero(json, "detection_s");
  out.restart_s = amount_or_zero(json, "restart_s");
  out.repair_s = amount_or_zero(json, "repair_s");
  out.nodes_in_repair = amount_or_zero(json, "nodes_in_repair");
  out.shares = read_list(json, "shares", read_share);
  out.by_interval = read_list(json, "goodput_by_interval", read_interval);
  out.components = read_list(json, "components", read_component);
  return out;
}

}  // namespace rackcast::reports
