#pragma once
/// Keys, units and meanings of the structs of scenarios/document/serving.hpp.
#include "scenarios/document/fields/plan.hpp"
#include "scenarios/document/form/reason_form.hpp"
#include "scenarios/document/serving.hpp"

namespace rackcast::doc {

template <>
struct Fields<Serving::Load> {
  static constexpr std::string_view name = "serving_load";
  static constexpr std::string_view meaning =
      "One GPU under a load; latencies are null where it is overloaded.";
  static void each(const auto& visit) {
    visit(field("busy", &Serving::Load::busy));
    visit(field("mean_batch", &Serving::Load::mean_batch));
    visit(field("overloaded", &Serving::Load::overloaded));
    visit(field("p50_s", &Serving::Load::p50_s));
    visit(field("p90_s", &Serving::Load::p90_s));
    visit(field("p99_s", &Serving::Load::p99_s));
    visit(field("latency_s", &Serving::Load::latency_s, "at the percentile that is asked"));
    visit(field("first_token_p50_s", &Serving::Load::first_token_p50_s,
                "of a language model: half of the first tokens come within it")
              .omitted());
    visit(field("first_token_s", &Serving::Load::first_token_s, "at the percentile that is asked").omitted());
    visit(field("token_p50_s", &Serving::Load::token_p50_s,
                "per output token after the first, mean over an answer")
              .omitted());
    visit(field("token_s", &Serving::Load::token_s, "at the percentile that is asked").omitted());
  }
};

template <>
struct Fields<Serving::Limit> {
  static constexpr std::string_view name = "serving_limit";
  static constexpr std::string_view meaning = "What one node takes.";
  static void each(const auto& visit) {
    visit(field("name", &Serving::Limit::name).needed());
    visit(field("requests_per_s", &Serving::Limit::requests_per_s));
  }
};

template <>
struct Fields<Serving::Hour> {
  static constexpr std::string_view name = "serving_hour";
  static void each(const auto& visit) {
    visit(field("requests_per_s", &Serving::Hour::requests_per_s));
    visit(field("", &Serving::Hour::gpu));
    visit(field("busy_low", &Serving::Hour::busy_low, "90 % interval of busy: the kernels' fit"));
    visit(field("busy_high", &Serving::Hour::busy_high));
  }
};

template <>
struct Fields<Serving::Size> {
  static constexpr std::string_view name = "serving_size";
  static constexpr std::string_view meaning = "The busiest hour on another number of nodes.";
  static void each(const auto& visit) {
    visit(field("nodes", &Serving::Size::nodes));
    visit(field("", &Serving::Size::gpu));
    visit(field("latency_low_s", &Serving::Size::latency_low_s, "90 % interval of latency_s"));
    visit(field("latency_high_s", &Serving::Size::latency_high_s, "null: overloaded"));
  }
};

template <>
struct Fields<Serving::Conflict> {
  static constexpr std::string_view name = "serving_conflict";
  static void each(const auto& visit) {
    visit(field("constraint", &Serving::Conflict::constraint).needed());
    visit(field("why", &Serving::Conflict::why).omitted());
  }
};

template <>
struct Fields<Serving::Option> {
  static constexpr std::string_view name = "serving_option";
  static void each(const auto& visit) {
    visit(field("node", &Serving::Option::node).needed());
    visit(field("title", &Serving::Option::title));
    visit(field("precision", &Serving::Option::precision));
    visit(field("feasible", &Serving::Option::feasible));
    visit(field("nodes", &Serving::Option::nodes));
    visit(field("gpus", &Serving::Option::gpus));
    visit(field("needed", &Serving::Option::needed, "nodes that the busiest hour takes"));
    visit(field("gpu_requests_per_s", &Serving::Option::gpu_requests_per_s,
                "of one GPU, whatever the latency"));
    visit(field("single_s", &Serving::Option::single_s, "a lone request"));
    visit(field("binds", &Serving::Option::binds));
    visit(field("nameplate_w", &Serving::Option::nameplate_w));
    visit(field("total_usd", &Serving::Option::total_usd));
    visit(field("kwh_per_million", &Serving::Option::kwh_per_million, "requests"));
    visit(field("missing.prices", &Serving::Option::no_price, "what sums leave out, because it has no price")
              .omitted());
    visit(field("missing.power", &Serving::Option::no_power, "likewise: no power").omitted());
    visit(field("missing.units", &Serving::Option::no_units, "likewise: no height in rack units").omitted());
    visit(field("conflicts", &Serving::Option::conflicts));
  }
};

template <>
struct Fields<Serving::Tokens> {
  static constexpr std::string_view name = "serving_tokens";
  static constexpr std::string_view meaning = "Of a language model that answers token by token.";
  static void each(const auto& visit) {
    visit(field("prompt", &Serving::Tokens::prompt, "tokens of a request").from(1));
    visit(field("output", &Serving::Tokens::output, "tokens of an answer").from(1));
    visit(field("first_token_percentile", &Serving::Tokens::first_token_percentile,
                "share of the requests that keep the limit to the first token")
              .up_to(1));
    visit(field("token_percentile", &Serving::Tokens::token_percentile,
                "share of the requests that keep the limit per output token")
              .up_to(1));
    visit(field("first_token_limit_s", &Serving::Tokens::first_token_limit_s));
    visit(field("token_limit_s", &Serving::Tokens::token_limit_s));
    visit(field("gpus_per_copy", &Serving::Tokens::gpus_per_copy).from(1));
    visit(field("most_in_flight", &Serving::Tokens::most_in_flight, "requests of a copy").from(1));
    visit(field("tokens_per_s", &Serving::Tokens::tokens_per_s,
                "of answers, of the whole fleet, mean over the day"));
    visit(field("peak_tokens_per_s", &Serving::Tokens::peak_tokens_per_s));
    visit(field("usd_per_million_tokens", &Serving::Tokens::usd_per_million));
    visit(field("kwh_per_million_tokens", &Serving::Tokens::kwh_per_million));
  }
};

template <>
struct Fields<Serving::Target> {
  static constexpr std::string_view name = "serving_target";
  static constexpr std::string_view meaning = "A limit on time, and what requests take in the busiest hour.";
  static void each(const auto& visit) {
    visit(field("limit", &Serving::Target::limit).needed());
    visit(field("reached_s", &Serving::Target::reached_s));
    visit(field("limit_s", &Serving::Target::limit_s));
    visit(field("percentile", &Serving::Target::percentile, "of the requests").up_to(1));
    visit(field("reached_low_s", &Serving::Target::low_s, "90 % interval of reached_s").omitted());
    visit(field("reached_high_s", &Serving::Target::high_s, "absent: overloaded").omitted());
  }
};

template <>
struct Fields<Serving> {
  static constexpr std::string_view name = "serving";
  static constexpr std::string_view meaning = "A fleet that serves.";
  static void each(const auto& visit) {
    visit(field("model", &Serving::model).needed());
    visit(field("title", &Serving::title, "of the network, for people"));
    visit(field("precision", &Serving::precision));
    visit(field("requests_per_s", &Serving::requests_per_s, "mean over the day"));
    visit(field("peak", &Serving::peak, "busiest hour over the mean"));
    visit(field("peak_requests_per_s", &Serving::peak_requests_per_s));
    visit(field("latency_s", &Serving::latency_s,
                "limit on the whole answer; null where a language model has none"));
    visit(field("percentile", &Serving::percentile).up_to(1));
    visit(field("max_batch", &Serving::max_batch));
    visit(field("needed", &Serving::needed, "nodes that the busiest hour takes; the answer adds the spares"));
    visit(field("spares", &Serving::spares));
    visit(field("availability.asked", &Serving::availability_asked));
    visit(field("availability.reached", &Serving::availability));
    visit(field("availability.node_down", &Serving::node_down, "share of the time"));
    visit(field("single_s", &Serving::single_s, "a lone request"));
    visit(field("decode_s", &Serving::decode_s));
    visit(field("gpu_capacity_per_s", &Serving::gpu_capacity_per_s, "of one GPU, whatever the latency"));
    visit(field("memory_bytes", &Serving::memory_bytes));
    visit(field("targets", &Serving::targets).omitted());
    visit(field("limits", &Serving::limits, "what one node takes"));
    visit(field("binds", &Serving::binds));
    visit(field("tokens", &Serving::tokens).omitted());
    visit(field("at_peak", &Serving::at_peak).omitted());
    visit(field("all_up", &Serving::all_up).omitted());
    visit(field("interval.latency_low_s", &Serving::latency_low_s, "at the ends of the model's 90 % interval")
              .omitted());
    visit(field("interval.latency_high_s", &Serving::latency_high_s).omitted());
    visit(field("in_time_probability", &Serving::in_time,
                "that the busiest hour keeps every limit on time, by the errors of the kernels' times and of "
                "what "
                "first tokens take beside their passes")
              .up_to(1)
              .omitted());
    visit(field("interval.nodes_low", &Serving::nodes_low).omitted());
    visit(
        field("interval.nodes_high", &Serving::nodes_high, "absent: no number of nodes is enough").omitted());
    visit(field("busy", &Serving::busy, "of the GPUs, mean over the day with all nodes up").omitted());
    visit(field("day", &Serving::day, "hours from midnight on, all nodes up"));
    visit(field("sizes", &Serving::sizes, "the busiest hour on other numbers of nodes"));
    visit(field("options", &Serving::options, "in the order of the search"));
    visit(field("usd_per_million", &Serving::usd_per_million, "requests, owned"));
    visit(field("kwh_per_million", &Serving::kwh_per_million));
  }
};

}  // namespace rackcast::doc
