/// The result document of a fleet that serves.
#include <nlohmann/json.hpp>

#include "scenarios/result_document.hpp"
#include "scenarios/serving/service_result.hpp"
#include "scenarios/serving/token_server.hpp"
#include "scenarios/site/result_site.hpp"

namespace rackcast {

namespace {

using Document = nlohmann::ordered_json;

constexpr double joules_per_kwh = 3.6e6;

template <class T>
Document or_null(const std::optional<T>& value) {
  return value ? Document(*value) : Document(nullptr);
}

/// One GPU under a load; without latencies where it is overloaded.
Document load_document(const ServingResult& r) {
  Document out = {{"busy", r.utilisation}, {"mean_batch", r.mean_batch}, {"overloaded", r.saturated}};
  const auto add = [&](const char* name, Duration d) {
    out[name] = r.saturated ? Document(nullptr) : Document(d.base());
  };
  add("p50_s", r.p50);
  add("p90_s", r.p90);
  add("p99_s", r.p99);
  add("latency_s", r.asked);
  if (r.tokens) {
    add("first_token_p50_s", r.tokens->first_p50);
    add("first_token_s", r.tokens->first);
    add("token_p50_s", r.tokens->token_p50);
    add("token_s", r.tokens->token);
  }
  return out;
}

Document limits_document(const std::vector<ServiceLimit>& limits) {
  Document out = Document::array();
  for (const ServiceLimit& limit : limits)
    out.push_back({{"name", limit.name}, {"requests_per_s", limit.rate.base()}});
  return out;
}

std::optional<double> money_of_life(const ServiceOption& o) {
  if (!o.site || !o.site->cost) return std::nullopt;
  return o.site->cost->own.over_life(o.site->cost->utilisation).base();
}

/// The cost of a million requests, owned.
std::optional<double> money_per_million(const ServiceOption& o, const ServiceSpec& s) {
  if (!o.site || !o.site->cost) return std::nullopt;
  const CostReport& cost = *o.site->cost;
  return 1e6 * (cost.own.total(cost.utilisation) / s.rate).base();
}

std::optional<double> kwh_per_million(const ServiceOption& o, const ServiceSpec& s) {
  if (!o.site || !o.site->power.known) return std::nullopt;
  return 1e6 * (o.site->power.facility / s.rate).base() / joules_per_kwh;
}

Document option_document(const ServiceOption& o, const ServiceSpec& s) {
  Document out = {{"node", o.server->node().id},
                  {"title", o.server->title()},
                  {"precision", to_string(o.server->precision())},
                  {"feasible", o.feasible()},
                  {"nodes", o.nodes()},
                  {"gpus", o.nodes() * o.server->node().gpus},
                  {"needed", o.needed},
                  {"gpu_requests_per_s", o.limits.front().rate.base() / o.server->node().gpus},
                  {"single_s", o.server->single().base()},
                  {"binds", o.binds},
                  {"nameplate_w", o.nameplate.base()},
                  {"total_usd", or_null(money_of_life(o))},
                  {"kwh_per_million", or_null(kwh_per_million(o, s))}};
  if (const MissingFacts missing = o.missing(); !missing.none()) out["missing"] = missing_document(missing);
  out["conflicts"] = Document::array();
  for (const Conflict& c : o.conflicts)
    out["conflicts"].push_back({{"constraint", c.constraint}, {"statement", c.statement}});
  return out;
}

Document seconds_or_null(const std::optional<Duration>& value) {
  return value ? Document(value->base()) : Document(nullptr);
}

/// What a language model generates, token by token.
Document tokens_document(const ServiceResult& r) {
  const ServiceSpec& s = *r.scenario.serving;
  const ServiceOption& o = r.chosen;
  const TokenService& t = *s.tokens;
  const TokenServer* server = o.server->tokens();
  const auto money = money_per_million(o, s), energy = kwh_per_million(o, s);
  return {{"prompt", t.prompt},
          {"output", t.output},
          {"first_token_limit_s", seconds_or_null(t.first)},
          {"token_limit_s", seconds_or_null(t.token)},
          {"gpus_per_copy", server ? Document(server->gpus_per_copy()) : Document(nullptr)},
          {"most_in_flight", server ? Document(server->most_in_flight()) : Document(nullptr)},
          {"tokens_per_s", t.output * s.rate.base()},
          {"peak_tokens_per_s", t.output * s.peak_rate().base()},
          {"usd_per_million_tokens", money ? Document(*money / t.output) : Document(nullptr)},
          {"kwh_per_million_tokens", energy ? Document(*energy / t.output) : Document(nullptr)}};
}

Document serving_document(const ServiceResult& r) {
  const ServiceSpec& s = *r.scenario.serving;
  const ServiceOption& o = r.chosen;
  Document out = {{"model", s.model},
                  {"precision", to_string(o.server->precision())},
                  {"requests_per_s", s.rate.base()},
                  {"peak", s.peak()},
                  {"peak_requests_per_s", s.peak_rate().base()},
                  {"latency_s", seconds_or_null(s.token_limits().answer)},
                  {"percentile", s.percentile},
                  {"max_batch", s.max_batch},
                  {"needed", o.needed},
                  {"spares", o.spares},
                  {"availability",
                   {{"asked", or_null(s.availability)}, {"reached", o.availability}, {"node_down", o.down}}},
                  {"single_s", o.server->single().base()},
                  {"decode_s", o.server->decode().base()},
                  {"gpu_capacity_per_s", o.server->gpu_capacity().base()},
                  {"memory_bytes", o.server->memory().base()},
                  {"limits", limits_document(o.limits)},
                  {"binds", o.binds}};
  if (s.tokens) out["tokens"] = tokens_document(r);
  if (o.needed > 0) {
    out["at_peak"] = load_document(r.at_peak);
    out["all_up"] = load_document(r.all_up);
    out["interval"] = {{"latency_low_s", or_null(r.fast_s)},
                       {"latency_high_s", or_null(r.slow_s)},
                       {"nodes_low", or_null(r.least)},
                       {"nodes_high", or_null(r.most)}};
    out["busy"] = o.busy;
  }
  out["day"] = Document::array();
  for (const ServiceHour& hour : r.day) {
    Document row = {{"requests_per_s", hour.rate.base()}};
    row.update(load_document(hour.gpu));
    row["busy_low"] = hour.busy_low;
    row["busy_high"] = hour.busy_high;
    out["day"].push_back(row);
  }
  out["sizes"] = Document::array();
  for (const ServiceSize& size : r.sizes) {
    Document row = {{"nodes", size.nodes}};
    row.update(load_document(size.gpu));
    row["latency_low_s"] = or_null(size.low_s);
    row["latency_high_s"] = or_null(size.high_s);
    out["sizes"].push_back(row);
  }
  out["options"] = Document::array();
  for (const ServiceOption& option : r.options) out["options"].push_back(option_document(option, s));
  out["relaxations"] = Document::array();
  for (const ServiceRelaxation& x : r.relaxations)
    out["relaxations"].push_back({{"limit", x.limit},
                                  {"now", x.now},
                                  {"relaxed", x.relaxed},
                                  {"binds", x.binds},
                                  {"statement", x.statement}});
  out["usd_per_million"] = or_null(money_per_million(o, s));
  out["kwh_per_million"] = or_null(kwh_per_million(o, s));
  return out;
}

/// How the time of a request comes about.
std::vector<MethodRow> time_method(bool tokens) {
  if (tokens)
    return {
        {"Time of a pass",
         "token(d) + rows(d + p) - rows(d) + p / prompt x attention, of d requests in flight and p tokens of "
         "prompts",
         "models/token_generation.hpp; models/generation_load.hpp; kernels as fitted on measured ones"},
        {"Time to the first token, per output token",
         "requests come at random (Poisson) and wait for a place, first come, first served; every pass gives "
         "each request in flight a token and takes what prompts fit (continuous batching, Orca 2022, with "
         "prompts in pieces, Sarathi-Serve 2024); simulated pass by pass",
         "models/generation_service.hpp"}};
  return {{"Time of a batch",
           "forward kernels in a queue that the host fills: end = max(previous end, issued) + kernel",
           "models/gpu_step.hpp; models/gpu_kernel.hpp; efficiencies fitted on measured kernels"},
          {"Latency",
           "decoding on a core + wait for the GPU + time of its batch; the GPU takes what waits, at most a "
           "full batch; requests arrive at random, simulated",
           "models/serving.hpp"}};
}

std::vector<MethodRow> serving_method(bool tokens) {
  std::vector<MethodRow> out = time_method(tokens);
  const std::vector<MethodRow> rest{
      {"Load of a GPU", "busiest hour / (nodes x GPUs of a node): each request goes to a GPU drawn at random",
       "scenarios/serving/service_node.cpp"},
      {"Nodes", "galloping, then halving the interval; one node fewer is simulated and fails",
       "scenarios/serving/service_fleet.cpp"},
      {"Spares",
       "least k with P(at most k of n + k nodes are down) >= availability, nodes fail independently "
       "(binomial)",
       "models/serving_fleet.hpp"},
      {"Share of the time that a node is down",
       "(detection + restart + replaced parts x repair) / (time between failures + the same)",
       "models/reliability/failure_rates.hpp"},
      {"90 % interval", "every batch 1.645 standard deviations of the kernels' fit slower or faster",
       "models/gpu_step.hpp"},
  };
  out.insert(out.end(), rest.begin(), rest.end());
  return out;
}

}  // namespace

std::string to_json_text(const ServiceResult& r) {
  Document out = head_document(r.kind, r.command, r.scenario);
  if (r.partial) out["partial"] = true;
  out["answer"] = answer_document(r.answer);
  out["prediction"] = nullptr;
  out["workloads"] = Document::array();
  out["serving"] = serving_document(r);
  out["method"] = method_document(serving_method(r.scenario.serving->tokens.has_value()));
  if (r.chosen.site) out["site"] = site_document(*r.chosen.site);
  out["assumptions"] = assumptions_document(r.assumptions);
  out["warnings"] = r.warnings;
  return out.dump(1) + "\n";
}

}  // namespace rackcast
