/// What would change the number of nodes of a fleet that serves.
#include <fmt/format.h>

#include <cmath>

#include "scenarios/describe.hpp"
#include "scenarios/ledger.hpp"
#include "scenarios/serving/service_fleet.hpp"
#include "sim/quantity_text.hpp"

namespace rackcast {

namespace {

constexpr double ninety_percent_one_sided = 1.2816;  ///< standard deviations

class Changes {
 public:
  Changes(const ServiceOption& option, const Scenario& scenario, const Catalog& catalog,
          const GpuModelLibrary& kernels)
      : option_(option), scenario_(scenario), catalog_(catalog), kernels_(kernels) {}

  /// The needed nodes of the scenario with another service, in the option's precision or another one.
  void add(std::string input, std::string change, const ServiceSpec& service, double slower = 1) {
    add(std::move(input), std::move(change), service, option_.server->precision(), slower);
  }

  void add(std::string input, std::string change, const ServiceSpec& service, Precision precision,
           double slower = 1) {
    Scenario asked = scenario_;
    asked.serving = service;
    Ledger nobody;
    const ServiceNode node{catalog_, kernels_, asked, option_.cluster, precision, nobody};
    constexpr int most = 100'000;
    const auto nodes = nodes_for(node, service.peak_rate(), most, slower);
    out.push_back(
        {std::move(input), std::move(change),
         nodes ? fmt::format("instead of {}{}", option_.needed, option_.spares > 0 ? ", before spares" : "")
               : (node.refused().empty() ? std::string{"no number of nodes keeps the latency"}
                                         : node.refused()),
         nodes});
  }

  std::vector<Change> out;

 private:
  const ServiceOption& option_;
  const Scenario& scenario_;
  const Catalog& catalog_;
  const GpuModelLibrary& kernels_;
};

/// Limits on tokens, and longer prompts and answers.
void add_tokens(Changes& changes, const ServiceSpec& asked) {
  for (const double factor : {0.5, 2.0}) {
    ServiceSpec other = asked;
    if (asked.tokens->first) {
      other.tokens->first = factor * *asked.tokens->first;
      changes.add("time to the first token", to_text(*other.tokens->first), other);
    }
    other = asked;
    if (asked.tokens->token) {
      other.tokens->token = factor * *asked.tokens->token;
      changes.add("time per output token", to_text(*other.tokens->token), other);
    }
  }
  ServiceSpec longer = asked;
  longer.tokens->prompt = 2 * asked.tokens->prompt;
  changes.add("prompt", fmt::format("{:g} tokens", longer.tokens->prompt), longer);
  longer = asked;
  longer.tokens->output = 2 * asked.tokens->output;
  changes.add("output", fmt::format("{:g} tokens", longer.tokens->output), longer);
}

}  // namespace

std::vector<Change> service_changes(const ServiceOption& option, const Scenario& scenario,
                                    const Catalog& catalog, const GpuModelLibrary& kernels) {
  const ServiceSpec& asked = *scenario.serving;
  Changes changes{option, scenario, catalog, kernels};
  ServiceSpec other = asked;
  other.rate = 2 * asked.rate;
  changes.add("rate", requests_text(other.rate), other);
  other = asked;
  for (const double factor : {0.5, 2.0}) {
    if (!std::isfinite(asked.latency.base())) break;
    other.latency = factor * asked.latency;
    changes.add("latency", to_text(other.latency), other);
  }
  if (asked.tokens) add_tokens(changes, asked);
  if (asked.peak() > 1.001) {
    other = asked;
    other.day.fill(1);
    changes.add("peak", "an even load all day", other);
  }
  for (const Precision precision : known_precisions(asked.use())) {
    if (precision != option.server->precision())
      changes.add("precision", std::string{to_string(precision)}, asked, precision);
  }
  changes.add("confidence in the latency", "90 %", asked,
              std::exp(ninety_percent_one_sided * option.server->log_sigma()));
  return std::move(changes.out);
}

}  // namespace rackcast
