/// The result document of a fleet that serves.
#include "models/networks/workload.hpp"
#include "scenarios/document/whole.hpp"
#include "scenarios/result/result_document.hpp"
#include "scenarios/serving/service_search.hpp"
#include "scenarios/serving/token_server.hpp"
#include "scenarios/site/result_site.hpp"

namespace rackcast {

namespace {

constexpr double joules_per_kwh = 3.6e6;

std::optional<double> seconds(const std::optional<Duration>& value) {
  return value ? std::optional{value->base()} : std::nullopt;
}

/// One GPU under a load; without latencies where it is overloaded.
doc::Serving::Load load_document(const ServingResult& r) {
  doc::Serving::Load out;
  out.busy = r.utilisation;
  out.mean_batch = r.mean_batch;
  out.overloaded = r.saturated;
  if (r.saturated) return out;
  out.p50_s = r.p50.base();
  out.p90_s = r.p90.base();
  out.p99_s = r.p99.base();
  out.latency_s = r.asked.base();
  if (r.tokens) {
    out.first_token_p50_s = r.tokens->first_p50.base();
    out.first_token_s = r.tokens->first.base();
    out.token_p50_s = r.tokens->token_p50.base();
    out.token_s = r.tokens->token.base();
  }
  return out;
}

std::optional<double> money_of_life(const ServiceOption& o) {
  if (!o.site || !o.site->cost) return std::nullopt;
  return o.site->cost->own.over_life(o.site->cost->utilisation).base();
}

/// The cost of a million requests, owned; nothing where not all of them are answered.
std::optional<double> money_per_million(const ServiceOption& o, const ServiceSpec& s) {
  if (o.overloaded || !o.site || !o.site->cost) return std::nullopt;
  const CostReport& cost = *o.site->cost;
  return 1e6 * (cost.own.total(cost.utilisation) / s.rate).base();
}

std::optional<double> kwh_per_million(const ServiceOption& o, const ServiceSpec& s) {
  if (o.overloaded || !o.site || !o.site->power.known) return std::nullopt;
  return 1e6 * (o.site->power.facility / s.rate).base() / joules_per_kwh;
}

doc::Serving::Option option_document(const ServiceOption& o, const ServiceSpec& s) {
  doc::Serving::Option out;
  out.node = o.server->node().id;
  out.title = o.server->title();
  out.precision = to_string(o.server->precision());
  out.feasible = o.feasible();
  out.nodes = o.nodes();
  out.gpus = o.nodes() * o.server->node().gpus;
  out.needed = o.needed;
  out.gpu_requests_per_s = o.limits.front().rate.base() / o.server->node().gpus;
  out.single_s = o.server->single().base();
  out.binds = o.binds;
  out.nameplate_w = o.nameplate.base();
  out.total_usd = money_of_life(o);
  out.kwh_per_million = kwh_per_million(o, s);
  const MissingFacts missing = o.missing();
  out.no_price = missing.prices;
  out.no_power = missing.power;
  out.no_units = missing.units;
  for (const Conflict& c : o.conflicts) out.conflicts.push_back({std::string{to_string(c.limit)}, c.why});
  return out;
}

/// What a language model generates, token by token.
doc::Serving::Tokens tokens_document(const ServiceResult& r) {
  const ServiceSpec& s = *r.scenario.serving;
  const TokenService& t = *s.tokens;
  const auto money = money_per_million(r.chosen, s), energy = kwh_per_million(r.chosen, s);
  doc::Serving::Tokens out;
  out.prompt = t.prompt;
  out.output = t.output;
  out.first_token_limit_s = seconds(t.first);
  out.token_limit_s = seconds(t.token);
  out.first_token_percentile = t.first_percentile;
  out.token_percentile = t.token_percentile;
  if (const TokenServer* server = r.chosen.server->tokens()) {
    out.gpus_per_copy = server->gpus_per_copy();
    out.most_in_flight = server->most_in_flight();
  }
  out.tokens_per_s = t.output * s.rate.base();
  out.peak_tokens_per_s = t.output * s.peak_rate().base();
  if (money) out.usd_per_million = *money / t.output;
  if (energy) out.kwh_per_million = *energy / t.output;
  return out;
}

doc::Serving::Target target_document(const ServiceResult& r, const ServiceTarget& t) {
  const ServiceTime answer{r.fast_s, r.slow_s};
  const ServiceTime& interval = t.kind == Limit::first_token  ? r.first_token
                                : t.kind == Limit::token_time ? r.token
                                                              : answer;
  return {std::string{t.name()}, t.reached.base(), t.limit.base(),
          t.percentile,          interval.low_s,   interval.high_s};
}

/// What the fleet was found to take.
void fill_sizes(const ServiceResult& r, doc::Serving& out) {
  if (r.chosen.needed > 0) {
    out.at_peak = load_document(r.at_peak);
    if (!r.at_peak.saturated)
      for (const ServiceTarget& t : r.chosen.server->targets(r.at_peak))
        out.targets.push_back(target_document(r, t));
    out.all_up = load_document(r.all_up);
    out.latency_low_s = r.fast_s;
    out.latency_high_s = r.slow_s;
    out.in_time = r.in_time;
    out.nodes_low = r.least;
    out.nodes_high = r.most;
    out.busy = r.chosen.busy;
  }
  for (const ServiceHour& hour : r.day)
    out.day.push_back({hour.rate.base(), load_document(hour.gpu), hour.busy_low, hour.busy_high});
  for (const ServiceSize& size : r.sizes)
    out.sizes.push_back({size.nodes, load_document(size.gpu), size.low_s, size.high_s});
}

doc::Serving serving_document(const ServiceResult& r) {
  const ServiceSpec& s = *r.scenario.serving;
  const ServiceOption& o = r.chosen;
  doc::Serving out;
  out.model = s.model;
  out.title = load_workload(s.model).title;
  out.precision = to_string(o.server->precision());
  out.requests_per_s = s.rate.base();
  out.peak = s.peak();
  out.peak_requests_per_s = s.peak_rate().base();
  out.latency_s = seconds(s.token_limits().answer);
  out.percentile = s.percentile;
  out.max_batch = s.max_batch;
  out.needed = o.needed;
  out.spares = o.spares;
  out.availability_asked = s.availability;
  out.availability = o.availability;
  out.node_down = o.down;
  out.single_s = o.server->single().base();
  out.decode_s = o.server->decode().base();
  out.gpu_capacity_per_s = o.server->gpu_capacity().base();
  out.memory_bytes = o.server->memory().base();
  for (const ServiceLimit& limit : o.limits) out.limits.push_back({limit.name, limit.rate.base()});
  out.binds = o.binds;
  if (s.tokens) out.tokens = tokens_document(r);
  fill_sizes(r, out);
  for (const ServiceOption& option : r.options) out.options.push_back(option_document(option, s));
  out.usd_per_million = money_per_million(o, s);
  out.kwh_per_million = kwh_per_million(o, s);
  return out;
}

/// The choice and what limits are worth, as of a training.
doc::Plan service_plan(const ServiceResult& r) {
  doc::Plan out;
  out.objective = to_string(r.scenario.goal ? r.scenario.goal->objective : Objective::fewest_nodes);
  out.designs = static_cast<std::int64_t>(r.options.size());
  out.partial = r.partial;
  if (r.chosen.feasible()) out.chosen = service_candidate(r.chosen, r);
  out.confident = r.confident;
  out.relaxations = r.relaxations;
  for (const Conflict& c : r.conflict_set) {
    doc::Plan::Conflict& row = out.conflict_set.emplace_back();
    row.limit = to_string(c.limit);
    row.allowed = c.required;
    row.needed = c.best;
  }
  return out;
}

}  // namespace

std::string to_json_text(const ServiceResult& r) {
  doc::Result out;
  out.head = head_document(r.kind, r.command, r.scenario);
  out.partial = r.partial;
  out.answer = to_document(r.answer);
  if (r.kind == "size") out.plan = service_plan(r);
  out.serving = serving_document(r);
  if (r.chosen.site) out.site = site_document(*r.chosen.site);
  out.measured = to_document(r.measured);
  out.assumptions = r.assumptions;
  out.warnings = r.warnings;
  return doc::document_text(out);
}

}  // namespace rackcast
