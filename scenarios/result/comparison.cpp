#include "scenarios/result/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "sim/base/error.hpp"
#include "sim/base/version.hpp"

namespace rackcast {

namespace {

using doc::Comparison, doc::Result;
using Value = Comparison::Value;
using Optional = std::optional<double>;

constexpr std::size_t most_inputs = 60;

Value number(const Optional& value, bool at_least = false) {
  return {.value = value, .at_least = value && at_least};
}
Value count(const std::optional<std::int64_t>& value) {
  return {.value = value ? Optional(static_cast<double>(*value)) : std::nullopt};
}
Value interval(const std::optional<doc::Prediction>& p) {
  if (!p) return {};
  return p->low < p->high ? Value{p->value, p->low, p->high} : Value{.value = p->value};
}
Value text(std::string words) {
  return {.text = std::move(words)};
}

Value difference(const Value& a, const Value& b) {
  if (!a.value || !b.value) return {};
  Value out = number(*b.value - *a.value, a.at_least || b.at_least);
  if (!(a.low && a.high) && !(b.low && b.high)) return out;
  const auto side = [](const Value& v, const Optional& end) {
    return end ? std::abs(*v.value - *end) : 0;
  };
  out.low = *out.value - std::hypot(side(b, b.low), side(a, a.high));
  out.high = *out.value + std::hypot(side(b, b.high), side(a, a.low));
  return out;
}

/// A figure of the whole answer, as every result has it or not.
struct FigureKind {
  const char *name, *unit;  ///< no unit: texts
  Value (*read)(const Result&);
  bool always = false;  ///< also of a result without any cluster
};

const doc::PlanCandidate* chosen(const Result& r) {
  return r.plan && r.plan->chosen ? &*r.plan->chosen : nullptr;
}
const doc::Plan::Confident* sure(const Result& r) {
  return r.plan && r.plan->confident && r.plan->confident->at ? &*r.plan->confident : nullptr;
}
/// Is there a cluster that the figures are of?
bool has_cluster(const Result& r) {
  return r.answer.nodes.value_or(0) > 0;
}

constexpr FigureKind kinds[] = {
    {"feasible", "", [](const Result& r) { return text(r.answer.feasible ? "yes" : "no"); }, true},
    {"limit", "",
     [](const Result& r) {  // of a cluster that is given no limit sets the size
       const bool given = r.answer.feasible && r.head.kind == "simulate";
       return text(given ? std::string{} : r.answer.binding_constraint);
     },
     true},
    {"bottleneck", "",
     [](const Result& r) {
       return text(r.serving ? r.serving->binds : r.answer.binds);
     }},
    {"node", "",
     [](const Result& r) {
       return text(r.answer.node_title.empty() ? r.answer.node : r.answer.node_title);
     }},
    {"nodes", "1",
     [](const Result& r) {
       return count(r.answer.nodes);
     }},
    {"spares", "1",
     [](const Result& r) {
       return r.answer.spares > 0 ? count(r.answer.spares) : Value{};
     }},
    {"gpus", "1",
     [](const Result& r) {
       return count(r.answer.gpus);
     }},
    {"deadline", "s", [](const Result& r) { return number(r.deadline_s); }, true},
    {"odds", "1",
     [](const Result& r) {
       return number(r.serving ? r.serving->in_time : r.answer.deadline_probability);
     }},
    {"time_to_train", "s",
     [](const Result& r) {
       return interval(r.performance.time_to_train);
     }},
    {"samples_per_s", "1/s",
     [](const Result& r) {
       return interval(r.performance.samples_per_s);
     }},
    {"step_time", "s",
     [](const Result& r) {
       return interval(r.performance.step_time);
     }},
    {"scaling_efficiency", "1",
     [](const Result& r) {
       return interval(r.performance.scaling_efficiency);
     }},
    {"precision", "",
     [](const Result& r) {
       return text(r.serving ? r.serving->precision : "");
     }},
    {"requests_per_s", "1/s",
     [](const Result& r) {
       return r.serving ? number(r.serving->peak_requests_per_s) : Value{};
     }},
    {"latency", "s",
     [](const Result& r) {
       if (!r.serving || !r.serving->at_peak || !r.serving->at_peak->latency_s) return Value{};
       return Value{r.serving->at_peak->latency_s, r.serving->latency_low_s, r.serving->latency_high_s};
     }},
    {"first_token", "s",
     [](const Result& r) {
       return r.serving && r.serving->at_peak ? number(r.serving->at_peak->first_token_s) : Value{};
     }},
    {"output_token", "s",
     [](const Result& r) {
       return r.serving && r.serving->at_peak ? number(r.serving->at_peak->token_s) : Value{};
     }},
    {"usd_per_million_tokens", "USD",
     [](const Result& r) {
       return r.serving && r.serving->tokens
                  ? number(r.serving->tokens->usd_per_million, r.site && r.site->cost_is_open())
                  : Value{};
     }},
    {"racks", "1",
     [](const Result& r) {
       return r.site ? count(r.site->racks.count) : Value{};
     }},
    {"nameplate", "W",
     [](const Result& r) {
       return r.site ? number(r.site->power.nameplate_w, !r.site->no_power.empty()) : Value{};
     }},
    {"it_power", "W",
     [](const Result& r) {
       return r.site && r.site->power.it_w
                  ? Value{r.site->power.it_w, r.site->power.it_low_w, r.site->power.it_high_w}
                  : Value{};
     }},
    {"energy_per_year", "kWh",
     [](const Result& r) {
       return r.site ? number(r.site->power.facility_kwh_year, !r.site->no_power.empty()) : Value{};
     }},
    {"purchase", "USD",
     [](const Result& r) {
       return r.site && r.site->cost ? number(r.site->bill_total_usd, r.site->bill_is_open()) : Value{};
     }},
    {"year_of_owning", "USD",
     [](const Result& r) {
       return r.site && r.site->cost ? number(r.site->cost->year_usd, r.site->cost_is_open()) : Value{};
     }},
    {"total_cost", "USD",
     [](const Result& r) {
       const doc::PlanCandidate* c = chosen(r);
       return c ? number(c->total_usd, c->cost_is_open()) : Value{};
     }},
    {"sure_nodes", "1",
     [](const Result& r) {
       return sure(r) ? count(sure(r)->at->nodes + sure(r)->at->spares) : Value{};
     }},
    {"sure_purchase", "USD",
     [](const Result& r) {
       return sure(r) ? number(sure(r)->at->capex_usd, sure(r)->at->purchase_is_open()) : Value{};
     }},
};

bool says(const Value& v) {
  return v.value || !v.text.empty();
}

void add(Comparison& out, Comparison::Figure figure) {
  if (std::ranges::none_of(figure.values, says)) return;
  if (!figure.unit.empty())
    for (std::size_t i = 1; i < figure.values.size(); ++i)
      figure.differences.push_back(difference(figure.values.front(), figure.values[i]));
  out.figures.push_back(std::move(figure));
}

/// The time of each workload, where a result has several.
void add_workloads(Comparison& out, std::span<const ComparedResult> results) {
  if (std::ranges::all_of(results, [](const auto& r) { return r.result.workloads.size() < 2; })) return;
  std::vector<std::string> models;
  for (const ComparedResult& r : results)
    for (const doc::WorkloadResult& w : r.result.workloads)
      if (std::ranges::find(models, w.model) == models.end()) models.push_back(w.model);
  for (const std::string& model : models) {
    Comparison::Figure figure{"time_to_train", model, "s", {}, {}};
    for (const ComparedResult& r : results) {
      const auto found = std::ranges::find(r.result.workloads, model, &doc::WorkloadResult::model);
      figure.values.push_back(found == r.result.workloads.end() ? Value{}
                                                                : interval(found->performance.time_to_train));
    }
    add(out, std::move(figure));
  }
}

/// Leaves of the scenario by their JSON pointers; what only names or describes it is left out.
std::map<std::string, std::string> leaves(const doc::Any& scenario) {
  std::map<std::string, std::string> out;
  if (!scenario.value || !scenario.value->is_object()) return out;
  const doc::Written flat = scenario.value->flatten();
  for (const auto& [pointer, leaf] : flat.items()) {
    if (pointer == "/name" || pointer == "/description" || pointer == "/extends") continue;
    out[pointer] = leaf.is_string() ? leaf.template get<std::string>() : leaf.dump();
  }
  return out;
}

void add_inputs(Comparison& out, std::span<const ComparedResult> results) {
  std::vector<std::map<std::string, std::string>> scenarios;
  std::map<std::string, int> pointers;
  for (const ComparedResult& r : results) {
    scenarios.push_back(leaves(r.result.head.text));
    for (const auto& entry : scenarios.back()) ++pointers[entry.first];
  }
  for (const auto& entry : pointers) {
    Comparison::Input row{entry.first, {}};
    for (const auto& scenario : scenarios) {
      const auto found = scenario.find(entry.first);
      row.values.push_back(found == scenario.end() ? std::string{} : found->second);
    }
    if (std::ranges::all_of(row.values, [&](const std::string& v) { return v == row.values.front(); }))
      continue;
    if (out.inputs.size() < most_inputs)
      out.inputs.push_back(std::move(row));
    else
      ++out.more_inputs;
  }
}

}  // namespace

doc::Comparison compare(std::span<const ComparedResult> results) {
  if (results.size() < 2)
    throw Error{
        "there is one result, and nothing to compare it with", {}, "name two or more results or scenarios"};
  for (const ComparedResult& r : results)
    if (r.result.serving.has_value() != results.front().result.serving.has_value()) {
      const ComparedResult& first = results.front();
      throw Error{fmt::format("{} {} and {} {}: they have no time in common", first.file,
                              first.result.serving ? "serves" : "trains", r.file,
                              r.result.serving ? "serves" : "trains"),
                  {},
                  "compare trainings with trainings, and services with services"};
    }
  Comparison out;
  out.format = Comparison::format_name;
  out.program = "rackcast";
  out.program_version = version();
  out.commit = commit();
  for (const ComparedResult& r : results)
    out.results.push_back({r.file, r.result.head.name, r.result.head.kind, r.result.head.command});
  for (const FigureKind& kind : kinds) {
    Comparison::Figure figure{kind.name, {}, kind.unit, {}, {}};
    for (const ComparedResult& r : results) {
      figure.values.push_back(kind.always || has_cluster(r.result) ? kind.read(r.result) : Value{});
    }
    add(out, std::move(figure));
  }
  add_workloads(out, results);
  add_inputs(out, results);
  return out;
}

}  // namespace rackcast
