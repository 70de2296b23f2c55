#include "scenarios/result/reliability_report.hpp"

#include <cmath>

#include "scenarios/result/result_document.hpp"
#include "sim/base/normal.hpp"

namespace rackcast {

namespace {

std::string rule_text(IntervalRule rule) {
  switch (rule) {
    case IntervalRule::daly:
      return "Daly's optimum";
    case IntervalRule::young:
      return "Young's optimum";
    case IntervalRule::fixed:
      break;
  }
  return "fixed by the scenario";
}

/// Goodput with shorter and longer checkpoint intervals, everything else as planned: an eighth to eight times
/// the planned one in steps of the square root of two.
std::vector<ReliabilityReport::ByInterval> by_interval(const FailurePlan& plan, const FailurePlan& often,
                                                       const FailurePlan& rarely) {
  std::vector<ReliabilityReport::ByInterval> out;
  for (int k = -6; k <= 6; ++k) {
    const Duration interval = plan.spec.interval * std::exp2(k / 2.0);
    const auto useful = [&](GoodputSpec spec) {
      spec.interval = interval;
      return goodput(spec).useful;
    };
    out.push_back({interval, {useful(plan.spec), useful(often.spec), useful(rarely.spec), "1"}});
  }
  return out;
}

}  // namespace

std::optional<ReliabilityReport> reliability_report(Evaluator& evaluator, const Question& q) {
  const auto plan = evaluator.failures(q);
  if (!plan) return std::nullopt;
  const double factor = std::exp(half_of_90_percent * plan->node.log_sigma);
  const FailurePlan often = *evaluator.failures(q, factor), rarely = *evaluator.failures(q, 1 / factor);
  ReliabilityReport out;
  out.plan = *plan;
  out.goodput = {plan->goodput.useful, often.goodput.useful, rarely.goodput.useful, "1"};
  out.mttf = {plan->spec.mttf.base(), often.spec.mttf.base(), rarely.spec.mttf.base(), "s"};
  // The work is the same; the elapsed time grows with the failures.
  const double elapsed = evaluator.time_to_train(q).base(), work = elapsed * plan->goodput.useful;
  const auto interruptions = [work](const FailurePlan& p) {
    return p.goodput.failures_per_second * work / std::max(1e-9, p.goodput.useful);
  };
  out.interruptions = {interruptions(*plan), interruptions(rarely), interruptions(often), "events"};
  out.by_interval = by_interval(*plan, often, rarely);
  return out;
}

doc::Reliability reliability_document(const ReliabilityReport& r) {
  const FailurePlan& p = r.plan;
  const Goodput& g = p.goodput;
  doc::Reliability out;
  out.goodput = to_document(r.goodput).value();
  out.job_mttf = to_document(r.mttf).value();
  out.interruptions = to_document(r.interruptions).value();
  out.nodes = p.nodes;
  out.node_mtbf_s = p.node.mtbf.base();
  out.node_mtbf_source = p.node.source;
  out.interval_s = p.spec.interval.base();
  out.interval_rule = rule_text(p.rule);
  out.checkpoint_bytes = p.save.checkpoint.base();
  out.write_s = p.save.write.base();
  out.stall_s = p.save.stall.base();
  out.restored_s = p.save.restored.base();
  out.detection_s = p.detection.base();
  out.restart_s = p.restart.base();
  out.repair_s = p.repair.base();
  out.nodes_in_repair = p.in_repair;
  out.spares = p.spares;
  out.spares_given = p.spares_given;
  out.spares_for_95 = p.enough_95;
  out.wait_s = p.spec.wait.base();
  out.shares = {{"useful training", g.useful},
                {"saving checkpoints", g.saving},
                {"work done again", g.lost},
                {"detection and restart", g.restart},
                {"waiting for a node", g.wait}};
  for (const auto& point : r.by_interval)
    out.by_interval.push_back({point.interval.base(), to_document(point.goodput).value()});
  for (const ComponentRate& c : p.node.components)
    out.components.push_back({c.name, std::string{to_string(c.confidence)}, c.source, c.count, c.per_year});
  return out;
}

}  // namespace rackcast
