// Times to the first and per further token of a server that keeps a number of requests in flight.
#include <algorithm>
#include <cmath>
#include <optional>

#include "scenarios/validation/predict/server_of_case.hpp"

namespace rackcast {
namespace {

struct Latency {
  Duration first{0}, token{0};
  double log_sigma = 0;
};

/// Each request that ends lets the next one begin. Those that memory has no room for wait their turn.
Latency closed_loop(const ServerOfCase& server, double concurrency) {
  const GenerationPasses passes = server.passes();
  const double each = std::max(1.0, concurrency / server.spec.replicas);
  const double placed = std::min(each, passes.full.requests);
  const Generation out = passes.with(placed);
  Latency latency{out.first, out.token, std::hypot(out.compute_log_sigma, out.network_log_sigma)};
  // Little's law: all requests over those in service, as long as a request is served.
  latency.first += (each / placed - 1) * (out.first + (server.spec.output - 1) * out.token);
  return latency;
}

double stated(const ValidationCase& c, std::string_view key) {
  const auto value = number_in(c.workload.extra, key);
  if (!value || !(*value >= 1) || *value > 1e6)
    throw Unpredictable{"lengths or requests in flight not stated"};
  return *value;
}

Latency latency_of(PredictionContext& context, const ValidationCase& c) {
  const double prompt = stated(c, "input_len"), output = stated(c, "output_len"),
               concurrency = stated(c, "concurrency");
  if (member_in(c.workload.parallelism, "prefill")) throw Unpredictable{"disaggregated"};
  return closed_loop(server_of_case(context, c, c.workload.parallelism, prompt, output), concurrency);
}

}  // namespace

PredictedFigure predict_first_token(PredictionContext& context, const ValidationCase& c) {
  const Latency out = latency_of(context, c);
  return figure_of(1e3 * out.first.base(), out.log_sigma);
}

PredictedFigure predict_token_time(PredictionContext& context, const ValidationCase& c) {
  const Latency out = latency_of(context, c);
  return figure_of(1e3 * out.token.base(), out.log_sigma);
}

}  // namespace rackcast
