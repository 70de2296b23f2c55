#include "reports/load_plan.hpp"

#include "reports/load_members.hpp"

namespace rackcast::reports {
namespace {

std::vector<std::string> names(const Json& owner, std::string_view key) {
  return read_list(owner, key, [](const Json& name) { return name.string(); });
}

bool yes(const Json& owner, std::string_view key) {
  const Json* found = optional_member(owner, key);
  return found != nullptr && found->boolean();
}

PlanCandidate read_candidate(const Json& json) {
  PlanCandidate c;
  c.node = text_or_empty(json, "node");
  c.node_title = json.require("node_title").string();
  c.network = text_or_empty(json, "network");
  c.storage = text_or_empty(json, "storage");
  c.nodes = count(json.require("nodes"));
  c.gpus = count(json.require("gpus"));
  c.spares = optional_count(json, "spares").value_or(0);
  if (const Json* missing = optional_member(json, "missing")) {
    const auto lacks = [missing](std::string_view what) {
      return !names(*missing, what).empty();
    };
    c.energy_is_open = lacks("power");
    c.purchase_is_open = lacks("prices") || lacks("units");
    c.cost_is_open = c.purchase_is_open || c.energy_is_open;
  }
  c.time_s = optional_amount(json, "time_s");
  c.time_low_s = optional_amount(json, "time_low_s");
  c.time_high_s = optional_amount(json, "time_high_s");
  c.energy_j = optional_amount(json, "energy_j");
  c.capex_usd = optional_amount(json, "capex_usd");
  c.opex_usd_per_year = optional_amount(json, "opex_usd_per_year");
  c.total_usd = optional_amount(json, "total_usd");
  c.rack_units = optional_amount(json, "rack_units");
  c.nameplate_w = optional_amount(json, "nameplate_w");
  c.racks = optional_count(json, "racks");
  c.breaks = names(json, "breaks");
  c.workloads = read_list(json, "workloads", [](const Json& w) {
    return PlanCandidate::Workload{w.require("model").string(),
                                   text_or_empty(w, "precision"),
                                   text_or_empty(w, "framework"),
                                   text_or_empty(w, "exchange"),
                                   optional_amount(w, "batch_per_gpu").value_or(0),
                                   text_or_empty(w, "parallelism"),
                                   optional_amount(w, "memory_bytes_per_gpu")};
  });
  return c;
}

std::optional<PlanCandidate> optional_candidate(const Json& owner, std::string_view key) {
  const Json* found = optional_member(owner, key);
  return found == nullptr ? std::nullopt : std::optional(read_candidate(*found));
}

}  // namespace

std::vector<Plan::Relaxation> read_relaxations(const Json& json) {
  return read_list(json, "relaxations", [](const Json& r) {
    return Plan::Relaxation{
        r.require("limit").string(),   text_or_empty(r, "now"), text_or_empty(r, "relaxed"),
        text_or_empty(r, "statement"), yes(r, "binds"),         optional_candidate(r, "answer"),
        optional_amount(r, "used")};
  });
}

Plan read_plan(const Json& json) {
  Plan plan;
  plan.objective = json.require("objective").string();
  plan.statement = text_or_empty(json, "statement");
  plan.smaller_statement = text_or_empty(json, "smaller_statement");
  plan.designs = optional_count(json, "designs").value_or(0);
  plan.variants = optional_count(json, "variants").value_or(1);
  plan.judged = optional_count(json, "judged").value_or(0);
  plan.simulated = optional_count(json, "simulated").value_or(0);
  plan.partial = yes(json, "partial");
  plan.chosen = optional_candidate(json, "chosen");
  plan.nearest = optional_candidate(json, "nearest");
  plan.options = read_list(json, "options", [](const Json& o) {
    return Plan::Option{o.require("node_title").string(), text_or_empty(o, "network"),
                        text_or_empty(o, "storage"), optional_candidate(o, "best"), names(o, "conflict")};
  });
  plan.front = read_list(json, "front", read_candidate);
  plan.relaxations = read_relaxations(json);
  plan.conflict_set = read_list(json, "conflict_set", [](const Json& c) {
    return Plan::Conflict{c.require("limit").string(), text_or_empty(c, "allowed"),
                          text_or_empty(c, "needed"), text_or_empty(c, "statement"), yes(c, "alone")};
  });
  plan.refused = names(json, "refused");
  return plan;
}

}  // namespace rackcast::reports
