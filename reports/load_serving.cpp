#include "reports/load_serving.hpp"

#include "reports/format.hpp"
#include "reports/load_members.hpp"
#include "reports/load_plan.hpp"

namespace rackcast::reports {
namespace {

Serving::Load read_load(const Json& json) {
  return {amount(json, "busy"),
          amount(json, "mean_batch"),
          json.require("overloaded").boolean(),
          optional_amount(json, "p50_s"),
          optional_amount(json, "p90_s"),
          optional_amount(json, "p99_s"),
          optional_amount(json, "latency_s"),
          optional_amount(json, "first_token_p50_s"),
          optional_amount(json, "first_token_s"),
          optional_amount(json, "token_p50_s"),
          optional_amount(json, "token_s")};
}

Serving::Tokens read_tokens(const Json& json) {
  Serving::Tokens out;
  out.prompt = amount(json, "prompt");
  out.output = amount(json, "output");
  out.tokens_per_s = amount(json, "tokens_per_s");
  out.peak_tokens_per_s = amount(json, "peak_tokens_per_s");
  out.first_token_limit_s = optional_amount(json, "first_token_limit_s");
  out.token_limit_s = optional_amount(json, "token_limit_s");
  out.usd_per_million = optional_amount(json, "usd_per_million_tokens");
  out.kwh_per_million = optional_amount(json, "kwh_per_million_tokens");
  out.gpus_per_copy = optional_count(json, "gpus_per_copy");
  out.most_in_flight = optional_count(json, "most_in_flight");
  return out;
}

Serving::Option read_option(const Json& json) {
  Serving::Option out;
  out.node = json.require("node").string();
  out.title = text_or_empty(json, "title");
  out.precision = text_or_empty(json, "precision");
  out.binds = text_or_empty(json, "binds");
  out.feasible = json.require("feasible").boolean();
  out.nodes = count(json.require("nodes"));
  out.gpus = count(json.require("gpus"));
  out.needed = count(json.require("needed"));
  out.gpu_requests_per_s = amount(json, "gpu_requests_per_s");
  out.single_s = amount(json, "single_s");
  out.nameplate_w = amount(json, "nameplate_w");
  out.total_usd = optional_amount(json, "total_usd");
  out.kwh_per_million = optional_amount(json, "kwh_per_million");
  if (const Json* missing = optional_member(json, "missing")) {
    const auto lacks = [missing](std::string_view what) {
      return !read_list(*missing, what, [](const Json& one) { return one.string(); }).empty();
    };
    out.power_is_open = lacks("power");
    out.cost_is_open = out.power_is_open || lacks("prices") || lacks("units");
  }
  const auto conflicts =
      read_list(json, "conflicts", [](const Json& c) { return c.require("constraint").string(); });
  for (const std::string& one : conflicts) {
    out.conflict += (out.conflict.empty() ? "" : ", ") + limit_title(one);
  }
  return out;
}

}  // namespace

Serving read_serving(const Json& json) {
  Serving out;
  out.model = json.require("model").string();
  out.precision = text_or_empty(json, "precision");
  out.binds = text_or_empty(json, "binds");
  out.requests_per_s = amount(json, "requests_per_s");
  out.peak = amount(json, "peak");
  out.peak_requests_per_s = amount(json, "peak_requests_per_s");
  out.latency_s = optional_amount(json, "latency_s");
  if (const Json* tokens = optional_member(json, "tokens")) {
    out.tokens = read_tokens(*tokens);
  }
  out.percentile = amount(json, "percentile");
  out.single_s = amount(json, "single_s");
  out.decode_s = amount(json, "decode_s");
  out.gpu_capacity_per_s = amount(json, "gpu_capacity_per_s");
  out.memory_bytes = optional_amount(json, "memory_bytes");
  out.max_batch = count(json.require("max_batch"));
  out.needed = count(json.require("needed"));
  out.spares = count(json.require("spares"));
  const Json& availability = json.require("availability");
  out.availability_asked = optional_amount(availability, "asked");
  out.availability = amount(availability, "reached");
  out.node_down = amount(availability, "node_down");
  if (const Json* busy = optional_member(json, "busy")) {
    out.busy = busy->number();
  }
  if (const Json* interval = optional_member(json, "interval")) {
    out.latency_low_s = optional_amount(*interval, "latency_low_s");
    out.latency_high_s = optional_amount(*interval, "latency_high_s");
    out.nodes_low = optional_count(*interval, "nodes_low");
    out.nodes_high = optional_count(*interval, "nodes_high");
  }
  if (const Json* load = optional_member(json, "at_peak")) {
    out.at_peak = read_load(*load);
  }
  if (const Json* load = optional_member(json, "all_up")) {
    out.all_up = read_load(*load);
  }
  out.limits = read_list(json, "limits", [](const Json& limit) {
    return Serving::Limit{limit.require("name").string(), amount(limit, "requests_per_s")};
  });
  out.day = read_list(json, "day", [](const Json& hour) {
    return Serving::Hour{amount(hour, "requests_per_s"), read_load(hour), optional_amount(hour, "busy_low"),
                         optional_amount(hour, "busy_high")};
  });
  out.sizes = read_list(json, "sizes", [](const Json& size) {
    return Serving::Size{count(size.require("nodes")), read_load(size),
                         optional_amount(size, "latency_low_s"), optional_amount(size, "latency_high_s")};
  });
  out.options = read_list(json, "options", read_option);
  out.relaxations = read_relaxations(json);
  out.usd_per_million = optional_amount(json, "usd_per_million");
  out.kwh_per_million = optional_amount(json, "kwh_per_million");
  return out;
}

}  // namespace rackcast::reports
