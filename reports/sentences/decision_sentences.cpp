#include "reports/sentences/decision_sentences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/blocks/format.hpp"
#include "reports/sentences/answer_sentences.hpp"
#include "reports/sentences/plan_sentences.hpp"
#include "reports/sentences/serving_sentences.hpp"
#include "sim/units/quantity_text.hpp"

namespace rackcast::reports {

namespace {

constexpr double safe = 0.9, even = 0.5;  ///< odds at which the colour of the verdict changes

bool is_open(const Answer::Conflict& c) {
  return c.why && c.why->code() == "undecided";
}

/// What a cluster that is given breaks, and what cannot be decided of it.
Verdict broken_verdict(const ResultDocument& d) {
  std::string broken, open;
  for (const Answer::Conflict& c : d.answer.conflicts) {
    std::string& list = is_open(c) ? open : broken;
    list += (list.empty() ? "" : ", ") + limit_title(c.constraint);
  }
  if (!open.empty()) open = "Cannot be decided: " + open;
  if (broken.empty() && !open.empty()) return {Tone::caution, open};
  if (broken.empty()) broken = limit_title(d.answer.binding_constraint);
  return {Tone::bad, "Breaks a limit: " + broken + (open.empty() ? "" : ". " + open)};
}

/// " to train ResNet-50", " to serve Llama 3 70B".
std::string purpose_text(const ResultDocument& d) {
  if (d.serving) return " to serve " + d.serving->title;
  if (d.workloads.empty()) return {};
  return " to train " +
         (d.workloads.size() == 1 ? d.workloads.front().title : counted(std::ssize(d.workloads), "workload"));
}

/// What is expected of the cluster, and with which odds.
std::string outcome_text(const ResultDocument& d) {
  const auto& time = d.performance.time_to_train;
  const auto chance = odds(d);
  if (chance && d.serving)
    return fmt::format("{} odds of keeping the limits on time in the busiest hour", odds_text(*chance));
  if (d.serving) return rate_words(d.serving->peak_requests_per_s) + " requests/s in the busiest hour";
  if (chance && d.deadline_s)
    return fmt::format("{} odds of meeting the deadline of {}", odds_text(*chance),
                       duration_text(*d.deadline_s));
  if (!time) return {};
  const std::string done = "done in " + duration_text(time->value);
  return d.deadline_s ? fmt::format("{}, the deadline is {}", done, duration_text(*d.deadline_s)) : done;
}

/// By what the search chose, where that is not the number of nodes.
std::string objective_text(const ResultDocument& d) {
  const Plan& plan = *d.plan;
  const PlanCandidate& c = *plan.chosen;
  if (plan.objective == "lowest-cost" && c.total_usd) {
    const auto years = d.site && d.site->cost ? d.site->cost->depreciation_years : std::nullopt;
    return fmt::format("Of all choices that keep the limits it costs least: {} to buy and run{}.",
                       sum_text(to_text(Money{*c.total_usd}), c.cost_is_open()),
                       years ? fmt::format(" for {:g} year{}", *years, *years == 1 ? "" : "s") : "");
  }
  if (plan.objective == "lowest-energy")
    return "Of all choices that keep the limits it takes the least energy.";
  if (plan.objective == "fastest") return "Of all choices that keep the limits it is the fastest.";
  return {};
}

/// What a fleet that serves answers.
std::string service_text(const ResultDocument& d) {
  const Serving& s = *d.serving;
  std::string out = fmt::format("The busiest hour has {} requests/s, in {}",
                                rate_words(s.peak_requests_per_s), s.precision);
  if (s.tokens && s.tokens->gpus_per_copy)
    out += *s.tokens->gpus_per_copy == 1 ? std::string{", with a copy of the network on each GPU"}
                                         : fmt::format(", with a copy of the network on every {}",
                                                       counted(*s.tokens->gpus_per_copy, "GPU"));
  if (s.spares > 0) out += fmt::format("; {} of the nodes may be down", s.spares);
  return out + ".";
}

}  // namespace

std::string node_name(const Answer& answer) {
  return answer.node_title.empty() ? answer.node : answer.node_title;
}

std::string cluster_title(const Answer& answer) {
  if (!answer.nodes) return node_name(answer);
  return fmt::format("{} × {}", nodes_text(*answer.nodes, answer.spares), node_name(answer));
}

bool no_answer(const ResultDocument& d) {
  return !d.answer.feasible && d.kind == ResultDocument::Kind::size;
}

bool undecided(const ResultDocument& d) {
  if (d.answer.feasible || !d.plan || !d.plan->nearest) return false;
  const PlanCandidate& nearest = *d.plan->nearest;
  return !nearest.breaks.empty() && nearest.breaks.size() == nearest.undecided.size();
}

std::optional<double> odds(const ResultDocument& d) {
  return d.serving ? d.serving->in_time : d.answer.deadline_probability;
}

std::string odds_text(double odds) {
  for (const double bound : {safe, even})
    if (odds < bound && std::round(100 * odds) >= 100 * bound)
      return fmt::format("{:.0f} %", std::floor(100 * odds));
  return percent_text(odds);
}

Tone odds_tone(double odds) {
  return odds >= safe ? Tone::good : odds >= even ? Tone::caution : Tone::bad;
}

Verdict verdict(const ResultDocument& d) {
  const Answer& answer = d.answer;
  if (!answer.feasible) {
    if (answer.binding_constraint == "limit") return {Tone::caution, "Not finished"};
    if (!no_answer(d)) return broken_verdict(d);
    if (undecided(d)) return {Tone::caution, "Not decided: facts are missing"};
    return {Tone::bad, "Not possible"};
  }
  if (d.plan && d.plan->partial) return {Tone::caution, "Not finished: the best that was found by then"};
  if (const auto chance = odds(d)) {
    const Tone tone = odds_tone(*chance);
    return {tone, tone == Tone::good ? "On track: odds of 90 % or more, by the error of the model alone"
                  : tone == Tone::caution
                      ? "At risk: odds between 50 % and 90 %, by the error of the model alone"
                      : "Unlikely: odds below 50 %, by the error of the model alone"};
  }
  const auto& time = d.performance.time_to_train;
  if (d.deadline_s && time)
    return time->value > *d.deadline_s
               ? Verdict{Tone::bad, "Late"}
               : Verdict{Tone::caution, "In time as expected, the odds are not known"};
  return {Tone::plain, ""};
}

std::string recommendation(const ResultDocument& d) {
  const bool limited = d.answer.binding_constraint == "limit";
  if (no_answer(d) && undecided(d)) return "Whether a configuration keeps the limits cannot be decided";
  if (no_answer(d)) return limited ? "Not finished" : "No configuration within the limits";
  const std::string cluster = cluster_title(d.answer);
  if (cluster.empty()) return limited ? "Not finished" : "";
  // The price of what the nodes are bolted to is no price of a cluster.
  const bool unpriced = d.site && std::ranges::any_of(d.site->bill, [](const SiteBillRow& row) {
                          return row.group == "compute" && !row.total_usd;
                        });
  const std::string price = d.site && !unpriced ? purchase_text(*d.site) : "";
  const std::string outcome = outcome_text(d);
  const bool sized = d.kind == ResultDocument::Kind::size;
  // What is more likely too small than enough is no advice to buy.
  const auto chance = odds(d);
  const char* verb = !sized ? "" : chance && *chance < even ? "At least " : price.empty() ? "Use " : "Buy ";
  return verb + cluster + (price.empty() ? "" : " for " + price) + purpose_text(d) +
         (outcome.empty() ? "" : ": " + outcome);
}

std::string lead_text(const ResultDocument& d) {
  std::string out;
  const auto add = [&out](const std::string& text) {
    if (!text.empty()) out += (out.empty() ? "" : " ") + text;
  };
  const bool chosen = d.plan && d.plan->chosen;
  if (!d.answer.feasible || (d.plan && d.plan->partial) || d.answer.binding_constraint == "limit") {
    add(answer_text(d));
  } else {
    if (chosen) add(objective_text(d));
    if (d.serving) add(service_text(d));
  }
  add(premise_text(d));
  return out;
}

std::string purchase_text(const Site& site) {
  const bool priced =
      std::ranges::any_of(site.bill, [](const auto& row) { return row.total_usd.has_value(); });
  return site.bill_total_usd && priced ? sum_text(to_text(Money{*site.bill_total_usd}), site.bill_is_open())
                                       : "";
}

}  // namespace rackcast::reports
