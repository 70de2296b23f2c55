#include "scenarios/reliability_report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/quantity_text.hpp"

namespace rackcast {

namespace {

using Document = nlohmann::ordered_json;

constexpr double kNinetyPercent = 1.645;  ///< half width of a 90 % interval in standard deviations

Document document(const Estimate& e) {
  return {{"value", e.value}, {"low", e.low}, {"high", e.high}, {"unit", e.unit}};
}

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

std::string statement(const ReliabilityReport& r) {
  const FailurePlan& p = r.plan;
  return fmt::format(
      "{:.3g} % of the elapsed time is training that is kept; a failure every {} on {} node{}, a checkpoint "
      "every {} ({}), {:.3g} interruptions of the whole training.",
      100 * r.goodput.value, to_text(p.spec.mttf), p.nodes, p.nodes == 1 ? "" : "s", to_text(p.spec.interval),
      rule_text(p.rule), r.interruptions.value);
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
  const double factor = std::exp(kNinetyPercent * plan->node.log_sigma);
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
  out.statement = statement(out);
  return out;
}

Document reliability_document(const ReliabilityReport& r) {
  const FailurePlan& p = r.plan;
  Document out = {{"statement", r.statement},
                  {"goodput", document(r.goodput)},
                  {"job_mttf_s", document(r.mttf)},
                  {"interruptions", document(r.interruptions)},
                  {"nodes", p.nodes},
                  {"node_mtbf_s", p.node.mtbf.base()},
                  {"node_mtbf_source", p.node.source},
                  {"interval_s", p.spec.interval.base()},
                  {"interval_rule", rule_text(p.rule)},
                  {"checkpoint_bytes", p.save.checkpoint.base()},
                  {"write_s", p.save.write.base()},
                  {"stall_s", p.save.stall.base()},
                  {"restored_s", p.save.restored.base()},
                  {"detection_s", p.detection.base()},
                  {"restart_s", p.restart.base()},
                  {"repair_s", p.repair.base()},
                  {"nodes_in_repair", p.in_repair},
                  {"spares", p.spares},
                  {"spares_given", p.spares_given},
                  {"spares_for_95_percent", p.enough_95},
                  {"wait_s", p.spec.wait.base()}};
  const Goodput& g = p.goodput;
  out["shares"] = {{{"name", "useful training"}, {"fraction", g.useful}},
                   {{"name", "saving checkpoints"}, {"fraction", g.saving}},
                   {{"name", "work done again"}, {"fraction", g.lost}},
                   {{"name", "detection and restart"}, {"fraction", g.restart}},
                   {{"name", "waiting for a node"}, {"fraction", g.wait}}};
  out["goodput_by_interval"] = Document::array();
  for (const auto& point : r.by_interval)
    out["goodput_by_interval"].push_back(
        {{"interval_s", point.interval.base()}, {"goodput", document(point.goodput)}});
  out["components"] = Document::array();
  for (const ComponentRate& c : p.node.components) {
    out["components"].push_back({{"name", c.name},
                                 {"per_node", c.count},
                                 {"failures_per_year", c.per_year},
                                 {"confidence", to_string(c.confidence)},
                                 {"source", c.source}});
  }
  return out;
}

}  // namespace rackcast
