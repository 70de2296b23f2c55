#include "scenarios/evaluate/failure_plan.hpp"

#include <algorithm>

#include "scenarios/evaluate/ledger.hpp"
#include "topologies/hardware/node_spec.hpp"

namespace rackcast {

namespace {

constexpr double kEnoughSpares = 0.95;

Duration interval_of(const FailureSpec& f, const SaveCost& save, Duration mttf) {
  if (f.interval) return *f.interval;
  const Duration best =
      f.rule == IntervalRule::young ? young_interval(save.stall, mttf) : daly_interval(save.stall, mttf);
  // An asynchronous write must be over before the next one begins; saving more often than every second, or
  // hundredth of a second of a job that lives for minutes, is not what the rule is about.
  return std::max({best, save.write, std::min(Duration{1}, 0.01 * mttf)});
}

NodeReliability reliability_of(const Catalog& catalog, const NodeSpec& node, const FailureSpec& f) {
  NodeReliability out = node_reliability(catalog, node);
  if (!f.node_mtbf) return out;
  out.mtbf = *f.node_mtbf;
  out.source = "scenario";
  out.fact.clear();
  return out;
}

/// Nodes in repair on average.
double nodes_in_repair(const NodeReliability& node, int nodes, Duration repair) {
  return nodes * node.replacements() * repair;
}

}  // namespace

int spare_nodes(const Catalog& catalog, const NodeSpec& node, int nodes, const FailureSpec& f) {
  if (f.spares) return *f.spares;
  const Duration repair = f.repair.value_or(repair_defaults(catalog).repair);
  return spares_for(nodes_in_repair(reliability_of(catalog, node, f), nodes, repair), kEnoughSpares);
}

FailurePlan failure_plan(const Catalog& catalog, const NodeSpec& node, int nodes, int idle,
                         const FailureSpec& f, const SaveCost& save, double rate_scale) {
  const RepairDefaults defaults = repair_defaults(catalog);
  FailurePlan out;
  out.node = reliability_of(catalog, node, f);
  out.nodes = nodes;
  out.rule = f.rule;
  out.detection = f.detection.value_or(defaults.detection);
  out.restart = f.restart.value_or(defaults.restart);
  out.repair = f.repair.value_or(defaults.repair);
  const double in_repair = nodes_in_repair(out.node, nodes, out.repair);
  out.enough_95 = spares_for(in_repair, kEnoughSpares);
  out.spares_given = f.spares.has_value();
  out.spares = std::max(idle, f.spares.value_or(out.enough_95));
  out.in_repair = in_repair * rate_scale;
  const double replaced = out.node.replacements() / out.node.interruptions();
  GoodputSpec& s = out.spec;
  s.mttf = out.node.mtbf / nodes;
  s.interval = interval_of(f, save, s.mttf);
  s.mttf = s.mttf / rate_scale;
  s.wait = replaced * spare_wait(out.in_repair, out.spares, out.repair);
  set_cost(out, save);
  return out;
}

void set_cost(FailurePlan& plan, const SaveCost& save) {
  plan.save = save;
  GoodputSpec& s = plan.spec;
  s.stall = save.stall;
  s.lag = std::max(Duration{0}, save.write - save.stall);
  s.restart = plan.detection + plan.restart + save.restored;
  plan.goodput = goodput(s);
}

void note_failures(Ledger& ledger, const FailurePlan& plan, const FailureSpec& f, const std::string& node) {
  const auto note = [&ledger](doc::Reason what, bool given, const std::string& source, Trust trust,
                              std::string where) {
    ledger.note(
        {std::move(what), given ? std::string{} : source, std::move(where), given ? Trust::scenario : trust});
  };
  const std::string defaults = "reliability/planning_defaults/";
  const std::string unread = "engineering memory, not confirmed against a document";
  const doc::Reason::Fact mtbf{"time_s", plan.node.mtbf.base()};
  note(f.node_mtbf ? doc::Reason{"node_mtbf", {mtbf}} : doc::Reason{"node_mtbf", {{"node", node}, mtbf}},
       f.node_mtbf.has_value(), plan.node.source, trust_in(plan.node.confidence), plan.node.fact);
  note(doc::Reason{"detection", {{"time_s", plan.detection.base()}}}, f.detection.has_value(),
       "default of collectives: a hang is noticed after the timeout", Trust::verified,
       defaults + "default_timeout_min");
  note(doc::Reason{"restart", {{"time_s", plan.restart.base()}}}, f.restart.has_value(), unread,
       Trust::memory, defaults + "auto_restart_min");
  note(doc::Reason{"repair", {{"time_s", plan.repair.base()}}}, f.repair.has_value(), unread, Trust::memory,
       defaults + "node_repair_h");
}

}  // namespace rackcast
