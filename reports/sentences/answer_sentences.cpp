#include "reports/sentences/answer_sentences.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/blocks/format.hpp"
#include "reports/sentences/decision_sentences.hpp"
#include "reports/sentences/plan_sentences.hpp"
#include "reports/sentences/reason_sentences.hpp"
#include "reports/sentences/serving_sentences.hpp"
#include "sim/units/quantity_text.hpp"
#include "sim/units/told_apart.hpp"

namespace rackcast::reports {

namespace {

constexpr const char* no_step = "No answer: a limit ended the simulation before a step was over.";

/// "8 x NVIDIA DGX-1V (64 GPUs) train ResNet-50 in 13 days, bound by GPU compute; the deadline is 14 days."
std::string training_text(const Answer& answer, const std::string& who, double time_s,
                          const std::string& binds, const std::optional<double>& deadline_s) {
  const Duration time{time_s};
  std::string out = fmt::format("{} x {} ({}) {} {} in {}, bound by {}",
                                nodes_text(answer.nodes.value_or(0), answer.spares), answer.node_title,
                                gpus_text(answer), answer.nodes == 1 ? "trains" : "train", who,
                                deadline_s ? told_apart(time, Duration{*deadline_s}) : to_text(time), binds);
  if (!deadline_s) return out + ".";
  const Duration deadline{*deadline_s};
  if (time <= deadline) return out + fmt::format("; the deadline is {}.", to_text(deadline));
  return out +
         fmt::format("; that is {} past the deadline of {}.", to_text(time - deadline), to_text(deadline));
}

std::string memory_remark(const Answer& answer) {
  if (answer.binding_constraint != "gpu_memory") return {};
  return fmt::format(" Memory binds and not the deadline: {} at least.",
                     counted(answer.nodes.value_or(0), "node"));
}

/// Whose time that of the answer is.
std::string who(const ResultDocument& d) {
  if (d.workloads.size() == 1) return d.workloads.front().title;
  if (d.premise.adds_up) return fmt::format("the {} workloads, one after another,", d.workloads.size());
  return fmt::format("the slowest of {} workloads, {},", d.workloads.size(),
                     title_of_model(d, d.answer.workload));
}

/// Behind the planner's sentence, which names cluster and time: whose time it is, and what binds it.
std::string behind_plan(const ResultDocument& d) {
  const std::string longest = title_of_model(d, d.answer.workload);
  return fmt::format("{} bound by {}; the deadline is {}.",
                     d.workloads.size() == 1 ? longest + " is"
                     : d.premise.adds_up     ? "The longest of them, " + longest + ", is"
                                             : "That is " + longest + ",",
                     d.answer.binds, duration_text(d.deadline_s.value_or(0)));
}

/// What was known when a limit ended the simulation of a workload.
std::string ended_text(const ResultDocument& d, const Answer& answer) {
  std::string known;
  for (const Answer::KnownTime& k : answer.known_times)
    known += fmt::format("{}{} {} {}", known.empty() ? "" : "; ", counted(k.nodes, "node"),
                         k.nodes == 1 ? "takes" : "take", duration_text(k.time_s));
  return fmt::format("A limit ended the simulation of {}.{}", title_of_model(d, answer.workload),
                     known.empty() ? " No step was over." : " Known by then: " + known + ".");
}

std::string feasible_text(const ResultDocument& d) {
  const auto& time = d.performance.time_to_train;
  const bool partial = d.plan && d.plan->partial;
  if (!time) return d.plan ? plan_text(d) : no_step;
  if (d.plan && !partial && d.plan->objective != "fewest-nodes") return plan_text(d) + " " + behind_plan(d);
  return (partial ? plan_text(d) + " " : "") +
         training_text(d.answer, who(d), time->value, d.answer.binds, d.deadline_s) + memory_remark(d.answer);
}

/// A limit that no other cluster of the scenario's nodes would keep, of which nothing else need be said.
bool is_fixed(const Answer::Conflict& c) {
  return c.constraint == "precision" || c.constraint == "configuration" || c.constraint == "gpu_memory" ||
         c.constraint == "storage_capacity";
}

std::string infeasible_text(const ResultDocument& d) {
  const auto& conflicts = d.answer.conflicts;
  if (d.answer.binding_constraint == "limit")
    return d.answer.workload.empty() ? no_step : ended_text(d, d.answer);
  if (!d.plan || d.plan->conflict_set.empty()) {
    if (!conflicts.empty()) return conflict_text(d, conflicts.front());
    return d.plan ? plan_text(d) : no_step;
  }
  if (conflicts.empty()) return plan_text(d);
  if (undecided(d)) {
    return open_limits_text(d.plan->conflict_set);
  }
  if (d.plan->conflict_set.size() > 1) {
    // What a limit says beyond its numbers.
    const auto more = std::ranges::find_if(conflicts, [](const auto& c) { return c.why.has_value(); });
    return plan_text(d) + (more == conflicts.end() ? "" : " " + why_text(more->why));
  }
  const std::string why = conflict_text(d, conflicts.front());
  return conflicts.front().why ? why : plan_text(d) + " " + why;
}

/// The scenario's own cluster does not do.
std::string simulated_text(const ResultDocument& d) {
  const auto& conflicts = d.answer.conflicts;
  if (conflicts.empty() || is_fixed(conflicts.front())) return infeasible_text(d);
  const WorkloadResult* most = nullptr;  // the slowest that does not do
  const auto time_of = [](const WorkloadResult& w) {
    return w.performance.time_to_train ? w.performance.time_to_train->value : 0;
  };
  for (const WorkloadResult& w : d.workloads)
    if (!w.answer.feasible && (!most || time_of(w) > time_of(*most))) most = &w;
  std::string out = most ? workload_text(d, *most) : std::string{};
  return out.empty() ? conflict_text(d, conflicts.front()) : out;
}

}  // namespace

std::string title_of_model(const ResultDocument& d, const std::string& model) {
  const auto found = std::ranges::find(d.workloads, model, &WorkloadResult::model);
  return found == d.workloads.end() ? model : found->title;
}

std::string gpus_text(const Answer& answer) {
  const std::int64_t used = answer.gpus.value_or(0);
  if (!answer.gpus_in_nodes) return counted(used, "GPU");
  return fmt::format("{} of {}", count_text(used), counted(*answer.gpus_in_nodes, "GPU"));
}

std::string answer_text(const ResultDocument& d) {
  if (d.serving) return served_text(d);
  if (d.answer.feasible) return feasible_text(d);
  return d.kind == ResultDocument::Kind::simulate ? simulated_text(d) : infeasible_text(d);
}

std::string workload_text(const ResultDocument& d, const WorkloadResult& w) {
  const Answer& answer = w.answer;
  if (answer.binding_constraint == "limit") return ended_text(d, answer);
  const bool sized = d.kind == ResultDocument::Kind::size;
  const bool fixed = !answer.conflicts.empty() && (sized || is_fixed(answer.conflicts.front()));
  if (!answer.feasible && fixed) return conflict_text(d, answer.conflicts.front());
  if (!answer.feasible && sized) return d.plan ? plan_text(d) : std::string{};
  const auto& time = w.performance.time_to_train;
  if (!time || !w.step) return {};
  std::string out = training_text(answer, w.title, time->value, w.step->binds,
                                  d.premise.adds_up ? std::nullopt : d.deadline_s) +
                    memory_remark(answer);
  for (const Answer::Conflict& c : answer.conflicts) out += " " + conflict_text(d, c);
  return out;
}

std::string premise_text(const ResultDocument& d) {
  const std::size_t count = d.workloads.size();
  if (count < 2 || !d.premise.stated) return {};
  const std::vector<double>& times = d.premise.times_s;
  double sum_s = 0;
  std::string each;
  constexpr std::size_t most = 4;
  for (std::size_t i = 0; i < std::min(times.size(), count); ++i) {
    sum_s += times[i];
    if (i < most)
      each +=
          fmt::format("{}{} of {}", each.empty() ? "" : "; ", duration_text(times[i]), d.workloads[i].title);
  }
  if (times.size() > most) each += fmt::format("; and {} more", times.size() - most);
  const bool timed = !times.empty() && std::ranges::all_of(times, [](double t) { return t > 0; });
  if (d.premise.adds_up)
    return fmt::format("The {} workloads run one after another on the same nodes{}{}.", count,
                       d.deadline_s ? " and share the deadline" : "", timed ? ": " + each : "");
  std::string out = fmt::format("Each workload is on its own: it has the whole cluster{} to itself.",
                                d.deadline_s ? " and the whole deadline" : "");
  if (!timed) return out;
  out += fmt::format(" One after another they would take {} on {}", duration_text(sum_s),
                     counted(d.answer.nodes.value_or(0), "node"));
  if (d.deadline_s && sum_s > *d.deadline_s) out += ", past the deadline of " + duration_text(*d.deadline_s);
  return out + ".";
}

std::string conflict_text(const ResultDocument& d, const Answer::Conflict& c) {
  if (c.why || !d.plan) return why_text(c.why);
  const auto found = std::ranges::find(d.plan->conflict_set, c.constraint, &Plan::Conflict::limit);
  return found == d.plan->conflict_set.end() ? std::string{} : conflict_text(*found);
}

std::string why_not_fewer_text(const ResultDocument& d, const Answer& answer,
                               const Answer::WhyNotFewer& why) {
  const std::string whose = why.workload.empty() ? "" : title_of_model(d, why.workload) + ": ";
  const std::string nodes = counted(why.nodes, "node");
  const auto& time = why.time_to_train;
  if (why.why && why.fails == "gpu_memory" && time)
    return whose + fmt::format("Memory binds: {} at least; {} would not hold it. {}",
                               counted(answer.nodes.value_or(0), "node"), why.nodes, why_text(why.why));
  if (why.why) return whose + why_text(why.why);
  if (time && d.deadline_s && time->value > *d.deadline_s) {
    const Duration needed{time->value}, deadline{*d.deadline_s};
    return whose + fmt::format("{} would take {}: {} past the deadline of {}.", nodes,
                               told_apart(needed, deadline), to_text(needed - deadline), to_text(deadline));
  }
  if (!time && d.plan && d.plan->smaller && d.plan->smaller->nodes == why.nodes)
    return whose + smaller_text(d);
  return whose + fmt::format("{} would miss the limit \"{}\"{}.", nodes, why.fails,
                             time ? ", taking " + prediction_text(*time) : "");
}

std::string change_text(const ResultDocument& d, const Answer& answer, const Answer::Change& change) {
  if (change.why) return why_text(change.why);
  if (change.probability) {
    const std::int64_t nodes = answer.nodes.value_or(0);
    return fmt::format("{}{} {} the deadline with a probability of {}, by the model's error alone",
                       change.most_nodes ? fmt::format("no count up to {} is that sure; ", *change.most_nodes)
                                         : std::string{},
                       counted(nodes, "node"), nodes == 1 ? "meets" : "meet", odds_text(*change.probability));
  }
  if (!change.nodes) return {};
  const std::string instead =
      "instead of " + (!answer.feasible || !answer.nodes
                           ? std::string{"no answer"}
                           : count_text(d.serving ? d.serving->needed : *answer.nodes));
  if (change.less_memory) return instead + ": takes less memory";
  const bool same = *change.nodes == (d.serving ? d.serving->needed : answer.nodes.value_or(0));
  return (same ? "no change" : instead) +
         ((d.serving ? d.serving->spares : answer.spares) > 0 ? ", before spares" : "");
}

}  // namespace rackcast::reports
