// Times to the first and per further token of a server that keeps a number of requests in flight.
#include <algorithm>
#include <cmath>
#include <optional>

#include "models/serving/closed_loop.hpp"
#include "scenarios/validation/predict/server_of_case.hpp"

namespace rackcast {
namespace {

struct Latency {
  Duration first{0}, token{0};
  double log_sigma = 0;
};

/// Lengths as the load generator draws them: the nominal one is the longest.
Latency closed_loop(ServerOfCase server, double concurrency) {
  const LoadGenerator generator = load_generator();
  const double mean = (1 + generator.shortest) / 2;
  server.spec.prompt *= mean;
  server.spec.output = std::max(1.0, server.spec.output * mean);
  // A server is set up for the requests that it is asked to keep open.
  server.spec.server.most_requests = std::max(server.spec.server.most_requests, concurrency);
  const GenerationPasses passes =
      server.passes(static_cast<int>(std::ceil(concurrency / server.spec.replicas)));
  ClosedLoop loop;
  loop.load = passes.load;
  loop.replicas = server.spec.replicas;
  loop.open = static_cast<int>(concurrency);
  loop.requests = static_cast<int>(concurrency * generator.requests_per_place);
  loop.spread = 1 - generator.shortest / mean;
  loop.mixed = server.spec.server.mixed;
  loop.arriving = server.spec.server.arriving;
  const ClosedLoopTimes times = simulate_closed_loop(loop);
  return {times.first, times.token, std::hypot(passes.full.compute_log_sigma, passes.full.network_log_sigma)};
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
