#include "models/serving/generation_service.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "models/serving/random_requests.hpp"
#include "sim/base/error.hpp"

namespace rackcast {
namespace {

void check(const GenerationService& service) {
  if (!(service.rate.base() > 0)) throw Error{"the request rate must be positive"};
  if (service.requests < 100) throw Error{"at least 100 requests are needed for percentiles"};
  for (const double p : {service.percentile, service.first_percentile, service.token_percentile})
    if (!(p > 0 && p < 1)) throw Error{"a percentile lies between 0 and 1"};
}

ServingResult result_of(const GenerationRun& run, const GenerationService& service) {
  ServingResult out;
  Percentiles answer{steady_part(run.answer)}, first{steady_part(run.first)}, token{steady_part(run.token)};
  const Duration beside = service.arriving + service.passes_waited * token.mean();
  out.mean = beside + answer.mean();
  out.p50 = beside + answer.at(0.5);
  out.p90 = beside + answer.at(0.9);
  out.p99 = beside + answer.at(0.99);
  out.asked = beside + answer.at(service.percentile);
  out.tokens = TokenTimes{beside + first.at(0.5), beside + first.at(service.first_percentile), token.at(0.5),
                          token.at(service.token_percentile)};
  out.mean_batch = run.in_flight;
  out.utilisation = run.busy / run.end;
  return out;
}

}  // namespace

bool TokenLimits::kept(const ServingResult& result) const {
  const ServingResult r = first_factor != 1 ? with_first_tokens(result, first_factor) : result;
  return !r.saturated && r.tokens && (!first || r.tokens->first <= *first) &&
         (!token || r.tokens->token <= *token) && (!answer || r.asked <= *answer);
}

double TokenLimits::first_token_room(const ServingResult& r) const {
  if (r.saturated || !r.tokens || (token && r.tokens->token > *token)) return 0;
  double out = std::numeric_limits<double>::infinity();
  if (first) out = std::min(out, *first / r.tokens->first);
  if (answer) out = std::min(out, 1 + (*answer - r.asked) / r.tokens->first_p50);
  return std::max(0.0, out);
}

ServingResult with_first_tokens(ServingResult result, double factor) {
  if (!result.tokens) return result;
  const Duration later = (factor - 1) * result.tokens->first_p50;
  for (Duration* time : {&result.mean, &result.p50, &result.p90, &result.p99, &result.asked}) *time += later;
  result.tokens->first_p50 = factor * result.tokens->first_p50;
  result.tokens->first = factor * result.tokens->first;
  return result;
}

ServingResult simulate_generation(const GenerationService& service) {
  check(service);
  const std::vector<Duration> arrivals = poisson_arrivals(service.rate, service.requests, service.seed);
  ServingResult out = result_of(answer_arrivals(service.load, arrivals), service);
  out.saturated = service.rate >= generation_capacity(service.load);
  return out;
}

Frequency generation_capacity(const GenerationLoad& load) {
  return steady_generation(load, load.places).rate;
}

ServingResult lone_generation(const GenerationService& service) {
  return result_of(answer_arrivals(service.load, {Duration{0}}), service);
}

Frequency highest_generation_rate(GenerationService service, const TokenLimits& limits,
                                  const std::function<ServingResult(const GenerationService&)>& simulate) {
  const ServingResult alone = lone_generation(service);
  if (!limits.kept(alone)) return Frequency{0};
  double low = 0, high = generation_capacity(service.load).base();
  while (high - low > 0.01 * high) {
    // A limit that hardly exceeds a lone request's time: the search ends where no two requests meet.
    if (high * alone.mean.base() < requests_never_meet) return Frequency{high};
    const double middle = (low + high) / 2;
    service.rate = Frequency{middle};
    (limits.kept(simulate(service)) ? low : high) = middle;
  }
  return Frequency{low};
}

GenerationLoad slowed(GenerationLoad load, double slower) {
  for (Duration& time : load.token) time = slower * time;
  for (Duration& time : load.rows) time = slower * time;
  load.attention = slower * load.attention;
  return load;
}

}  // namespace rackcast
