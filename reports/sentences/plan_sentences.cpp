#include "reports/sentences/plan_sentences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "reports/blocks/format.hpp"
#include "sim/units/quantity_text.hpp"
#include "sim/units/told_apart.hpp"

namespace rackcast::reports {

namespace {

/// "3 nodes fewer", "1 rack more".
std::string fewer(std::int64_t count, std::string_view what) {
  return counted(std::abs(count), what) + (count > 0 ? " fewer" : " more");
}

/// "310 kUSD less", "12 MWh more".
template <class Amount>
std::string less(double difference) {
  return to_text(Amount{std::abs(difference)}) + (difference > 0 ? " less" : " more");
}

/// What `to` has less, or more, of than `from`; empty where nothing counts.
std::string gain(const PlanCandidate& from, const PlanCandidate& to) {
  const doc::Difference d = difference(from, to);
  std::vector<std::string> parts;
  if (d.design)
    parts.push_back(candidate_text(to));
  else if (d.nodes != 0)
    parts.push_back(fewer(d.nodes, "node"));
  if (d.racks != 0) parts.push_back(fewer(d.racks, "rack"));
  if (d.total_usd) parts.push_back(less<Money>(*d.total_usd) + " to buy and run");
  if (d.energy_j) parts.push_back(less<Energy>(*d.energy_j));
  if (d.energy_j_per_year) parts.push_back(less<Energy>(*d.energy_j_per_year) + " in a year");
  if (d.time) parts.push_back(duration_text(*to.time_s) + " instead of " + duration_text(*from.time_s));
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// What the objective counts, of a candidate.
std::string worth(const std::string& objective, const PlanCandidate& c) {
  if (objective == "lowest-cost")
    return c.total_usd ? sum_text(to_text(Money{*c.total_usd}), c.cost_is_open()) : "no price";
  if (objective == "lowest-energy")
    return c.energy_j ? sum_text(to_text(Energy{*c.energy_j}), c.energy_is_open()) : "no power rating";
  if (objective == "fastest") return duration_text(c.time_s.value_or(0));
  return counted(c.nodes, "node") + (c.spares > 0 ? " and " + counted(c.spares, "spare") : "");
}

/// "all workloads, one after another, in 12 days".
std::string time_text(const ResultDocument& d, double time_s) {
  return fmt::format("{} in {}",
                     d.workloads.size() == 1 ? "trained"
                     : d.premise.adds_up     ? "all workloads, one after another,"
                                             : "the slowest workload",
                     duration_text(time_s));
}

std::string choice_text(const ResultDocument& d, const Plan& plan) {
  const std::string& objective = plan.objective;
  // A count of nodes and a time stand in the sentence already.
  const bool weighed = objective == "lowest-cost" || objective == "lowest-energy";
  return fmt::format("{}: {}{}, {}.",
                     objective == "lowest-cost"     ? "Lowest cost"
                     : objective == "lowest-energy" ? "Lowest energy"
                     : objective == "fastest"       ? "Fastest"
                                                    : "Fewest nodes",
                     candidate_text(*plan.chosen), weighed ? " (" + worth(objective, *plan.chosen) + ")" : "",
                     time_text(d, plan.chosen->time_s.value_or(0)));
}

std::string limit_list(const std::vector<std::string>& limits) {
  std::string out;
  for (const std::string& limit : limits) out += (out.empty() ? "" : ", ") + limit_title(limit);
  return out;
}

/// Designs that may cost less than the choice, if only what they lack were known.
std::string rivals_text(const Plan& plan) {
  if (plan.objective != "lowest-cost" || !plan.chosen->total_usd) return {};
  std::vector<OpenSum> sums;
  for (const Plan::Option& o : plan.options)
    if (o.best && o.best->total_usd)
      sums.push_back({candidate_text(*o.best), *o.best->total_usd, &o.best->no_price, &o.best->no_power,
                      &o.best->no_units});
  return rivals_text(*plan.chosen->total_usd, sums);
}

}  // namespace

std::string plan_text(const ResultDocument& d) {
  const Plan& plan = *d.plan;
  if (plan.partial && plan.chosen)
    return fmt::format("Not finished: the best found by then is {} ({}).", candidate_text(*plan.chosen),
                       worth(plan.objective, *plan.chosen));
  if (plan.partial) return "Not finished: nothing that keeps the limits had been found by then.";
  if (!plan.chosen) return conflict_set_text(plan.conflict_set);
  return choice_text(d, plan) + rivals_text(plan);
}

std::string rivals_text(double chosen_usd, const std::vector<OpenSum>& sums) {
  const OpenSum* least = nullptr;
  for (const OpenSum& sum : sums) {
    const bool open = !sum.no_price->empty() || !sum.no_power->empty() || !sum.no_units->empty();
    if (open && sum.usd < chosen_usd && (!least || sum.usd < least->usd)) least = &sum;
  }
  if (!least) return {};
  std::string lacks;
  const auto add = [&lacks](const std::vector<std::string>& items, std::string_view fact) {
    if (!items.empty()) lacks += ", " + left_out_text(items, fact);
  };
  add(*least->no_price, "price");
  add(*least->no_power, "power");
  add(*least->no_units, "height");
  return fmt::format(
      " {} may cost less: at least {}{}. A sum that leaves something out is never the lowest; state what is "
      "missing (\"site.prices.items\") to compare it.",
      least->name, to_text(Money{least->usd}), lacks);
}

std::string smaller_text(const ResultDocument& d) {
  const Plan& plan = *d.plan;
  if (!plan.chosen || (plan.partial && !plan.smaller)) return {};
  if (!plan.smaller) return "There is no smaller size.";
  const PlanCandidate& s = *plan.smaller;
  const std::string size = s.gpus_per_job ? counted(s.gpus, "GPU") : counted(s.nodes, "node");
  if (s.breaks.empty())
    return fmt::format("{} would do too, but less well: {} against {}.", size, worth(plan.objective, s),
                       worth(plan.objective, *plan.chosen));
  if (!s.time_s) return fmt::format("{} cannot be built: {}.", size, limit_list(s.breaks));
  const Duration time{*s.time_s};
  return fmt::format("{} would take {} and break: {}.", size,
                     d.deadline_s ? told_apart(time, Duration{*d.deadline_s}) : to_text(time),
                     limit_list(s.breaks));
}

std::string conflict_set_text(const std::vector<Plan::Conflict>& members) {
  std::vector<std::string> names;
  for (const Plan::Conflict& c : members) names.push_back(c.limit);
  if (std::ranges::none_of(members, [](const Plan::Conflict& c) { return c.missing.empty(); }))
    return fmt::format("What is known breaks no limit, but a fact is missing for: {}.", limit_list(names));
  if (members.size() == 1) return fmt::format("No candidate keeps one limit: {}.", limit_list(names));
  return fmt::format("No candidate keeps these {} limits together: {}. {}", members.size(), limit_list(names),
                     members.size() == 2 ? "Each of them can be kept without the other."
                                         : "All but any one of them can be kept.");
}

std::string open_limits_text(const std::vector<Plan::Conflict>& members) {
  std::string out;
  for (auto first = members.begin(); first != members.end(); ++first) {
    const auto alike = [&](const Plan::Conflict& c) {
      return c.missing == first->missing;
    };
    if (std::any_of(members.begin(), first, alike)) continue;
    std::vector<std::string> allowed;
    for (auto c = first; c != members.end(); ++c)
      if (alike(*c)) allowed.push_back(c->allowed);
    const std::string last = allowed.back();
    allowed.pop_back();
    out += fmt::format("{}Whether {}{}{} {} enough cannot be decided without {}.", out.empty() ? "" : " ",
                       fmt::join(allowed, ", "), allowed.empty() ? "" : " and ", last,
                       allowed.empty() ? "is" : "are", first->missing);
  }
  return out;
}

std::string conflict_text(const Plan::Conflict& c) {
  std::string out;
  if (c.at)
    out = fmt::format("{} {} {}; the limit is {}.", candidate_text(*c.at),
                      c.limit == "availability" ? "reaches" : "needs", c.needed, c.allowed);
  else if (!c.missing.empty())
    out = open_limits_text({c});
  else
    out = fmt::format("No candidate keeps it ({}).", limit_title(c.limit));
  return c.alone ? out + " Without this limit there is an answer." : out;
}

std::string candidate_text(const PlanCandidate& c) {
  std::string out = nodes_text(c.nodes, c.spares) + " x " + c.node_title;
  if (!c.network.empty()) out += ", " + c.network;
  if (!c.storage.empty()) out += ", " + c.storage;
  if (!c.time_s && !c.workloads.empty()) out += " in " + c.workloads.front().precision;
  return out;
}

std::string relaxation_text(const Plan::Relaxation& r, const PlanCandidate& chosen) {
  if (r.unknown) return "no value: the catalogue does not say how much the storage holds";
  if (r.later)
    return fmt::format("nothing changes before {}: {}", r.later->at, gain(chosen, r.later->answer));
  const std::string changes = r.answer ? gain(chosen, *r.answer) : std::string{};
  if (r.binds || r.answer) return changes.empty() ? "a tenth changes nothing" : changes;
  if (!r.waits) return "nothing: it does not bind";
  return fmt::format(
      "nothing: it does not bind; no candidate waits for it for more than {:.2g} % of its time",
      100 * *r.waits);
}

bool is_idle(const Plan::Relaxation& r) {
  return !r.binds && !r.unknown && !r.answer;
}

}  // namespace rackcast::reports
