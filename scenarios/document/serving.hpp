#pragma once
/// A fleet that serves, in a result document.
#include "scenarios/document/form/reason.hpp"
#include "scenarios/document/plan.hpp"

namespace rackcast::doc {

struct Serving {
  /// One GPU under a load.
  struct Load {
    double busy = 0, mean_batch = 0;
    bool overloaded = false;
    std::optional<double> p50_s, p90_s, p99_s, latency_s;
    std::optional<double> first_token_p50_s, first_token_s, token_p50_s, token_s;
  };
  struct Limit {
    std::string name;
    double requests_per_s = 0;
  };
  struct Hour {
    double requests_per_s = 0;
    Load gpu;
    std::optional<double> busy_low, busy_high;
  };
  struct Size {
    std::int64_t nodes = 0;
    Load gpu;
    std::optional<double> latency_low_s, latency_high_s;
  };
  struct Conflict {
    std::string constraint;
    std::optional<Reason> why;
  };
  struct Option {
    std::string node, title, precision, binds;
    bool feasible = false;
    std::int64_t nodes = 0, gpus = 0, needed = 0;
    double gpu_requests_per_s = 0, single_s = 0, nameplate_w = 0;
    std::optional<double> total_usd, kwh_per_million;
    std::vector<std::string> no_price, no_power,
        no_units;  ///< what the sums leave out: then they are "at least"
    std::vector<Conflict> conflicts;

    [[nodiscard]] bool power_is_open() const { return !no_power.empty(); }
    [[nodiscard]] bool cost_is_open() const {
      return power_is_open() || !no_price.empty() || !no_units.empty();
    }
  };
  /// What a language model generates.
  struct Tokens {
    double prompt = 0, output = 0, tokens_per_s = 0, peak_tokens_per_s = 0;
    std::optional<double> first_token_percentile, token_percentile;  ///< null: that of the service
    std::optional<double> first_token_limit_s, token_limit_s, usd_per_million, kwh_per_million;
    std::optional<std::int64_t> gpus_per_copy, most_in_flight;
  };
  /// A limit on time, and what requests take in the busiest hour.
  struct Target {
    std::string limit;
    double reached_s = 0, limit_s = 0, percentile = 0;
    std::optional<double> low_s, high_s;
  };
  std::string model, title, precision, binds;
  double requests_per_s = 0, peak = 1, peak_requests_per_s = 0, percentile = 0, single_s = 0, decode_s = 0,
         gpu_capacity_per_s = 0, availability = 1, node_down = 0, busy = 0;
  std::optional<double> latency_s, availability_asked, latency_low_s, latency_high_s, usd_per_million,
      kwh_per_million, memory_bytes, in_time;
  std::int64_t max_batch = 1, needed = 0, spares = 0;
  std::optional<std::int64_t> nodes_low, nodes_high;
  std::optional<Tokens> tokens;
  std::optional<Load> at_peak, all_up;
  std::vector<Target> targets;
  std::vector<Limit> limits;
  std::vector<Hour> day;
  std::vector<Size> sizes;
  std::vector<Option> options;
};

template <>
struct Fields<Serving::Load> {
  static constexpr std::string_view name = "serving_load";
  static constexpr std::string_view meaning =
      "One GPU under a load; latencies are null where it is overloaded.";
  static constexpr auto list = std::tuple{
      field("busy", &Serving::Load::busy),
      field("mean_batch", &Serving::Load::mean_batch),
      field("overloaded", &Serving::Load::overloaded),
      field("p50_s", &Serving::Load::p50_s),
      field("p90_s", &Serving::Load::p90_s),
      field("p99_s", &Serving::Load::p99_s),
      field("latency_s", &Serving::Load::latency_s, "at the percentile that is asked"),
      field("first_token_p50_s", &Serving::Load::first_token_p50_s,
            "of a language model: half of the first tokens come within it")
          .omitted(),
      field("first_token_s", &Serving::Load::first_token_s, "at the percentile that is asked").omitted(),
      field("token_p50_s", &Serving::Load::token_p50_s,
            "per output token after the first, mean over an answer")
          .omitted(),
      field("token_s", &Serving::Load::token_s, "at the percentile that is asked").omitted(),
  };
};
template <>
struct Fields<Serving::Limit> {
  static constexpr std::string_view name = "serving_limit";
  static constexpr std::string_view meaning = "What one node takes.";
  static constexpr auto list = std::tuple{
      field("name", &Serving::Limit::name).needed(),
      field("requests_per_s", &Serving::Limit::requests_per_s),
  };
};
template <>
struct Fields<Serving::Hour> {
  static constexpr std::string_view name = "serving_hour";
  static constexpr auto list = std::tuple{
      field("requests_per_s", &Serving::Hour::requests_per_s),
      field("", &Serving::Hour::gpu),
      field("busy_low", &Serving::Hour::busy_low, "90 % interval of busy: the kernels' fit"),
      field("busy_high", &Serving::Hour::busy_high),
  };
};
template <>
struct Fields<Serving::Size> {
  static constexpr std::string_view name = "serving_size";
  static constexpr std::string_view meaning = "The busiest hour on another number of nodes.";
  static constexpr auto list = std::tuple{
      field("nodes", &Serving::Size::nodes),
      field("", &Serving::Size::gpu),
      field("latency_low_s", &Serving::Size::latency_low_s, "90 % interval of latency_s"),
      field("latency_high_s", &Serving::Size::latency_high_s, "null: overloaded"),
  };
};
template <>
struct Fields<Serving::Conflict> {
  static constexpr std::string_view name = "serving_conflict";
  static constexpr auto list = std::tuple{
      field("constraint", &Serving::Conflict::constraint).needed(),
      field("why", &Serving::Conflict::why).omitted(),
  };
};
template <>
struct Fields<Serving::Option> {
  static constexpr std::string_view name = "serving_option";
  static constexpr auto list = std::tuple{
      field("node", &Serving::Option::node).needed(),
      field("title", &Serving::Option::title),
      field("precision", &Serving::Option::precision),
      field("feasible", &Serving::Option::feasible),
      field("nodes", &Serving::Option::nodes),
      field("gpus", &Serving::Option::gpus),
      field("needed", &Serving::Option::needed, "nodes that the busiest hour takes"),
      field("gpu_requests_per_s", &Serving::Option::gpu_requests_per_s, "of one GPU, whatever the latency"),
      field("single_s", &Serving::Option::single_s, "a lone request"),
      field("binds", &Serving::Option::binds),
      field("nameplate_w", &Serving::Option::nameplate_w),
      field("total_usd", &Serving::Option::total_usd),
      field("kwh_per_million", &Serving::Option::kwh_per_million, "requests"),
      field("missing.prices", &Serving::Option::no_price, "what sums leave out, because it has no price")
          .omitted(),
      field("missing.power", &Serving::Option::no_power, "likewise: no power").omitted(),
      field("missing.units", &Serving::Option::no_units, "likewise: no height in rack units").omitted(),
      field("conflicts", &Serving::Option::conflicts),
  };
};
template <>
struct Fields<Serving::Tokens> {
  static constexpr std::string_view name = "serving_tokens";
  static constexpr std::string_view meaning = "Of a language model that answers token by token.";
  static constexpr auto list = std::tuple{
      field("prompt", &Serving::Tokens::prompt, "tokens of a request").from(1),
      field("output", &Serving::Tokens::output, "tokens of an answer").from(1),
      field("first_token_percentile", &Serving::Tokens::first_token_percentile,
            "share of the requests that keep the limit to the first token")
          .up_to(1),
      field("token_percentile", &Serving::Tokens::token_percentile,
            "share of the requests that keep the limit per output token")
          .up_to(1),
      field("first_token_limit_s", &Serving::Tokens::first_token_limit_s),
      field("token_limit_s", &Serving::Tokens::token_limit_s),
      field("gpus_per_copy", &Serving::Tokens::gpus_per_copy).from(1),
      field("most_in_flight", &Serving::Tokens::most_in_flight, "requests of a copy").from(1),
      field("tokens_per_s", &Serving::Tokens::tokens_per_s,
            "of answers, of the whole fleet, mean over the day"),
      field("peak_tokens_per_s", &Serving::Tokens::peak_tokens_per_s),
      field("usd_per_million_tokens", &Serving::Tokens::usd_per_million),
      field("kwh_per_million_tokens", &Serving::Tokens::kwh_per_million),
  };
};
template <>
struct Fields<Serving::Target> {
  static constexpr std::string_view name = "serving_target";
  static constexpr std::string_view meaning = "A limit on time, and what requests take in the busiest hour.";
  static constexpr auto list = std::tuple{
      field("limit", &Serving::Target::limit).needed(),
      field("reached_s", &Serving::Target::reached_s),
      field("limit_s", &Serving::Target::limit_s),
      field("percentile", &Serving::Target::percentile, "of the requests").up_to(1),
      field("reached_low_s", &Serving::Target::low_s, "90 % interval of reached_s").omitted(),
      field("reached_high_s", &Serving::Target::high_s, "absent: overloaded").omitted(),
  };
};
template <>
struct Fields<Serving> {
  static constexpr std::string_view name = "serving";
  static constexpr std::string_view meaning = "A fleet that serves.";
  static constexpr auto list = std::tuple{
      field("model", &Serving::model).needed(),
      field("title", &Serving::title, "of the network, for people"),
      field("precision", &Serving::precision),
      field("requests_per_s", &Serving::requests_per_s, "mean over the day"),
      field("peak", &Serving::peak, "busiest hour over the mean"),
      field("peak_requests_per_s", &Serving::peak_requests_per_s),
      field("latency_s", &Serving::latency_s,
            "limit on the whole answer; null where a language model has none"),
      field("percentile", &Serving::percentile).up_to(1),
      field("max_batch", &Serving::max_batch),
      field("needed", &Serving::needed, "nodes that the busiest hour takes; the answer adds the spares"),
      field("spares", &Serving::spares),
      field("availability.asked", &Serving::availability_asked),
      field("availability.reached", &Serving::availability),
      field("availability.node_down", &Serving::node_down, "share of the time"),
      field("single_s", &Serving::single_s, "a lone request"),
      field("decode_s", &Serving::decode_s),
      field("gpu_capacity_per_s", &Serving::gpu_capacity_per_s, "of one GPU, whatever the latency"),
      field("memory_bytes", &Serving::memory_bytes),
      field("targets", &Serving::targets).omitted(),
      field("limits", &Serving::limits, "what one node takes"),
      field("binds", &Serving::binds),
      field("tokens", &Serving::tokens).omitted(),
      field("at_peak", &Serving::at_peak).omitted(),
      field("all_up", &Serving::all_up).omitted(),
      field("interval.latency_low_s", &Serving::latency_low_s, "at the ends of the model's 90 % interval")
          .omitted(),
      field("interval.latency_high_s", &Serving::latency_high_s).omitted(),
      field(
          "in_time_probability", &Serving::in_time,
          "that the busiest hour keeps every limit on time, by the errors of the kernels' times and of what "
          "first tokens take beside their passes")
          .up_to(1)
          .omitted(),
      field("interval.nodes_low", &Serving::nodes_low).omitted(),
      field("interval.nodes_high", &Serving::nodes_high, "absent: no number of nodes is enough").omitted(),
      field("busy", &Serving::busy, "of the GPUs, mean over the day with all nodes up").omitted(),
      field("day", &Serving::day, "hours from midnight on, all nodes up"),
      field("sizes", &Serving::sizes, "the busiest hour on other numbers of nodes"),
      field("options", &Serving::options, "in the order of the search"),
      field("usd_per_million", &Serving::usd_per_million, "requests, owned"),
      field("kwh_per_million", &Serving::kwh_per_million),
  };
};

}  // namespace rackcast::doc
